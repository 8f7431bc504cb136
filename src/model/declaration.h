/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Types as C writes them, from whatever describes them: BTF and DWARF come out as the same text
 * where they describe the same type.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "util/text.h"

enum declared_kind {
	DECLARED_UNKNOWN,
	DECLARED_NAME,	    /* WORD ("struct ", or "") and NAME; or only one of them */
	DECLARED_QUALIFIER, /* WORD ("const ") before, or behind the star of a pointer */
	DECLARED_POINTER,
	DECLARED_ARRAY,
	DECLARED_FUNCTION,
	DECLARED_UNSEEN, /* what C does not write */
};

struct declared_type {
	enum declared_kind kind;
	const char *word, *name; /* not NULL where KIND has them */
	uint64_t inner; /* ID of the type that this one is made of, or that a function yields */
	uint64_t count; /* of an array's elements */
	uint64_t next;	/* of a function: for the source, where its parameters go on */
	bool started;	/* likewise */
};

struct declared_parameter {
	const char *name; /* "": none */
	uint64_t type;	  /* ID */
	bool more;	  /* this and all that follow are "..." */
};

/* Who knows types by their IDs. Neither is asked without a bound, whatever they answer. */
struct declaration_source {
	void *context;
	/* False: there is no such type. RET is zero-filled. */
	bool (*type)(void *context, uint64_t id, struct declared_type *ret);
	/* The next parameter of FUNCTION; false after the last. RET is zero-filled. */
	bool (*parameter)(
		void *context, struct declared_type *function, struct declared_parameter *ret);
};

/*
 * Makes NAME, e.g. "f", the declaration of something of the type ID: "int f(char *s)". False: parts
 * are unknown, or nested or long beyond reason: "..." stands for these.
 */
bool declaration_print(const struct declaration_source *source, uint64_t id, struct text *name);
