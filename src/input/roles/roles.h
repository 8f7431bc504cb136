/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Assigns roles (PID, stack ID, weight …) to fields by their names. There is no standard for the
 * names: the lists in roles.c are those of bcc, libbpf-tools, Inspektor Gadget, bpftrace and common
 * examples.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "input/counts/packed_rows.h"
#include "input/lists/addresses.h"
#include "input/row.h"
#include "util/arena.h"
#include "util/error.h"
#include "util/scan.h"
#include "util/vec.h"

/* X(NAME, key): KEY is the name of the role in --key. */
#define ROLES(X)                                                                                   \
	X(PID, "pid")		    /* process ID (tgid) */                                        \
	X(TID, "tid")		    /* thread ID */                                                \
	X(PID_OR_TID, "pid_or_tid") /* process or thread ID */                                     \
	X(PID_TGID, "pid_tgid")	    /* tgid << 32 | tid */                                         \
	X(USER, "user")		    /* user stack: ID or inline */                                 \
	X(KERNEL, "kernel")                                                                        \
	X(STACK, "stack") /* stack of unknown side, or kernel stack followed by user stack */      \
	X(COMM, "comm")                                                                            \
	X(WAKER, "waker") /* comm of the thread that woke the one of COMM */                       \
	X(WEIGHT, "weight")                                                                        \
	X(TIME, "time")                                                                            \
	X(LENGTH, "length") /* length of an inline stack, in bytes; not assigned by name */

enum role {
#define X(name, key) ROLE_##name,
	ROLES(X)
#undef X
		ROLE_COUNT,
};

#define ROLE_NO_FIELD SIZE_MAX

/* Loops over the stack roles. */
#define stack_role_each(role) for (enum role role = ROLE_USER; role <= ROLE_STACK; role++)

/* Returns true if ROLE is one of the stack roles, which are consecutive. */
static inline bool role_is_stack(enum role role)
{
	return role >= ROLE_USER && role <= ROLE_STACK;
}

/* Returns the side of stacks with ROLE, which is one of the stack roles. */
static inline enum address_side role_side(enum role role)
{
	return role == ROLE_USER ? SIDE_USER : role == ROLE_KERNEL ? SIDE_KERNEL : SIDE_UNKNOWN;
}

struct roles {
	size_t field[ROLE_COUNT];  /* index in the row, or ROLE_NO_FIELD */
	size_t length[ROLE_COUNT]; /* for inline stacks: field with the used length, in bytes */
	bool stack_is_key;	   /* STACK is the map's plain key, whose name proves nothing */
	bool weighed_by_name;	   /* --key gives neither the weight nor a length */
};

/* Returns the field of ROW that has ROLE, or NULL. */
static inline const struct field *role_field(
	const struct row *row, const struct roles *roles, enum role role)
{
	return roles->field[role] == ROLE_NO_FIELD ? NULL : &row->fields[roles->field[role]];
}

/* Returns true if a field is known to be the user or the kernel stack. */
static inline bool roles_have_sides(const struct roles *roles)
{
	return roles->field[ROLE_USER] != ROLE_NO_FIELD ||
	       roles->field[ROLE_KERNEL] != ROLE_NO_FIELD;
}

struct role_override {
	enum role role;
	char *field; /* whole dotted path, or its last components */
	bool met;    /* a row had a field of this name that can play the role */
};

/* the roles assigned by --key */
struct role_overrides VEC(struct role_override);

/* Parses --key. TEXT may be NULL. A syntax error is ERROR_USAGE and gives the column. */
struct error *role_overrides_parse(const char *text, struct role_overrides *ret) must_check;
void role_overrides_deinit(struct role_overrides *overrides);

/* Returns the name of the field that OVERRIDES assign ROLE to, or NULL. */
const char *roles_given(const struct role_overrides *overrides, enum role role);
/*
 * Assigns roles to the fields of ROW, and marks the OVERRIDES that were met. An override that names
 * no field of ROW leaves its role unset.
 */
