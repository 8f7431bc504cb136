// SPDX-License-Identifier: GPL-2.0-or-later
#include "health/guess.h"

#include "arch/arch.h"
#include "health/caller.h"

/* Functions that are looked at for one question. */
enum { VISITS_MAX = 48 };

struct guessing {
	struct code_functions *functions;
	struct debug *debug;
	const struct elf_image *image;
	uint64_t leaf; /* where it begins */
};

/* Code that may have run. */
struct visit {
	uint64_t address;
	bool part; /* a further part of a function, which has its frame: foo.cold */
	bool side; /* see below */
};

struct visits {
	struct visit all[VISITS_MAX];
	size_t n;
	bool overflow;
};

static void visits_add(struct visits *visits, struct visit visit)
{
	for (size_t i = 0; i < visits->n; i++) {
		const struct visit *seen = &visits->all[i];

		if (seen->address == visit.address && seen->part == visit.part &&
			seen->side == visit.side)
			return;
	}
	if (visits->n == VISITS_MAX)
		visits->overflow = true;
	else
		visits->all[visits->n++] = visit;
}

/* NULL: unknown. A part is reached anywhere, but with a frame: else it is another function. */
static const struct code_function *visited(
	const struct guessing *guessing, const struct visit *visit)
{
	const struct code_function *function = code_functions_at(
		guessing->functions, guessing->debug, guessing->image, visit->address);

	if (!function || !function->known)
		return NULL;
	bool fits = visit->part ? health_walk(guessing->debug, visit->address) == UNWIND_FP_RIGHT
				: function->start == visit->address;
	return fits ? function : NULL;
}

/* ---- down to the leaf ----------------------------------------------------------------------- */

enum reach {
	REACH_NO,
	REACH_JUMPS, /* the leaf itself, or by jumps */
	REACH_MAYBE,
};

/*
 * Whether a call of the function at ENTRY can have led to the leaf without any other frame pointer
 * on the way: through functions that have no frame when they go on. SIDE of a visit: by a call of
 * such a one.
 */
static enum reach reach_of(const struct guessing *guessing, uint64_t entry)
{
	struct visits visits = {.all = {{.address = entry}}, .n = 1};
	enum reach reach = REACH_NO;

	for (size_t i = 0; i < visits.n; i++) {
		const struct visit visit = visits.all[i];

		if (visit.address == guessing->leaf) {
			if (visit.side)
				return REACH_MAYBE;
			reach = REACH_JUMPS;
			continue;
		}
		const struct code_function *function = visited(guessing, &visit);
		if (!function)
			return REACH_MAYBE;
		for (size_t j = 0; j < function->exits.len; j++) {
			const struct code_exit *exit = &function->exits.data[j];

			if (exit->framed && (exit->call || exit->indirect))
				continue;
			if (exit->indirect)
				return REACH_MAYBE;
			visits_add(&visits, (struct visit){exit->target, exit->framed,
						    visit.side || exit->call});
		}
	}
	return visits.overflow ? REACH_MAYBE : reach;
}

/* ---- whose frame it is ---------------------------------------------------------------------- */

struct sites {
	size_t jumps, maybe; /* calls by what may come of them */
	uint64_t last;	     /* of the first: where it returns to */
};

/*
 * A call while there is a frame; false: OTHER code than the wanted function's may have led to the
 * leaf.
 */
static bool count_site(const struct guessing *guessing, const struct code_exit *exit, bool other,
	struct sites *sites)
{
	enum reach reach = exit->indirect ? REACH_MAYBE : reach_of(guessing, exit->target);

	if (reach == REACH_NO)
		return true;
	sites->jumps += reach == REACH_JUMPS;
	sites->maybe += reach == REACH_MAYBE;
	if (reach == REACH_JUMPS)
		sites->last = exit->next;
	return !other;
}

/*
 * Whether a function that was called at ENTRY, and no other one that it jumps to, had its frame
 * when it called the leaf. SIDE of a visit: by a jump without a frame, to another function.
 */
static bool owns_frame(const struct guessing *guessing, uint64_t entry, struct sites *sites)
{
	struct visits visits = {.all = {{.address = entry}}, .n = 1};

	for (size_t i = 0; i < visits.n; i++) {
		const struct visit visit = visits.all[i];
		const struct code_function *function = visited(guessing, &visit);

		if (!function || function->start == guessing->leaf)
			return false;
		for (size_t j = 0; j < function->exits.len; j++) {
			const struct code_exit *exit = &function->exits.data[j];

			if (exit->call ? exit->framed &&
						 !count_site(guessing, exit, visit.side, sites)
				       : exit->indirect && !exit->framed)
				return false;
			if (!exit->call && !exit->indirect)
				visits_add(&visits, (struct visit){exit->target, exit->framed,
							    visit.side || !exit->framed});
		}
	}
	return !visits.overflow;
}

/* ---- the question --------------------------------------------------------------------------- */

bool guess_called(struct code_functions *functions, struct debug *debug,
	const struct elf_image *image, uint64_t return_address, uint64_t *ret)
{
	const struct code_function *function =
		code_functions_at(functions, debug, image, return_address - 1);

	for (size_t i = 0; function && i < function->exits.len; i++) {
		const struct code_exit *exit = &function->exits.data[i];

		if (exit->next != return_address || !exit->call || exit->indirect)
			continue;
		*ret = exit->target;
		return true;
	}
	return false;
}

bool guess_caller(struct code_functions *functions, struct debug *debug,
	const struct elf_image *image, uint64_t pc, uint64_t return_address,
	struct guessed_caller *ret)
{
	struct guessing guessing = {functions, debug, image, 0};
	const struct code_function *leaf = code_functions_at(functions, debug, image, pc);
	struct sites sites = {};
	uint64_t entry;

	if (!leaf || !health_keeps_fp(debug, image, leaf->start, pc) ||
		!guess_called(functions, debug, image, return_address, &entry))
		return false;
	guessing.leaf = leaf->start;
	if (!owns_frame(&guessing, entry, &sites) || !sites.jumps || sites.maybe)
		return false;
	*ret = (struct guessed_caller){entry, sites.jumps == 1 ? sites.last : 0};
	return true;
}

bool guess_cannot_reach(struct code_functions *functions, struct debug *debug,
	const struct elf_image *image, uint64_t entry, uint64_t leaf)
{
	const struct guessing guessing = {functions, debug, image, leaf};

	return reach_of(&guessing, entry) == REACH_NO;
}
