/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * From the names of fields to what they mean. There is no standard: the lists in roles.c are what
 * bcc, libbpf-tools, Inspektor Gadget, bpftrace and common examples call them.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "input/counts/packed_rows.h"
#include "input/lists/addresses.h"
#include "input/row.h"
#include "util/error.h"
#include "util/arena.h"
#include "util/vec.h"

/* X(NAME, key): key is its name in --key. */
#define ROLES(X)                                                                                   \
	X(PID, "pid")		    /* process: tgid */                                            \
	X(TID, "tid")		    /* thread */                                                   \
	X(PID_OR_TID, "pid_or_tid") /* a number that may be of either */                           \
	X(PID_TGID, "pid_tgid")	    /* tgid << 32 | tid */                                         \
	X(USER, "user")		    /* user stack: ID or inline */                                 \
	X(KERNEL, "kernel")                                                                        \
	X(STACK, "stack") /* of either side, or of both after another */                           \
	X(COMM, "comm")                                                                            \
	X(WAKER, "waker") /* the name of who woke the one of COMM */                               \
	X(WEIGHT, "weight")                                                                        \
	X(TIME, "time")                                                                            \
	X(LENGTH, "length") /* of an inline stack, by --key or by its number */

enum role {
#define X(name, key) ROLE_##name,
	ROLES(X)
#undef X
		ROLE_COUNT,
};

#define ROLE_NO_FIELD SIZE_MAX

/* Whether ROLE is that of a stack: they follow one another, from ROLE_USER to ROLE_STACK. */
static inline bool role_is_stack(enum role role)
{
	return role >= ROLE_USER && role <= ROLE_STACK;
}

/* The side of the stacks in ROLE, one of these. */
static inline enum address_side role_side(enum role role)
{
	return role == ROLE_USER ? SIDE_USER : role == ROLE_KERNEL ? SIDE_KERNEL : SIDE_UNKNOWN;
}

struct roles {
	size_t field[ROLE_COUNT];  /* index in the row, or ROLE_NO_FIELD */
	size_t length[ROLE_COUNT]; /* of an inline stack: the field that says how much is used */
	bool stack_is_key;	   /* STACK is the map's plain key, which has no name to go by */
};

struct role_override {
	enum role role;
	char *field; /* whole dotted path, or its last components */
	bool met;    /* some row had such a field */
};

/* What --key says. Zero-filled is empty. */
struct role_overrides {
	struct VEC(struct role_override) all;
};

/* TEXT may be NULL. ERROR_USAGE with the column where it does not parse. */
struct error *role_overrides_parse(const char *text, struct role_overrides *ret) must_check;
void role_overrides_deinit(struct role_overrides *overrides);

/* Whether they say which field plays ROLE. */
bool roles_given(const struct role_overrides *overrides, enum role role);
/* The field that they give ROLE to, NULL: none. */
const char *roles_given_field(const struct role_overrides *overrides, enum role role);
/*
 * What the fields of RECORD mean. Marks the overrides that were met; one that names no field of
 * this row leaves its role unset.
 */
void roles_find(const struct row *row, struct role_overrides *overrides, struct roles *ret);
/* Whether field I can play ROLE by its name as well as the one of ROLES, which it may be. */
bool role_is_rival(const struct row *row, const struct roles *roles, enum role role, size_t i);
/* Whether FIELD can play ROLE. */
bool role_fits(enum role role, const struct field *field);
/*
 * Whether FIELD can be a stack ID or a stack. Bytes that are not known to be build-ID records can be
 * numbers of another width, which bpftool does not print: then no address is among them.
 */
bool field_may_be_stack(const struct field *field);
/* Whether FIELD is an array that can be nothing but a stack: build-ID records, or addresses. */
bool field_looks_like_stack(const struct field *field);
/* Whether WANTED is PATH ("key.in.pid") or its last components. */
bool field_path_matches(const char *path, const char *wanted);
/* The first field of RECORD that WANTED names so, ROLE_NO_FIELD: none. */
size_t field_by_path(const struct row *row, const char *wanted);
/* The role for which AT holds I; ROLE_COUNT: none. */
enum role role_at(const size_t at[ROLE_COUNT], size_t i);
/* The role that field I plays, as in --key, or "length" of an array; NULL: none. */
const char *role_of_field(const struct roles *roles, size_t i);
/* Whether FIELD's name leaves it open that it counts something: it is no padding, no point in time. */
bool field_may_count(const struct field *field);
/* "pid", as in --key. */
const char *role_key(enum role role);
/* The role that a field or column called NAME plays, ROLE_COUNT: none. Case does not matter. */
enum role role_of_name(const char *name, size_t len);

/* Keeps the roles of rows that all have the same fields. Zero-filled is empty. */
struct role_memo {
	struct row_shape shape;
	struct arena names; /* of the shape */
	struct roles roles;
};

/* The roles of RECORD's fields; good until the next call. */
const struct roles *role_memo_find(
	struct role_memo *memo, const struct row *row, struct role_overrides *overrides);
void role_memo_deinit(struct role_memo *memo);
