/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Prints types in C syntax. BTF and DWARF give the same text for the same type.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "util/text.h"

enum declared_kind {
	DECLARED_UNKNOWN,
	DECLARED_NAME,	    /* WORD ("struct " or ""), NAME, or both */
	DECLARED_QUALIFIER, /* WORD ("const "), before the type or after a pointer's star */
	DECLARED_POINTER,
	DECLARED_ARRAY,
	DECLARED_FUNCTION,
	DECLARED_UNSEEN, /* no C syntax */
};

struct declared_type {
	enum declared_kind kind;
	const char *word, *name; /* not NULL if KIND uses them */
	uint64_t inner;		 /* ID of the element, target or return type */
	uint64_t count;		 /* elements of an array */
	uint64_t next; /* function: position of the next parameter, private to the source */
	bool started;  /* function: NEXT is set, private to the source */
};

struct declared_parameter {
	const char *name; /* "": none */
	uint64_t type;	  /* ID */
	bool more;	  /* "...": the last one */
};

/* A provider of types by ID. The number of calls is bounded, whatever it returns. */
struct declaration_source {
	void *context;
	/* Returns false if there is no such type. RET is zero-filled. */
	bool (*type)(void *context, uint64_t id, struct declared_type *ret);
	/* Gives the next parameter of FUNCTION; returns false after the last. RET is zero-filled. */
	bool (*parameter)(
		void *context, struct declared_type *function, struct declared_parameter *ret);
};

/*
 * Turns NAME, e.g. "f", into a declaration with the type ID: "int f(char *s)". Returns false if
 * parts are unknown, nested too deep or too long; they are printed as "...".
 */
bool declaration_print(const struct declaration_source *source, uint64_t id, struct text *name);
