/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What is wrong with stacks, added up: as a line for people at the end of a run, and as the report
 * of
 * --health, by object and kind, heaviest first, each with what would help.
 */
#pragma once

#include <stdbool.h>

#include "model/frame.h"
#include "util/text.h"

struct health_report;

struct health_report *health_report_create(void);
void health_report_destroy(struct health_report *report);
void health_report_count(struct health_report *report, const struct trace *trace);
/*
 * Adds "12 % of user stacks lack a caller [libc.so.6 and 2 more], …": what the frames tell. Nothing
 * where they tell nothing. Text from outside is escaped.
 */
void health_report_add_line(const struct health_report *report, struct text *text);
/*
 * Adds the whole report, for people or as one JSON object:
 *   schema       number  1
 *   samples, weight number  all there were
 *   damaged      number  weight of the samples with a stack of which something is wrong
 *   kinds        object  weight by kind, of HEALTH_KINDS
 *   objects      array   heaviest first: kind, object, build_id, samples, weight, and
 *                lost_caller (see json_lines.h), language (c, rust, go, ocaml, haskell, assembly)
 *                remedy and otherwise (where that is no choice), where known
 *   cut          number  weight of the samples of which slots were cut that are no return addresses
 *   max_entries, value_size number  for the stack map, where that would help
 */
void health_report_add(const struct health_report *report, bool json, struct text *text);
