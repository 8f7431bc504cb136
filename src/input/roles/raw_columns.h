/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Examines the raw keys or values of a map without BTF: at which bytes text, stack IDs or process
 * IDs may begin. They are copied to a table. A column of it is named by the offset of its first
 * byte. input/roles/raw_rules.c assigns the roles.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "input/counts/count_map.h"
#include "input/processes.h"
#include "input/roles/roles.h"
#include "input/stacks/stack_index.h"
#include "util/number.h"
#include "util/vec.h"

#define RAW_BYTES_MAX 1024     /* larger keys are not examined: they have inline stacks */
#define RAW_WORD 4	       /* size of a number, in bytes */
#define RAW_COMM_LEN 16	       /* bytes: TASK_COMM_LEN, include/linux/sched.h */
#define RAW_NONE ROLE_NO_FIELD /* no column */

#define ID_COLUMN_DISTINCT 64
#define ID_CHANCE_MAX 0.001 /* probability below which chance is ruled out */

/* Numbers of a field, over all entries of a map, that may be stack IDs. */
struct id_column {
	uint64_t found, missing;       /* numbers that are IDs in a stack map, and others */
	uint64_t user, kernel, either; /* found IDs, by the possible sides of their stacks */
	uint64_t errors; /* -2 … -4095: bpf_get_stackid() failed (-1: no stack, or EPERM) */
	uint64_t odd;	 /* numbers that are neither IDs nor errors */
	bool varied;	 /* a number is neither 0 nor -1 */
	uint32_t distinct[ID_COLUMN_DISTINCT]; /* the first different IDs found */
	size_t n_distinct;
};

/* Adds NUMBER, as returned by field_stack_id(), to COLUMN. */
void id_column_add(struct id_column *column, const struct stack_index *index, int64_t number);
/*
 * Returns true if the numbers can be stack IDs: at least half are in a stack map, and the rest are
 * errors or deleted IDs. Columns of 0 and -1 only are excluded, because they are flags or upper
 * halves of numbers.
 */
bool id_column_possible(const struct id_column *column);
/*
 * Returns the probability, from 0 to 1, that numbers of another kind would be found as well. It
 * depends on how full the stack maps are.
 */
double id_column_chance(const struct id_column *column, const struct stack_index *index);
/*
 * Returns true if the numbers must be stack IDs: they can be, and either some are errors of
 * bpf_get_stackid(), or id_column_chance() is below ID_CHANCE_MAX.
 */
bool id_column_certain(const struct id_column *column, const struct stack_index *index);

struct raw_column {
	struct id_column ids; /* from the first entries only, if NUMBER is false */
	size_t text; /* size of the text that begins here, in bytes, a multiple of 16; 0: none */
	bool number; /* a number may begin here, because there is no text */
	bool any_process; /* all numbers other than 0 and -1 could be process IDs */
};

/* a field with BTF, in keys that raw_columns_assemble() makes */
struct raw_field {
	const char *name;
	size_t number; /* index in the rows of the map */
	size_t at;     /* in the assembled key, in bytes */
	bool is_text;
	bool is_wide; /* a number needs more than 4 bytes */
	bool is_pair; /* both halves of the 8 bytes are equal in all entries */
};

struct raw_columns {
	const struct stack_index *index;
	bool of_value;		  /* the rows are values: keys are missing, or have no stack IDs */
	size_t len;		  /* size of a key or value, in bytes */
	size_t row_len;		  /* LEN or, if the comm of the value follows each key, more */
	struct VEC(uint8_t) rows; /* none if LEN exceeds RAW_BYTES_MAX */
	struct VEC(struct raw_field) fields; /* empty: the entries are raw */
	bool packed; /* numbers may begin at any byte, not only at multiples of 4 */
	struct VEC(struct raw_column) all; /* by byte; empty if there are no rows */
};

/* Loops over the rows. */
#define raw_row_each(row, columns)                                                                 \
	for (const uint8_t *row = (columns)->rows.data,                                            \
			   *row##_end = row ? row + (columns)->rows.len : row;                     \
		row != row##_end; row += (columns)->row_len)

/*
 * Adds the keys or values of MAP that have the size of the first ones. VALUE_COMM is the offset of
 * the comm in the values, or RAW_NONE. Sets `row_len`.
 */
void raw_columns_add(struct raw_columns *columns, const struct count_map *map, size_t value_comm);
/*
 * Adds keys made of the fields in the keys of MAP, or in its values if OF_VALUE, that have no role
 * in NAMED: numbers of 4 or 8 bytes, and texts of RAW_COMM_LEN. Sets `len` and `row_len`, to 0 if
 * there is no such field.
 */
void raw_columns_assemble(struct raw_columns *columns, const struct count_map *map,
	const struct roles *named, bool of_value);
/* Examines all rows, as packed structs if `packed` is set. Forgets what an earlier call found. */
void raw_columns_read(struct raw_columns *columns);
void raw_columns_deinit(struct raw_columns *columns);
/* Returns true if the numbers at byte AT, which need not be a multiple of 4, must be stack IDs. */
bool raw_columns_certain(const struct raw_columns *columns, size_t at);
/* Returns the length of the text in LEN bytes, or SIZE_MAX if they are not text and then zeros. */
size_t raw_text_length(const uint8_t *bytes, size_t len);

/* column of each role, or RAW_NONE */
struct raw_roles {
	size_t at[ROLE_COUNT];
};

extern const struct raw_roles raw_no_roles;

/* Returns the layout, as for --key-layout, in which COLUMNS have ROLES; malloc'ed. */
char *raw_roles_layout(const struct raw_roles *roles, const struct raw_columns *columns);
/*
 * Returns the argument of --key that assigns ROLES to the fields of COLUMNS; malloc'ed. Returns
 * NULL if there is none, or if only half of a field has a role.
 */
char *raw_roles_key(const struct raw_roles *roles, const struct raw_columns *columns);
