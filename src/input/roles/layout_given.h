/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The layouts that --key-layout and the like give. */
#pragma once

#include "input/roles/layout.h"

/*
 * The same for what the user gave, TEXT; NULL: nothing, RET stays. With fields for the elements, and
 * sums of the arrays, that KEY_FIELDS (--key, may be NULL) names, see input/wanted.h.
 */
struct error *layout_given(const char *text, const char *option, const char *prefix,
	const char *key_fields, struct layout *ret) must_check;
