/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What arrays of bytes hold that have no name of their own: a plain key or value, or a member
 *without a name. bpftrace 0.25 and later describes its maps so: stacks, comm and strings are all
 *char[N].
 *
 * The bytes must say it, and of one array all entries of a map: what does not fit in one of them is
 *no stack in any. "key.0" becomes
 *	"key.0.pid" and "key.0.ustack"	a user stack (FIELD_WORDS, or FIELD_BYTES: build-ID records)
 *	"key.0.kstack"			a kernel stack
 *	"key.0.comm"			char[16], all texts, beside a stack
 * and keeps its name as FIELD_TEXT, FIELD_WORDS or FIELD_BYTES otherwise. A stack has its used
 *slots and, if there is room after them, one that is zero.
 *
 * The key of hist(), lhist() and tseries() is one array of all parts and a bucket (GetMapKeyType()
 *in bpftrace's dibuilderbpf.cpp), so in a plain key stacks may stand after each other.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "input/counts/map.h"
#include "model/address_halves.h"

#define UNNAMED_SIZE_MIN 16 /* bytes: kstack(1), comm */

/* Whether LEN bytes without a name are to be FIELD_UNNAMED. */
bool unnamed_size(size_t len);
/*
 * Gives all FIELD_UNNAMED of MAP, which is of the machine of HALVES, their kind and name. To be
 * called when MAP is complete.
 */
void unnamed_settle(struct count_map *map, const struct address_halves *halves);
