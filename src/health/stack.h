/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the frames of a stack together say about it, when they have their names. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "model/frame.h"
#include "model/health.h"
#include "model/stack.h"
#include "util/arena.h"
#include "util/table.h"

/* Doubted copies of locations, of one batch. Zero-filled but for SERIALS is empty. */
struct doubted {
	uint64_t *serials; /* the last number that a location was given; not owned */
	struct arena arena;
	struct table by_serial; /* serial → copy */
	/* Some of them: most frames of a batch are the same few. */
	struct recent_doubt {
		uint64_t key;
		const struct location *copy;
	} recent[1 << 11];
};

void doubted_deinit(struct doubted *doubted);
/* Forgets the copies. */
void doubted_clear(struct doubted *doubted);
/*
 * Judges a user stack, whose LOCATIONS are leaf first. What follows a frame that is no return
 * address is doubted as that is: DOUBTED's copies take its place. N is reduced by what is cut, and
 * STACK is not truncated then.
 */
struct stack_health health_user_stack(
	struct doubted *doubted, struct stack *stack, const struct location **locations, size_t *n);
/*
 * What is known without frames: of a kernel stack, which no frame pointers are needed for, or an
 * unnamed one.
 */
struct stack_health health_of_state(const struct stack *stack);
