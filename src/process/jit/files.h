/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Finds and reads the files in which JIT compilers describe the code of a process: perf-PID.map in
 * its own /tmp by its own PID, else in our /tmp by our PID for it; jitdumps by their mapping.
 * Anybody can write to /tmp, so symbolic links and files of other users or older processes are not
 * trusted. Files are read piece by piece, while they are written. Only whole lines and records are
 * used: a compiler may flush its buffer in the middle of one.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "door/writers.h"
#include "process/jit/jit_map.h"
#include "process/maps.h"
#include "util/text.h"

struct jit_owner {
	int64_t inner, outer; /* PID in its own PID namespace, and in /proc */
	struct writers user;  /* effective user, and the group of its directory in /proc */
	int64_t started;      /* start time in seconds since 1970; 0 if unknown */
	/* O_PATH on its /tmp, usable after its exit; owned; -1 if none */
	int tmp;
};

/* Reads the process DIR_FD, its /proc/PID. Returns false on failure; RET.tmp is then -1. */
bool jit_owner_read(int dir_fd, struct jit_owner *ret);
/* Reads the user again, which a process may change. */
void jit_owner_refresh(int dir_fd, struct jit_owner *owner);
void jit_owner_deinit(struct jit_owner *owner);
/* Opens the perf map. Returns -1 if none can be trusted, and adds the reasons to REFUSED. */
int jit_owner_open_map(const struct jit_owner *owner, struct text *refused);

/* Returns true if MAPPING is of a jitdump, ".../jit-4711.dump". */
bool jit_is_dump(const struct mapping *mapping);
/*
 * Opens the file of such a MAPPING of the process DIR_FD. Returns -1 on failure, and adds the
 * reason to REFUSED.
 */
int jit_open_dump(int dir_fd, const struct mapping *mapping, struct text *refused);
/* Returns true if MAPPING may contain generated code: anonymous memory or an unnamed file. */
bool jit_may_hold_code(const struct mapping *mapping);

#define JIT_FILE_MAX (256 << 20) /* in bytes; perf maps of large Java programs have 20 MB */
#define JIT_TAIL 128

/* An open perf map or jitdump and its symbols. Without a file, FD is -1 and all else is 0. */
struct jit_file {
	int fd; /* owned */
	bool is_dump;
	uint64_t device, inode;
	uint64_t size; /* size at the last read, in bytes */
	int64_t mtime_s, mtime_ns;
	uint64_t read;	 /* size of whole lines or records read so far, in bytes */
	uint64_t effort; /* bytes read in total, including repeated reads of a rewritten file */
	uint64_t real;	 /* clock_real() at DATED (ns); 0 if unknown */
	uint64_t dated;
	uint64_t looked; /* ns: what was not read by then was written later; 0 if unknown */
	uint64_t anew;	 /* ns: code before it is unknown, as the file was rewritten; 0: never */
	char tail[JIT_TAIL]; /* last bytes read, by which a rewritten file is detected */
	size_t tail_len;
	struct jitdump dump;
	const char *error; /* why the file is unusable; NULL if it is not */
	bool limited;	   /* true if that is because it is too large */
	struct jit_map map;
};

/* What a read of a file found. */
enum jit_news {
	JIT_SAME,
	JIT_MORE, /* symbols were added; call history_finish() */
	JIT_ANEW, /* the file was rewritten: the map lost its symbols, not the memory of names */
};

/* LOOKED: ns, when it had no code yet; 0 if unknown. */
void jit_file_init(struct jit_file *file, uint64_t looked);
/*
 * Reads from FD_TAKEN (-1: does nothing) from now on, and takes ownership of it. If it is another
 * file than before, the map loses its symbols.
 */
void jit_file_use(struct jit_file *file, int fd_taken, bool is_dump);
void jit_file_deinit(struct jit_file *file);
/* Resets FILE, so that it is read again from its start. */
void jit_file_rewind(struct jit_file *file);
/*
 * Adds what was appended to FILE to its map. Symbols without a time get the times between which
 * they were written. LOOKED: ns, before the file was searched.
 */
enum jit_news jit_file_read(struct jit_file *file, uint64_t looked);

/* The JIT code of a process. */
struct jit {
	uint64_t looked;  /* before the files were last read, ns; 0 if never */
	uint64_t took;	  /* CPU time of that, ns */
	uint64_t opened;  /* when the files were last searched, ns */
	uint64_t version; /* number of changes */
	struct jit_file perf_map, dump;
	struct text refused; /* files that were not trusted or usable, with reasons; may be empty */
	struct jit_map recorded; /* code of a recorded process */
};

void jit_init(struct jit *jit);
void jit_deinit(struct jit *jit);
/* Returns the size of JIT and of all that it owns, in bytes. */
size_t jit_bytes(const struct jit *jit);
/* Drops everything if a map has names from before a file was rewritten; all is read again. */
void jit_tidy(struct jit *jit);
/* Closes the files; the next read opens them again. */
void jit_close(struct jit *jit);
/* Adds "WHAT: WHY" to REFUSED. */
void jit_refuse(struct text *refused, const char *what, const char *why);
