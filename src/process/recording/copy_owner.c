// SPDX-License-Identifier: GPL-2.0-or-later
#include "process/recording/process_record.h"

#include "process/recording/tasks.h"
#include "util/vec.h"

/*
 * Returns true if A and B map the same recorded file. An event and /proc may have recorded it
 * twice, one of them without an inode; then the build IDs must be equal.
 */
static bool same_file(const struct mapping *a, const struct mapping *b)
{
	const struct recorded_file *x = a->file, *y = b->file;

	if (x == y)
		return x;
	if (!x || !y || strcmp(x->path, y->path) != 0 ||
		!build_id_equal(&x->build_id, &y->build_id))
		return false;
	if (x->inode && y->inode)
		return x->inode == y->inode && x->dev_major == y->dev_major &&
		       x->dev_minor == y->dev_minor && x->size == y->size && x->mtime == y->mtime;
	return x->build_id.len;
}

/*
 * Returns true if another program of the process had the same file mapped at these addresses. A
 * sample without a time may be of either program, so it is unknown whether the copy applies.
 */
static bool other_program_has_it(const struct process_record *record, const struct mapping *mapping)
{
	vec_each(other, &record->mappings) {
		/* history without times does not distinguish these (class_of() in process_record.c) */
		bool one = other->file == mapping->file ||
			   (other->build_id && mapping->build_id &&
				   build_id_equal(other->build_id, mapping->build_id));

		if (one && other->program != mapping->program && other->start < mapping->end &&
			mapping->start < other->end)
			return true;
	}
	return false;
}

/* Returns true if the process had exited by TIME: its ID may belong to an unrecorded process. */
static bool ended_by(const struct process_record *record, uint64_t time)
{
	const struct recorded_row *events;
	size_t n = recording_rows(record->recording, record->pid, ROW_EXIT, &events);

	for (size_t i = record->first; i < n && events[i].time <= time; i++)
		if (events[i].kind == ROW_EXIT)
			return true;
	return record->until && record->until <= time;
}

/*
 * Returns true if at TIME, the mapping at the address of COPY was of the same program and the same
 * part of the same file as MAPPING.
 */
static bool was_there(const struct process_record *record, const struct recorded_row *copy,
	uint64_t time, const struct mapping *mapping)
{
	const struct mapping *then = process_record_find(record, time, copy->kept.start);
	size_t programs = sorted_count(record->programs.data, record->programs.len, <= time);

	return then && !then->ambiguous && programs == mapping->program &&
	       then->file_offset - then->start == mapping->file_offset - mapping->start &&
	       same_file(then, mapping) &&
	       copy->kept.offset - copy->kept.start == then->file_offset - then->start;
}

bool recorded_copy_is_of(const struct process_record *record, const struct recorded_row *copy,
	const struct mapping *mapping)
{
	return copy->kept.since >= record->begin && copy->kept.start < mapping->end &&
	       mapping->start < copy->kept.end && !ended_by(record, copy->time) &&
	       was_there(record, copy, copy->kept.since, mapping) &&
	       was_there(record, copy, copy->time, mapping) &&
	       process_record_is_sure(record, copy->time) && !other_program_has_it(record, mapping);
}
