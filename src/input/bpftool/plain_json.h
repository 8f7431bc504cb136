/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Reads the JSON of bpftool, and the near-JSON that it prints by default for maps with BTF
 * (tools/bpf/bpftool/map.c, map_perf_ring.c):
 *
 *	[{"key":["0x01",…],"value":["0x05",…],"formatted":{"key":{"pid":1},"value":5}},…]
 *	[{"key":["0x01",…],"values":[{"cpu":0,"value":["0x05",…]},…]},…]
 *	[{"key":["0x01",…],"value":{"error":"No such file or directory"}},…]
 *	[{"id":25,"type":"hash","name":"counts","flags":0,"elements":[…]},…]
 *	[{"key":["0x01",…],"value":["0x1b",…],"inner_map_id":27},…]
 *	[{"type":9,"cpu":1,"index":1,"timestamp":588718687085,"data":[177,28,…]},…]
 *	[{"type":2,"cpu":1,"index":1,"lost":{"id":1,"count":7}},…]
 *	{"key":…,"value":…}   {"error":"…"}
 *	{"key":[],"value":["0x05",…]}          from a queue or stack: map peek, pop and dequeue
 *
 * The members may come in any order.
 */
#pragma once

#include "input/dump.h"
#include "util/error.h"

/* Reads the document at the source's `at`, which is a [ or {. The error is the sink's. */
struct error *bpftool_json_read(struct dump *dump) must_check;
