/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The records of a recording (man/stack2line-recording.5), each a row of bytes: its kind, its numbers, and its
 * string. A number is the difference to the one in the same place of the last row of this kind, an ID or time of a
 * process to that of the last row of any.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "util/scan.h"
#include "util/text.h"

/* The values are those of the file. */
enum row_kind {
	ROW_PROC, /* what /proc said; the maps of the process follow */
	ROW_FORK,
	ROW_THREAD,
	ROW_EXEC, /* all earlier mappings are gone */
	ROW_COMM,
	ROW_MAP,
	ROW_NS, /* moved to another mount namespace */
	ROW_ROOT,
	ROW_EXIT,
	ROW_PID,
	ROW_KEPT,
	ROW_JIT, /* it and the next three stay in the order of the file */
	ROW_JITMADE,
	ROW_JITLOOK,
	ROW_JITLINE,
	ROW_SYSTEM, /* all that follow are no process's */
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

/* The numbers of a record, in the order in which they are written. */
struct recorded_row {
	enum row_kind kind;
	uint32_t order; /* of a process's record that was read, among those of one time */
	union {
		uint64_t numbers[ROW_NUMBERS];
		/* Of a process. */
		struct {
			uint64_t pid, time; /* ns */
			union {
				uint64_t other; /* FORK: the parent; THREAD: the process */
				struct {
					uint64_t started;   /* clock ticks since boot */
					uint64_t namespace; /* of its mounts, 0: unknown */
					uint64_t levels; /* PID namespaces it is in, 0: unknown */
				} found;		 /* PROC */
				uint64_t moved_to;	 /* NS: the mount namespace */
				struct {
					uint64_t start, end; /* process addresses, [start, end) */
					uint64_t offset;     /* bytes into the file */
					uint64_t
						file; /* its number; read: index in recording.files */
				};		      /* MAP */
				struct {
					uint64_t pid_namespace, inner;
				}; /* PID: the number in a PID namespace (its inode) */
				/* KEPT: the link to the mapping was opened in [SINCE, time]. */
				struct {
					uint64_t since, start, end, offset;
					uint64_t size; /* bytes of the file */
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
	struct scan text; /* empty if the kind has none; read: NUL-terminated */
};

/* How the rows of a kind are written. */
struct row_form {
	const char *word; /* its name */
	/*
	 * A character for each number: "d" decimal; "x" hexadecimal; "p" the same, mostly a multiple of the page
	 * size; "e" the end of what begins with the number before it, else as "p".
	 */
	const char *numbers;
	bool has_text;
};

/* Rows before one. Zero-filled: none. */
struct row_state {
	uint64_t last[ROW_KINDS][ROW_NUMBERS];
};

/* Rows to be read. */
struct rows {
	struct scan bytes;
	struct row_state state;
};

const struct row_form *row_form(enum row_kind kind);
/* Of a process: ROW_EXIT for what it did, ROW_JIT for its JIT code, else KIND. */
enum row_kind row_class(enum row_kind kind);
void row_add(struct text *bytes, struct row_state *state, const struct recorded_row *row);
/* Reads the next row, whose text is in the bytes. False: the end, or damage (then bytes are left). */
bool rows_next(struct rows *rows, struct recorded_row *ret);
/* Adds ROW as a line of text: bytes that could end it are %HH. */
void row_print(struct text *text, const struct recorded_row *row);
