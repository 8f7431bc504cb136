/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Requests files from debuginfod before a batch is looked up. */
#pragma once

#include "resolve/place.h"

/*
 * Starts to fetch missing files of SAMPLE's user stack. Does nothing without fetcher.
 */
void place_prefetch(struct places *places, const struct sample *sample);
