/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Finds out what unnamed byte arrays hold: a plain key or value, or an unnamed member. In the BTF
 * of bpftrace, stacks, comm and strings are all such char[N].
 *
 * The content decides. An array is a stack only if it can be one in all entries of the map. The
 * array "key.0" becomes
 *	"key.0.pid" and "key.0.ustack"	a user stack (FIELD_WORDS; with build-ID records FIELD_BYTES;
 *					FIELD_NUMBER for the ID of a stack in INDEX, as below)
 *	"key.0.kstack"			a kernel stack
 *	"key.0.comm"			char[16] with text in all entries, beside a stack
 * Otherwise it keeps its name and becomes FIELD_TEXT, FIELD_WORDS or FIELD_BYTES. A stack field has
 * the used slots and, if there is room, a zero slot after them.
 *
 * The key of hist(), lhist() and tseries() is one array with all parts and a bucket
 * (GetMapKeyType() in bpftrace's dibuilderbpf.cpp). A plain key may therefore contain several
 * stacks, at any multiple of 8 bytes, and hashes anywhere.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "input/counts/count_map.h"
#include "input/stacks/stack_index.h"
#include "model/stack.h"

/* of an unnamed array that is to be read as FIELD_UNNAMED, in bytes: a hash of bpftrace 0.21 */
#define UNNAMED_SIZE_MIN 12
/*
 * Gives all FIELD_UNNAMED of MAP their kind and name. MAP must be complete. HALVES describes the
 * machine that it is from, and INDEX has the stacks of bpftrace's hashes.
 */
void unnamed_settle(struct count_map *map, const struct address_halves *halves,
	const struct stack_index *index);
