/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the weights of samples count. */
#pragma once

/* X(NAME, text): TEXT says it after "the weights are". */
#define WEIGHT_UNITS(X)                                                                            \
	X(UNKNOWN, "")                                                                             \
	X(SAMPLES, "a number of samples")                                                          \
	X(BYTES, "bytes")                                                                          \
	X(NANOSECONDS, "nanoseconds")                                                              \
	X(MICROSECONDS, "microseconds")

enum weight_unit {
#define X(name, text) WEIGHT_##name,
	WEIGHT_UNITS(X)
#undef X
};

/*
 * Returns what the field NAME counts, such as "value.total_ns". NAME may be NULL. Words such as
 * delta, total and value have no unit, because they can count anything.
 */
enum weight_unit weight_unit_of(const char *name);
const char *weight_unit_text(enum weight_unit unit);
