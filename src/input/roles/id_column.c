// SPDX-License-Identifier: GPL-2.0-or-later
#include "input/roles/id_column.h"

#define ERRNO_MAX 4095

static void add_distinct(struct id_column *column, uint32_t id)
{
	if (column->n_distinct == ID_COLUMN_DISTINCT)
		return;
	for (size_t i = 0; i < column->n_distinct; i++)
		if (column->distinct[i] == id)
			return;
	column->distinct[column->n_distinct++] = id;
}

void id_column_add(struct id_column *column, const struct stack_index *index, int64_t number)
{
	unsigned int sides;

	column->varied |= number && number != -1;
	if (number < -ERRNO_MAX || number > UINT32_MAX) {
		column->odd++;
	} else if (number < 0) {
		column->errors += number != -1;
	} else if (!(sides = stack_index_sides(index, (uint32_t)number))) {
		column->missing++;
	} else {
		column->found++;
		column->user += sides == STACK_SIDE_USER;
		column->kernel += sides == STACK_SIDE_KERNEL;
		column->either += sides == (STACK_SIDE_USER | STACK_SIDE_KERNEL);
		add_distinct(column, (uint32_t)number);
	}
}

bool id_column_possible(const struct id_column *column)
{
	return column->found && !column->odd && column->missing <= column->found && column->varied;
}

double id_column_chance(const struct id_column *column, const struct stack_index *index)
{
	double fill = stack_index_fill(index), chance = column->errors ? 0 : 1;

	/* that at least half of N numbers are found has a probability below (4 fill) ^ (N / 2) */
	for (size_t i = 0; i < column->n_distinct; i++)
		chance *= column->missing ? 4 * fill : fill;
	return chance > 1 ? 1 : chance;
}

bool id_column_certain(const struct id_column *column, const struct stack_index *index)
{
	return id_column_possible(column) && id_column_chance(column, index) < ID_CHANCE_MAX;
}
