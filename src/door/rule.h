/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Decides whether bytes may name a frame, from who could have written them (the columns of a table
 * in rule.c) and what connects them with the frame (its rows).
 */
#pragma once

#include "door/writers.h"

/* --trust: which rows of the table are used. Each level includes the rows of lower levels. */
enum trust {
	TRUST_STRICT = -1,
	TRUST_NORMAL,
	TRUST_ANY,
};

/* The columns, best first: who could have written the bytes, relative to the frame to be named. */
enum provenance {
	/* only root, the user running the program, or the owner of the directory that was chosen */
	PROVENANCE_OURS,
	/* the frame's own user or container, or those who could have written its program */
	PROVENANCE_THEIRS,
	PROVENANCE_USER,      /* another user */
	PROVENANCE_CONTAINER, /* another container */
	PROVENANCE_NAMESPACE, /* a user with their own mount namespace */
	PROVENANCES,
};

/* The rows: what connects the bytes with the frame. */
enum evidence {
	EVIDENCE_NONE,
	EVIDENCE_PATH, /* only the path of the mapping */
	/* its path and build ID, but the ELF headers in the process's memory differ */
	EVIDENCE_HEADERS,
	EVIDENCE_NUMBER, /* device and inode of the mapping, which has no build ID */
	EVIDENCE_LINK,	 /* the kernel's link to the mapped file, or its inode and build ID */
	EVIDENCE_BUILD,	 /* path and build ID of the mapping, but another inode */
	EVIDENCE_COPY,	 /* path and build ID of the mapping, where the inode cannot be compared */
	EVIDENCE_FILED,	 /* the file is stored under the mapping's build ID */
	EVIDENCE_UNMAPPED, /* the build ID in the dump, which the process does not have mapped */
	EVIDENCE_ID,	   /* the build ID in the dump; the process is unknown */
	EVIDENCE_MEMORY,   /* the bytes are the process's own memory */
	EVIDENCE_NAMED,	   /* the program refers to the file by name or build ID */
	EVIDENCE_KERNEL,   /* the build ID of the kernel or module */
	EVIDENCE_CODE,	   /* the process ID in the name of a perf map */
	EVIDENCE_KEPT,	   /* the recording names the copy */
	EVIDENCES,
};

enum rule_answer { RULE_NO, RULE_DOUBT, RULE_YES };

struct ruling {
	enum rule_answer answer;
	/* constant, or NULL; with RULE_YES: use the bytes only if nothing better is found */
	const char *reason;
};

/* Returns the answer of the table under --trust=TRUST. */
struct ruling rule_of(enum evidence evidence, enum provenance provenance, enum trust trust);

/*
 * Returns the column for WRITERS: PROVENANCE_OURS if they are only root, the user running the
 * program, or the owner of the directory BASE (NULL: none was chosen); else PROVENANCE_THEIRS if
 * all of them are in THEIRS (NULL: unknown); else PROVENANCE_USER.
 */
enum provenance rule_provenance(
	const struct writers *writers, const struct writers *theirs, const char *base);
