/* SPDX-License-Identifier: GPL-2.0-or-later */
/* For comparison functions of qsort(). */
#pragma once

/* Below, equal to or above 0 as A is to B. Several keys, the first one first, are joined by ?: */
#define order_of(a, b) (((a) > (b)) - ((a) < (b)))
