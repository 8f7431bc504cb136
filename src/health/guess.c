// SPDX-License-Identifier: GPL-2.0-or-later
#include "health/guess.h"

#include "arch/arch.h"
#include "health/caller.h"
#include "util/vec.h"

/* limit of functions visited per question */
enum { VISITS_MAX = 48 };

struct guessing {
	struct code_functions *functions;
	struct debug *debug;
	const struct elf_image *image;
	uint64_t leaf; /* ELF address of its start */
};

/* A piece of code that may have run, at an ELF address. */
struct visit {
	uint64_t address;
	bool part; /* split part of a function, such as foo.cold, entered with the frame set up */
	bool side; /* see reach_of() and owns_frame(), which use it differently */
};

struct visits {
	struct visit all[VISITS_MAX];
	size_t n;
	bool overflow;
};

static void visits_add(struct visits *visits, struct visit visit)
{
	array_each(seen, visits->all, visits->n)
		if (seen->address == visit.address && seen->part == visit.part &&
			seen->side == visit.side)
			return;
	if (visits->n == VISITS_MAX)
		visits->overflow = true;
	else
		visits->all[visits->n++] = visit;
}

/*
 * Returns the function of VISIT, NULL if unknown. A part may be entered anywhere, but only with a
 * frame; any other function is entered at its start.
 */
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

/* ---- can a call reach the leaf? ------------------------------------------------------------- */

enum reach {
	REACH_NO,
	REACH_JUMPS, /* it is the leaf, or reaches it by jumps only */
	REACH_MAYBE,
};

/*
 * Returns whether a call of the function at ENTRY can reach the leaf without a further frame, that
 * is only through functions that have no frame when they call or jump. SIDE of a visit: reached by
 * a call from such a function.
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
		vec_each(exit, &function->exits) {
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

/* ---- who owns the frame? -------------------------------------------------------------------- */

struct sites {
	size_t jumps, maybe; /* number of calls with REACH_JUMPS and with REACH_MAYBE */
	uint64_t last;	     /* return address of the last call with REACH_JUMPS */
};

/*
 * Counts the call EXIT, made while there is a frame. OTHER: the caller is not the wanted function.
 * Returns false if OTHER is true and the call may have led to the leaf.
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
 * Returns true if the function called at ENTRY, and no other function that it jumps to, had its
 * frame when it called the leaf. SITES counts the calls that may have led there. SIDE of a visit:
 * reached by a jump without a frame, so it is another function.
 */
static bool owns_frame(const struct guessing *guessing, uint64_t entry, struct sites *sites)
{
	struct visits visits = {.all = {{.address = entry}}, .n = 1};

	for (size_t i = 0; i < visits.n; i++) {
		const struct visit visit = visits.all[i];
		const struct code_function *function = visited(guessing, &visit);

		if (!function || function->start == guessing->leaf)
			return false;
		vec_each(exit, &function->exits) {
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

/* ---- entry points --------------------------------------------------------------------------- */

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
