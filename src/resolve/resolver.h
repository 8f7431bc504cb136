/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * From the values of stacks to locations with names. What is asked for is collected for a whole
 * batch and named at once: each object answers its sorted, unique addresses in one sweep.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "debug/debug.h"
#include "debug/names/frame_names.h"
#include "kernel/btf/prototypes.h"
#include "kernel/kernel.h"
#include "model/frame.h"
#include "model/stack.h"
#include "object/fetch/fetcher.h"
#include "resolve/kernel_place.h"
#include "resolve/known.h"
#include "resolve/named_start.h"
#include "resolve/options.h"
#include "resolve/place.h"
#include "resolve/targets.h"
#include "util/table.h"
#include "util/vec.h"

/* A kernel location that is still to get prototypes. */
struct plain {
	struct location *location;
	struct debug *debug; /* knows ADDRESS of an ELF file; NULL: nobody is asked */
	uint64_t address;
};

/* What there is for one run. */
struct resolver {
	const struct symbolize_options *options;
	struct fetcher *fetcher; /* NULL: nothing is fetched; not owned */
	struct places places;
	struct kernel kernel;
	struct kernel_places kernel_places;
	struct prototypes prototypes;
	struct frame_names names;   /* of the kernel's functions */
	struct named_starts starts; /* of functions that texts name */
	uint64_t serials;	    /* given to locations */
	struct targets targets;
	/* of the current batch */
	struct VEC(const struct location *) slots;
	struct VEC(struct plain) plain;
	struct known_slots known;
};

/*
 * Fills RESOLVER, which is zero-filled; it is to be deinitialized on failure too. OPTIONS and
 * FETCHER (NULL: nothing is fetched) must outlive it. The error names the file that cannot be used.
 */
struct error *resolver_init(const struct symbolize_options *options, struct fetcher *fetcher,
	struct resolver *resolver) must_check;
void resolver_deinit(struct resolver *resolver);
/*
 * Appends the locations of SAMPLE's kernel or user stack to `slots`; resolver_finish() names them.
 */
void resolver_push_stack(struct resolver *resolver, const struct sample *sample, bool kernel);
void resolver_finish(struct resolver *resolver);
/* That SLOT of SAMPLE's user stack lies in; NULL: in none with debug info. */
struct object *resolver_slot_object(
	struct resolver *resolver, const struct sample *sample, size_t slot);

/* Whether something that grows with what a stream has seen is too large. */
bool resolver_is_full(struct resolver *resolver);
/* What `shown` of frames is to be, in objects and kernel functions from now on. */
void resolver_want_names(struct resolver *resolver, enum name_style names);
/* When no place points there: drops what there is too much of. */
void resolver_forget(struct resolver *resolver);
