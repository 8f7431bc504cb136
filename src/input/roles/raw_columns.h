/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The keys of a map without BTF: at which bytes text, stack IDs or process IDs can begin, and
 * the layout in which some of them have roles. Which roles is decided in
 * input/roles/raw_rules.c. A column is called by the offset of its first byte.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "input/counts/map.h"
#include "input/roles/id_column.h"
#include "input/roles/roles.h"
#include "input/stacks/stack_index.h"
#include "util/text.h"
#include "util/vec.h"

#define RAW_BYTES_MAX 1024     /* a larger key has inline stacks */
#define RAW_WORD 4	       /* bytes of a number */
#define RAW_COMM_LEN 16	       /* bytes: TASK_COMM_LEN, include/linux/sched.h */
#define RAW_NONE ROLE_NO_FIELD /* no column */
#define RAW_PID_LIMIT 4194304  /* PID_MAX_LIMIT, include/linux/threads.h */

struct raw_column {
	struct id_column ids; /* of the first entries only, where no number begins */
	size_t text; /* bytes of the text that begins here, a multiple of 4; 0: none does */
	bool number; /* one may begin here, and no text does or goes on */
	bool constant_zero;
	bool any_process; /* every number but 0 and -1 could be a process ID */
};

struct raw_roles;

/* Where keys are made of fields that have names. */
struct raw_naming {
	const void *context;
	/* The bytes of entry I, good until the next call; NULL: it has no key of its own. */
	const uint8_t *(*bytes)(const void *context, size_t i);
	/* What gives the columns ROLES, as for --key; malloc'ed. NULL: nothing can. */
	char *(*roles)(const void *context, const struct raw_roles *roles);
	const char *(*field)(const void *context, size_t column);
};

struct raw_columns {
	const struct count_map *map;
	const struct stack_index *index;
	const struct raw_naming *naming; /* makes the keys; NULL: the entries are raw */
	bool of_value; /* values are looked at: the map has no keys (a queue), or none with stack IDs */
	size_t len;  /* bytes of a key, or value */
	bool packed; /* numbers may begin at any byte; otherwise at multiples of 4 */
	struct VEC(struct raw_column) all; /* by byte; empty where there are too many */
};

/* RET has its members up to `len`, and is otherwise zero-filled. */
void raw_columns_read(struct raw_columns *ret);
/* The same again, of a packed struct. */
void raw_columns_pack(struct raw_columns *columns);
void raw_columns_deinit(struct raw_columns *columns);
/* Whether there can be nothing but IDs of stacks, most of one side, at byte AT, wherever numbers begin. */
bool raw_columns_certain(const struct raw_columns *columns, size_t at);
/* The bytes of entry I that the columns are of; NULL: it is of another size. */
const uint8_t *raw_columns_bytes(const struct raw_columns *columns, size_t i);
/* The length of the printable text at BYTES, which only zeros follow up to LEN; SIZE_MAX: none. */
size_t raw_text_length(const uint8_t *bytes, size_t len);
uint32_t raw_word(const uint8_t *bytes);

/* Columns by role, or RAW_NONE. */
struct raw_roles {
	size_t at[ROLE_COUNT];
};

extern const struct raw_roles raw_no_roles;

/* "pid", as the field of ROLE is called in a layout. */
const char *raw_role_name(enum role role);
/* The layout in which COLUMNS play ROLES, as for --key-layout; malloc'ed. */
char *raw_roles_layout(const struct raw_roles *roles, const struct raw_columns *columns);
/* Adds a field to a layout. */
void raw_layout_add(struct text *layout, const char *format, ...)
	__attribute__((format(printf, 2, 3)));