void roles_find(const struct row *row, struct role_overrides *overrides, struct roles *ret);
/*
 * Returns true if the name of field I suits ROLE as well as the name of the field that ROLES gives
 * the role. I may be that field.
 */
bool role_is_rival(const struct row *row, const struct roles *roles, enum role role, size_t i);
/* Returns true if the kind of FIELD, and for stacks its content, allows ROLE. */
bool role_fits(enum role role, const struct field *field);
/*
 * Returns true if FIELD can be a stack ID or a stack. bpftool does not print how wide the elements
 * of an array are. Bytes that are not known to be build-ID records are therefore accepted only if
 * one of their u64 is an address, or if all are zero.
 */
bool field_may_be_stack(const struct field *field);
/* Returns true if FIELD is an array that must be a stack: of build-ID records, or of addresses. */
bool field_looks_like_stack(const struct field *field);
/* Returns true if WANTED is PATH ("key.in.pid") or its last components ("in.pid"). */
bool field_path_matches(const char *path, const char *wanted);
/* Returns the index of the first field of ROW that matches WANTED, or ROLE_NO_FIELD. */
size_t field_by_path(const struct row *row, const char *wanted);
/* Returns the first role whose element of AT is I, or ROLE_COUNT. */
enum role role_at(const size_t at[ROLE_COUNT], size_t i);
/* Returns the role of field I as in --key, "length" if it is the length of an array, or NULL. */
const char *role_of_field(const struct roles *roles, size_t i);
/* Returns false if FIELD's name says that it counts nothing: it is padding or a timestamp. */
bool field_may_count(const struct field *field);
/* by role: its name in --key, e.g. "pid" */
extern const char *const role_keys[ROLE_COUNT];
/* Returns the role of a field or column called NAME, ignoring case, or ROLE_COUNT. */
enum role role_of_name(struct scan name);

/* caches the roles of the last row, for rows with the same fields */
struct role_memo {
	struct row_shape shape;
	struct arena names; /* memory of SHAPE */
	struct roles roles;
};

/* Returns the roles of ROW's fields, valid until the next call. */
const struct roles *role_memo_find(
	struct role_memo *memo, const struct row *row, struct role_overrides *overrides);
void role_memo_deinit(struct role_memo *memo);

/*
 * Returns ERROR_USAGE, with a list of the existing fields, if an override names no field of ROW
 * that can play its role. POSITION says in messages where the row is.
 */
struct error *roles_check(const struct row *row, const struct role_overrides *overrides,
	const char *position) must_check;
/* Returns the names of at most 20 fields of ROW, separated by ", ", or "none"; malloc'ed. */
char *row_names(const struct row *row);

/*
 * Finds the field with the used length of an inline stack, as returned by bpf_get_stack(). It is
 * known by its name, by --key, or because it is 8 times the depth of the stack. Some names also
 * suit a weight.
 */

/* whether a number of a row is the length, in bytes, of a stack in that row */
enum length_evidence {
	LENGTH_UNASKED, /* no field could be a length, by its name */
	LENGTH_REFUTED, /* no multiple of the slot size, larger than the array, or an error with data */
	LENGTH_OPEN, /* possible: shorter or longer than the nonzero slots */
	LENGTH_FITS, /* length of all slots but the zeros at the end; or <= 0, and all are zero */
	LENGTH_EVIDENCES,
};

/* Sets the lengths of ROLES that are known by name or by --key. */
void stack_lengths_name(const struct row *row, struct roles *roles);
/* Turns the weight of ROLES into a stack length if its name allows that and ROW confirms it. */
void stack_length_find(const struct row *row, struct roles *roles);
/*
 * Adds the evidence of ROW to SEEN, the number of rows by evidence. Returns the field that, by all
 * rows so far, may be either the weight or the length of a stack: stack_length_find() made it a
 * length, or left it as the weight. Returns ROLE_NO_FIELD if there is none, or if --key says it.
 */
size_t stack_length_rival(const struct row *row, const struct roles *roles, size_t *seen);
