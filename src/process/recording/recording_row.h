/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The records of a recording (man/stack2line-recording.5). Each is a row of bytes: its kind,
 * numbers and string. Each number is stored as the difference to the number in the same place of
 * the previous row of this kind; the ID and time of a process's row, as that to the previous row of
 * any process.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "util/scan.h"
#include "util/text.h"
#include "util/vec.h"

/* values as in the file */
enum row_kind {
	ROW_PROC, /* from /proc; rows with the mappings follow */
	ROW_FORK,
	ROW_THREAD,
	ROW_EXEC, /* removes all earlier mappings */
	ROW_COMM,
	ROW_MAP,
	ROW_NS, /* moved to another mount namespace */
	ROW_ROOT,
	ROW_EXIT,
	ROW_PID,
	ROW_KEPT,
	ROW_JIT, /* this and the next three kinds stay in file order */
	ROW_JITMADE,
	ROW_JITLOOK,
	ROW_JITLINE,
	ROW_SYSTEM, /* this and all later kinds belong to no process */
	ROW_HOST = ROW_SYSTEM,
	ROW_BEGIN,
	ROW_END,
	ROW_CONTINUES,
	ROW_LOST,
	ROW_ONLY,
	ROW_KEEPS,
	ROW_KBUILD,
	ROW_KSYM,
	ROW_MODULE,
	ROW_KSECT,
	ROW_BPF,
	ROW_BPFLINE,
	ROW_BPFGONE,
	ROW_BPFLOST,
	ROW_VDSO,
	ROW_MOUNTS,
	ROW_MOUNT,
	ROW_FILE,
	ROW_KINDS
};

enum { ROW_NUMBERS = 8 };

/* A record. Its numbers are in the same order as in the file. */
struct recorded_row {
	enum row_kind kind;
	uint32_t order; /* position among the rows read, for equal times */
	union {
		uint64_t numbers[ROW_NUMBERS];
		/* records of a process */
		struct {
			uint64_t pid, time; /* ns */
			union {
				uint64_t other; /* FORK: parent; THREAD: process */
				struct {
					uint64_t started;   /* clock ticks since boot */
					uint64_t namespace; /* mount namespace; 0 if unknown */
					/* number of PID namespaces it is in; 0 if unknown */
					uint64_t levels;
				} found;	   /* PROC */
				uint64_t moved_to; /* NS: mount namespace */
				struct {
					uint64_t start, end; /* process addresses, [start, end) */
					uint64_t offset;     /* file offset of START, in bytes */
					/* its number; once read, index in recording.files */
					uint64_t file;
				}; /* MAP */
				struct {
					uint64_t pid_namespace, inner;
				}; /* PID: inode of a PID namespace, and the number in it */
				/* KEPT: the link to the mapping was opened in [SINCE, TIME] */
				struct {
					uint64_t since, start, end, offset;
					uint64_t size; /* file size in bytes */
				} kept;
				struct {
					uint64_t start, size;
				} code; /* JIT, JITMADE */
				struct {
					uint64_t address, line, column;
				} line; /* JITLINE */
			};
		};
	};
	struct scan text; /* empty if the kind has none; NUL-terminated after reading */
};

/* The format of the rows of a kind. */
struct row_form {
	const char *word; /* name of the kind */
	/*
	 * One character per number: "d" for decimal, "x" for hexadecimal, "p" for hexadecimal and
	 * mostly a multiple of the page size, "e" for the end of a range that begins with the
	 * previous number, otherwise as "p".
	 */
	const char *numbers;
	bool has_text;
};

/* The last numbers of each kind. */
struct row_state {
	uint64_t last[ROW_KINDS][ROW_NUMBERS];
};

/* A sequence of rows to read. */
struct rows {
	struct scan bytes;
	struct row_state state;
};

const struct row_form *row_form(enum row_kind kind);
/*
 * Returns the class of KIND, a kind of row of a process: ROW_EXIT for what it did, ROW_JIT for JIT
 * code, otherwise KIND itself.
 */
enum row_kind row_class(enum row_kind kind);
void row_add(struct text *bytes, struct row_state *state, const struct recorded_row *row);
/*
 * Reads the next row; its text points into the bytes. Returns false at the end, or if the row is
 * damaged, in which case bytes are left.
 */
bool rows_next(struct rows *rows, struct recorded_row *ret);
/* Appends ROW as a line of text. Control characters, non-ASCII bytes and '%' are written as %HH. */
void row_print(struct text *text, const struct recorded_row *row);

/* Periods in which events were lost, so that a recording lacks them. */

/* The period (SINCE, UNTIL), in ns. */
struct recorded_loss {
	uint64_t since, until;
};

struct recorded_losses VEC(struct recorded_loss);

/* Sorts the periods and merges those that overlap. */
void recorded_losses_order(struct recorded_losses *losses);
/* Returns true if events were lost between BEGIN and END (ns). LOSSES must be ordered. */
bool recorded_losses_between(const struct recorded_losses *losses, uint64_t begin, uint64_t end);
