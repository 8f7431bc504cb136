/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Opening what a finder offers. */
#pragma once

#include "door/door.h"
#include "object/find/finder.h"

/* What RULE makes of PATH, malloc'ed; NULL: nothing. BELOW_RET (may be NULL): what is left of PATH below FROM. */
char *path_rule_apply(const struct path_rule *rule, const char *path, const char **below_ret);
/* Opens PATH as door_open() does, for the next offer. Returns a negative errno if there is no such file. */
int search_open(struct search *search, int dirfd, const char *path, unsigned how, const char *base);
