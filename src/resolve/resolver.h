/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Turns stack values into named locations. Addresses are collected for a whole batch, then each
 * object resolves its sorted, unique addresses in one sweep.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "debug/debug.h"
#include "debug/names/frame_names.h"
#include "debug/names/shown_names.h"
#include "kernel/btf/prototypes.h"
#include "kernel/kernel.h"
#include "model/frame.h"
#include "model/stack.h"
#include "object/fetch/fetcher.h"
#include "resolve/kernel_place.h"
#include "resolve/listed_place.h"
#include "resolve/place.h"
#include "resolve/targets.h"
#include "util/arena.h"
#include "util/table.h"
#include "util/vec.h"

/*
 * Stacks resolved by an earlier run, whose output is read back: existing names stay, missing ones
 * are looked up. The result never has less than the input.
 */

/* A value that is looked up although it is partly known. */
struct known_slot {
	size_t index; /* index in the batch's slots */
	const struct location *known;
};

/* The known locations of a batch. */
struct known_slots {
	struct VEC(struct known_slot) all;
	bool given; /* at least one location is known */
	struct arena memory;
	/* number of a location → the location with its names in STYLE, in SHOWN_MEMORY */
	struct table shown;
	struct arena shown_memory;
	struct shown_names *names; /* NULL: none */
	enum name_style style;
};

void known_slots_deinit(struct known_slots *slots);
/*
 * Returns the known location of value I, with names in STYLE; NULL: it has to be looked up. What is
 * known of it is then noted in SLOTS, unless that is NULL, for number INDEX of the batch.
 */
const struct location *known_final(struct known_slots *slots, const struct stack *stack, size_t i,
	size_t index, enum name_style style);
/*
 * Merges each noted one of N LOCATIONS, by index, with what was known, after all lookups; shows
 * names given by tools in STYLE. New locations live until the next call.
 */
void known_settle(struct known_slots *slots, const struct location **locations, size_t n,
	enum name_style style);

/* A kernel location that still needs prototypes. */
struct plain {
	struct location *location;
	struct debug *debug; /* debug info to ask for the ELF address ADDRESS; NULL: none */
	uint64_t address;
};

/* The state of a run. */
struct resolver {
	const struct symbolize_options *options;
	struct places places;
	struct kernel kernel;
	struct kernel_places kernel_places;
	struct prototypes prototypes;
	struct frame_names names;   /* of kernel functions */
	struct named_starts starts; /* of functions named in texts */
	uint64_t serials;	    /* last number given to a location */
	struct targets targets;
	/* of the current batch */
	struct VEC(const struct location *) slots;
	struct VEC(struct plain) plain;
	struct VEC(struct place *) live; /* in files that a running process has mapped */
	struct known_slots known;
};

/*
 * Initializes RESOLVER, which is zero-filled; deinitialize it on failure too. OPTIONS and FETCHER
 * (NULL: nothing is fetched) must outlive it. The error names the file that cannot be used.
 */
struct error *resolver_init(const struct symbolize_options *options, struct fetcher *fetcher,
	struct resolver *resolver) must_check;
void resolver_deinit(struct resolver *resolver);
/* Starts to fetch missing files of SAMPLE's user stack. Does nothing without fetcher. */
void resolver_prefetch(struct resolver *resolver, const struct sample *sample);
/*
 * Appends the locations of SAMPLE's kernel or user stack to `slots`; resolver_finish() names them.
 */
void resolver_push_stack(struct resolver *resolver, const struct sample *sample, bool kernel);
void resolver_finish(struct resolver *resolver);
/* Returns the object that contains value SLOT of SAMPLE's user stack; NULL: none with an image. */
struct object *resolver_slot_object(
	struct resolver *resolver, const struct sample *sample, size_t slot);

/* Sets the style of `shown` names for objects opened from now on, and for kernel functions. */
void resolver_want_names(struct resolver *resolver, enum name_style names);
/*
 * Drops what grows with a stream and is too large, and the places that refer to it. Returns true if
 * there was any.
 */
bool resolver_forget(struct resolver *resolver);
