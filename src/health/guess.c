// SPDX-License-Identifier: GPL-2.0-or-later
#include "health/guess.h"

#include "health/caller.h"
#include "util/vec.h"

/* limit of functions visited per question */
enum { VISITS_MAX = 48 };

/* A piece of code that may have run, at an ELF address. */
struct visit {
	uint64_t address;
	bool part; /* split part of a function, such as foo.cold, entered with the frame set up */
	bool side; /* see guess_reach() and guess_caller(), which use it differently */
};

struct visits {
	struct visit all[VISITS_MAX];
	size_t n;
};

/* Returns false if there are too many. */
static bool visits_add(struct visits *visits, struct visit visit)
{
	array_each(seen, visits->all, visits->n)
		if (seen->address == visit.address && seen->part == visit.part &&
			seen->side == visit.side)
			return true;
	if (visits->n == VISITS_MAX)
		return false;
	visits->all[visits->n++] = visit;
	return true;
}

/*
 * Returns the function of VISIT, NULL if unknown. A part may be entered anywhere, but only with a
 * frame; any other function is entered at its start.
 */
static const struct code_function *visited(struct object_code *code, const struct visit *visit)
{
	const struct code_function *function = code_function_at(code, visit->address);

	if (!function || !function->known)
		return NULL;
	bool fits = visit->part ? code_walk(code, visit->address) == UNWIND_FP_RIGHT
				: function->start == visit->address;
	return fits ? function : NULL;
}

/* ---- can a call reach the leaf? ------------------------------------------------------------- */

/* SIDE of a visit: reached by a call from a function without a frame. */
enum reach guess_reach(struct object_code *code, uint64_t entry, uint64_t leaf)
{
	struct visits visits = {.all = {{.address = entry}}, .n = 1};
	enum reach reach = REACH_NO;

	for (size_t i = 0; i < visits.n; i++) {
		const struct visit visit = visits.all[i];

		if (visit.address == leaf) {
			if (visit.side)
				return REACH_MAYBE;
			reach = REACH_JUMPS;
			continue;
		}
		const struct code_function *function = visited(code, &visit);
		if (!function)
			return REACH_MAYBE;
		vec_each(exit, &function->exits) {
			if (exit->framed && (exit->call || exit->indirect))
				continue;
			if (exit->indirect ||
				!visits_add(&visits, (struct visit){exit->target, exit->framed,
							     visit.side || exit->call}))
				return REACH_MAYBE;
		}
	}
	return reach;
}

/* ---- entry points --------------------------------------------------------------------------- */

bool guess_called(struct object_code *code, uint64_t return_address, uint64_t *ret)
{
	const struct code_function *function = code_function_at(code, return_address - 1);

	if (!function)
		return false;
	vec_each(exit, &function->exits) {
		if (exit->next != return_address || !exit->call || exit->indirect)
			continue;
		*ret = exit->target;
		return true;
	}
	return false;
}

bool guess_caller(
	struct object_code *code, uint64_t pc, uint64_t return_address, struct guessed_caller *ret)
{
	const struct code_function *leaf = code_function_at(code, pc);
	size_t sites = 0; /* calls that may have led to the leaf, by jumps only */
	uint64_t entry;

	if (!leaf || !health_keeps_fp(code, leaf->start, pc) ||
		!guess_called(code, return_address, &entry))
		return false;
	/*
	 * The function at ENTRY, and no other function that it jumps to, must have had its frame
	 * when it called the leaf. SIDE of a visit: reached by a jump without a frame, so it is
	 * another function.
	 */
	struct visits visits = {.all = {{.address = entry}}, .n = 1};
	struct guessed_caller found = {.function = entry};
	for (size_t i = 0; i < visits.n; i++) {
		const struct visit visit = visits.all[i];
		const struct code_function *function = visited(code, &visit);

		if (!function || function->start == leaf->start)
			return false;
		vec_each(exit, &function->exits) {
			const struct visit next = {
				exit->target, exit->framed, visit.side || !exit->framed};

			if (!exit->call) {
				if (exit->indirect ? !exit->framed : !visits_add(&visits, next))
					return false;
				continue;
			}
			enum reach reach = !exit->framed ? REACH_NO
					   : exit->indirect
						   ? REACH_MAYBE
						   : guess_reach(code, exit->target, leaf->start);
			/* It may lead to the leaf by jumps only, and only from the wanted function. */
			if (reach > (visit.side ? REACH_NO : REACH_JUMPS))
				return false;
			if (reach == REACH_JUMPS)
				found.site = sites++ ? 0 : exit->next;
		}
	}
	if (sites)
		*ret = found;
	return sites;
}
