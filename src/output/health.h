/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Sums up what is wrong with stacks: as one line for people at the end of a run, and as the report
 * of --health, by object and kind, heaviest first, each with a remedy.
 */
#pragma once

#include <stdbool.h>

#include "model/frame.h"
#include "util/text.h"

struct health_report;

/* SYSTEM: for remedies, see remedy_of(); must outlive the report. */
struct health_report *health_report_create(const char *system);
void health_report_destroy(struct health_report *report);
void health_report_count(struct health_report *report, const struct trace *trace);
/*
 * Adds "12 % of user stacks lack a caller [libc.so.6 and 2 more], …" for the kinds that frames
 * reveal, which are those before HEALTH_TRUNCATED. Adds nothing if there are none. Escapes text
 * from outside.
 */
void health_report_add_line(const struct health_report *report, struct text *text);
/*
 * Adds the whole report, for people or as one JSON object:
 *   schema       number  1
 *   samples, weight number  of all samples
 *   damaged      number  weight of the samples with a damaged stack, without HEALTH_UNJUDGED
 *   kinds        object  weight by kind, of HEALTH_KINDS
 *   objects      array   heaviest first: kind, object, build_id, samples, weight and, if known,
 *                        lost_caller (LOST_CALLERS), language (c, rust, go, ocaml, haskell,
 *                        assembly), remedy and otherwise (an alternative to the remedy)
 *   cut          number  weight of the samples whose stacks were cut at values that are not return
 *                        addresses
 *   max_entries, value_size number  for the stack map, if that would help
 */
void health_report_add(const struct health_report *report, bool json, struct text *text);
