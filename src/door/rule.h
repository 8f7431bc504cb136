/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The rule: whether bytes may name a frame, by who could have written them and by what connects
 * them with it. rule.c has it as one table.
 */
#pragma once

#include "door/writers.h"

/* --trust: which rows of the table are used. Each level has those of the levels before it. */
enum trust {
	TRUST_STRICT = -1,
	TRUST_NORMAL,
	TRUST_ANY,
};

/*
 * The columns: who could have written the bytes, seen from the frame that they are to name; best
 * first.
 */
enum provenance {
	PROVENANCE_OURS, /* only root, who runs this, or who owns the directory that was chosen */
	PROVENANCE_THEIRS, /* the user or container whose frame it is, or who could have written its program */
	PROVENANCE_USER,      /* another user */
	PROVENANCE_CONTAINER, /* another container */
	PROVENANCE_NAMESPACE, /* a user, in a mount namespace of their own */
	PROVENANCES,
};

/* The rows: what connects the bytes with the frame. */
enum evidence {
	EVIDENCE_NONE,
	EVIDENCE_PATH,	   /* the path of the mapping alone */
	EVIDENCE_HEADERS,  /* and its build ID; the process has other headers in memory */
	EVIDENCE_NUMBER,   /* device and inode of the mapping, which has no build ID */
	EVIDENCE_LINK,	   /* the kernel's link to the mapped file, or its number and build ID */
	EVIDENCE_BUILD,	   /* path and build ID of the mapping; the inode is another one */
	EVIDENCE_COPY,	   /* the same, where the inode says nothing */
	EVIDENCE_FILED,	   /* the mapping's build ID, by which the file is filed */
	EVIDENCE_UNMAPPED, /* the build ID in the dump; the process does not have it mapped */
	EVIDENCE_ID,	   /* the build ID in the dump; the process is unknown */
	EVIDENCE_MEMORY,   /* it is the process's own memory */
	EVIDENCE_NAMED,	   /* the program names the file, or its build ID does */
	EVIDENCE_KERNEL,   /* the build ID of the kernel or module */
	EVIDENCE_CODE,	   /* the process's ID in the name of a perf map */
	EVIDENCE_KEPT,	   /* a recording names the copy */
	EVIDENCES,
};

enum rule_answer { RULE_NO, RULE_DOUBT, RULE_YES };

struct ruling {
	enum rule_answer answer;
	/* Constant; NULL: none. RULE_YES with one: if nothing better is found. */
	const char *reason;
};

/* What the table answers under --trust=TRUST. */
struct ruling rule_of(enum evidence evidence, enum provenance provenance, enum trust trust);

/*
 * The column of what WRITERS could have written: at best PROVENANCE_THEIRS if all of them are also
 * in THEIRS (NULL: unknown), or PROVENANCE_OURS if they are root, who runs this, or who owns the
 * directory BASE (NULL: none was chosen); else PROVENANCE_USER.
 */
enum provenance rule_provenance(
	const struct writers *writers, const struct writers *theirs, const char *base);
