/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Code that a JIT compiler made, by address: what perf maps and jitdumps are read into. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "util/arena.h"
#include "util/vec.h"

#define JIT_SYMBOLS_MAX (1 << 20) /* with more nothing is known of the older ones either */

struct jit_line {
	uint64_t address;      /* of the process; the line holds up to the next one's */
	const char *file;      /* NULL: unknown */
	uint32_t line, column; /* 1-based, 0: unknown */
};

struct jit_symbol {
	uint64_t start, end; /* process addresses, [start, end) */
	const char *name;    /* "": code was made here that is not known */
	uint64_t time;	     /* ns, CLOCK_MONOTONIC: when it was made, by a jitdump; 0: unknown */
	size_t first_line, n_lines; /* in jit_map.lines, ascending addresses */
};

/* A stretch that belongs to one symbol; later symbols have taken what they overlap. */
struct jit_range {
	uint64_t start, end;
	size_t symbol;
	bool replaced; /* other code was there before */
};

/* Zero-filled is empty. */
struct jit_map {
	struct VEC(struct jit_symbol) symbols; /* in the order of their making */
	struct VEC(struct jit_line) lines;
	struct VEC(struct jit_range) ranges; /* ascending, disjoint; made by jit_map_finish() */
	struct arena strings;
	bool has_old_names; /* STRINGS holds what jit_map_clear() has forgotten */
};

void jit_map_deinit(struct jit_map *map);
/* Forgets all symbols; the memory of their names, which may be in use, stays. */
void jit_map_clear(struct jit_map *map);
/* Adds NAME (LEN bytes) for SIZE bytes of code; false: empty, beyond the address space, or full. */
bool jit_map_add(struct jit_map *map, uint64_t start, uint64_t size, const char *name, size_t len);
/* The same with the name of a symbol that is there already, which may be long. */
bool jit_map_add_again(struct jit_map *map, uint64_t start, uint64_t size, size_t symbol);
/* Makes it ready for jit_map_find(): where symbols overlap, the last one added wins. */
void jit_map_finish(struct jit_map *map);
/* NULL: no code there. */
const struct jit_symbol *jit_map_find(const struct jit_map *map, uint64_t address);
/* Whether code with another name was at ADDRESS before that which is there now. */
bool jit_map_replaced(const struct jit_map *map, uint64_t address);
/* The line of ADDRESS in SYMBOL; NULL: unknown. */
const struct jit_line *jit_map_line(
	const struct jit_map *map, const struct jit_symbol *symbol, uint64_t address);
