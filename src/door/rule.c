// SPDX-License-Identifier: GPL-2.0-or-later
#include "door/rule.h"

#include <fcntl.h>
#include <stddef.h>

#define YES                                                                                        \
	{                                                                                          \
		RULE_YES, NULL                                                                     \
	}
#define DOUBT(reason)                                                                              \
	{                                                                                          \
		RULE_DOUBT, reason                                                                 \
	}
#define NO(reason)                                                                                 \
	{                                                                                          \
		RULE_NO, reason                                                                    \
	}
#define UNLESS_BETTER(reason)                                                                      \
	{                                                                                          \
		RULE_YES, reason                                                                   \
	}
#define ALL(cell)                                                                                  \
	{                                                                                          \
		cell, cell, cell, cell, cell                                                       \
	}
#define OTHERS(cell) cell, cell, cell

#define OTHER_FILE "another file"
#define OTHER_BUILD "another file with the same build ID"
#define OTHER_HEADERS OTHER_BUILD ", but not the one in the process's memory"
#define ACCEPTED " (--trust=normal accepts it)"
#define COPIED OTHER_BUILD ", which another user could have written"
#define WRITTEN "another user could have written it"
#define CHANGED "its bytes differ from the kernel's: the process may have changed them"
#define UNMAPPED "the process does not have it mapped now: the file with its build ID "
#define ID "the file with its build ID is "

/* A build ID or a CRC shows that two files belong together, never who wrote them. */
static const struct row {
	enum trust trust;   /* the lowest level that uses the row */
	const char *unused; /* why lower levels do not use it; NULL: the reason in the cell */
	struct ruling cells[PROVENANCES];
} rows[EVIDENCES] = {
	[EVIDENCE_NONE] = {TRUST_STRICT, NULL, ALL(NO(OTHER_FILE))},
	[EVIDENCE_PATH] = {TRUST_ANY, NULL, ALL(DOUBT(OTHER_FILE))},
	[EVIDENCE_HEADERS] = {TRUST_ANY, NULL, ALL(DOUBT(OTHER_HEADERS))},
	[EVIDENCE_NUMBER] = {TRUST_NORMAL, "only its device and inode match" ACCEPTED, ALL(YES)},
	[EVIDENCE_LINK] = {TRUST_STRICT, NULL, ALL(YES)},
	[EVIDENCE_BUILD] = {TRUST_NORMAL, OTHER_BUILD ACCEPTED,
		{UNLESS_BETTER(OTHER_BUILD), UNLESS_BETTER(OTHER_BUILD), OTHERS(DOUBT(COPIED))}},
	[EVIDENCE_COPY] = {TRUST_STRICT, NULL, {YES, YES, OTHERS(DOUBT(COPIED))}},
	[EVIDENCE_FILED] = {TRUST_STRICT, NULL, {YES, YES, OTHERS(NO(COPIED))}},
	[EVIDENCE_UNMAPPED] = {TRUST_STRICT, NULL,
		{YES, YES, DOUBT(UNMAPPED "belongs to another process, and not to root"),
			DOUBT(UNMAPPED "is in another container"),
			DOUBT(UNMAPPED "is in a user's own mount namespace")}},
	[EVIDENCE_ID] = {TRUST_STRICT, NULL,
		{YES, YES, DOUBT(ID "owned by another user, who could have copied the ID"),
			DOUBT(ID "in a container, whose users could have copied the ID"),
			DOUBT(ID "in a user's own mount namespace")}},
	[EVIDENCE_MEMORY] = {TRUST_STRICT, NULL, {YES, DOUBT(CHANGED), OTHERS(DOUBT(CHANGED))}},
	[EVIDENCE_NAMED] = {TRUST_STRICT, NULL, {YES, YES, OTHERS(NO(WRITTEN))}},
	[EVIDENCE_KERNEL] = {TRUST_STRICT, NULL, {YES, NO(WRITTEN), OTHERS(NO(WRITTEN))}},
	[EVIDENCE_CODE] = {TRUST_STRICT, NULL, {YES, YES, OTHERS(NO(WRITTEN))}},
	[EVIDENCE_KEPT] = {TRUST_STRICT, NULL, {YES, NO(WRITTEN), OTHERS(NO(WRITTEN))}},
};

struct ruling rule_of(enum evidence evidence, enum provenance provenance, enum trust trust)
{
	const struct row *row = &rows[evidence];
	struct ruling ruling = row->cells[provenance];

	if (row->trust > trust)
		ruling = (struct ruling){RULE_NO, row->unused ? row->unused : ruling.reason};
	return ruling;
}

enum provenance rule_provenance(
	const struct writers *writers, const struct writers *theirs, const char *base)
{
	const struct writers owner =
		base ? writers_of_directory(AT_FDCWD, base) : (struct writers){};

	if (writers_within(writers, &owner))
		return PROVENANCE_OURS;
	return theirs && writers_within(writers, theirs) ? PROVENANCE_THEIRS : PROVENANCE_USER;
}
