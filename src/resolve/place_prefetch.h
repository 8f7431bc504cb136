/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a sample will need from debuginfod is asked for before its batch is looked up. */
#pragma once

#include "resolve/place.h"

/*
 * Begins to fetch the files that the slots of SAMPLE's user stack lie in, as far as they are not
 * here. Does nothing without fetcher.
 */
void place_prefetch(struct places *places, const struct sample *sample);
