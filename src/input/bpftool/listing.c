// SPDX-License-Identifier: GPL-2.0-or-later
#include "input/bpftool/bpftool.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "util/cleanup.h"
#include "util/scan.h"
#include "util/text.h"
#include "util/vec.h"
#include "util/xalloc.h"

#define TAG "  tag "
enum { TAG_DIGITS = 16 };
#define MAP_IDS "  map_ids "

void listing_deinit(struct listing *listing)
{
	vec_deinit(&listing->all);
	free(listing->position);
	*listing = (struct listing){};
}

void listing_add(struct listing *listing, const struct listed *listed, const char *position)
{
	if (listing->all.len == LISTING_MAX)
		return;
	if (!listing->position)
		listing->position = xstrdup(position);
	vec_push(&listing->all, *listed);
}

enum listed_map listing_map_type(struct scan name)
{
	if (scan_ends(name, "hash")) /* hash, lru_hash, percpu_hash, lru_percpu_hash */
		return LISTED_COUNTS;
	return scan_equals(name, "stack_trace") ? LISTED_STACKS : LISTED_OTHER;
}

/* ---- advice ---- */

static uint64_t distance(uint64_t a, uint64_t b)
{
	return a > b ? a - b : b - a;
}

static void report_maps(const struct listing *listing, struct dump *dump)
{
	const struct listed *stacks = NULL, *counts = NULL;
	auto_text struct text list = {};

	vec_each(map, &listing->all)
		if (map->type == LISTED_STACKS)
			stacks = map; /* the newest */
	/* the hash with the nearest ID is likely of the same program; else the newest */
	uint64_t near = stacks ? stacks->id : UINT64_MAX;
	vec_each(map, &listing->all)
		if (map->type == LISTED_COUNTS &&
			(!counts || distance(map->id, near) < distance(counts->id, near)))
			counts = map;
	if (counts)
		text_printf(&list, "`bpftool map dump id %" PRIu64 "` (a hash)", counts->id);
	if (stacks)
		text_printf(&list, "%s`bpftool map dump id %" PRIu64 "` (a stack map)",
			counts ? " and " : "", stacks->id);
	if (!list.len)
		text_printf(&list, "`bpftool map dump id %" PRIu64 "`", listing->all.data[0].id);
	dump_warn(dump, "%s: this is a list of maps, not a dump: dump the maps, for example %s",
		listing->position, list.data);
}

void listing_report(struct listing *listing, struct dump *dump)
{
	if (!listing->all.len)
		return;
	const struct listed *first = listing->all.data, *end = first + listing->all.len;
	const struct listed *user = first;
	const char *what = first->kind == LISTING_BTF ? "BTF objects" : "programs";
	while (user < end && !user->map)
		user++;
	if (first->kind == LISTING_MAPS)
		report_maps(listing, dump);
	else if (first->kind == LISTING_LINKS)
		dump_warn(dump,
			"%s: this is a list of links, not a dump: dump the maps that their programs "
			"use, which `bpftool prog show id %" PRIu64 "` lists as map_ids",
			listing->position, first->prog);
	else if (user < end)
		dump_warn(dump,
			"%s: this is a list of %s, not a dump: dump the maps that they use, "
			"listed after map_ids: `bpftool map dump id %" PRIu64 "` and so on",
			listing->position, what, user->map);
	else
		dump_warn(dump,
			"%s: this is a list of %s, not a dump: dump maps, which `bpftool map list` "
			"shows",
			listing->position, what);
	listing_deinit(listing);
}

/* ---- text ---- */

/* Returns true if SCAN contains something like "  tag c499697cf06d7e14". */
static bool has_tag(struct scan scan)
{
	const char *tag = scan_find(scan, TAG), *at = tag ? tag + strlen(TAG) : scan.end;
	int digits = 0;

	for (; at < scan.end && scan_hex_digit(*at) >= 0; at++)
		digits++;
	return digits == TAG_DIGITS;
}

/* Reads the first line of an object. Its kind is LISTING_NONE if SCAN is none. */
static struct listed scan_head(struct scan scan)
{
	struct scan type;
	struct listed listed = {};

	if (!scan_decimal(&scan, &listed.id) || !scan_literal(&scan, ": ") ||
		!scan_word(&scan, &type))
		return listed;
	if (scan_find(scan, "  flags 0x"))
		listed.kind = LISTING_MAPS;
	else if (has_tag(scan))
		listed.kind = LISTING_PROGRAMS;
	else if (scan_starts(type, "name") && scan_find(scan, "  size "))
		listed.kind = LISTING_BTF;
	else if (scan_literal(&scan, "  prog ") && scan_decimal(&scan, &listed.prog))
		listed.kind = LISTING_LINKS;
	listed.type = listing_map_type(type);
	return listed;
}

enum listing_kind listing_starts(struct scan line)
{
	return scan_head(line).kind;
}

void listing_read(struct dump *dump)
{
	scope_guard(listing_deinit) struct listing listing = {};
	struct source_line line;

	while (source_line(dump->source, &line)) {
		struct scan text = source_line_text(&line);
		struct listed listed = scan_head(text);

		if (listed.kind != LISTING_NONE) {
			auto_free char *position = source_position(dump->source, line.number);
			listing_add(&listing, &listed, position);
		} else if (line.len && *line.at != '\t') {
			source_line_back(dump->source, &line);
			break;
		}
		/* the first ID of "map_ids 25,26", which may be in any line of an object */
		text.at = scan_find(text, MAP_IDS);
		if (text.at && listing.all.len && !vec_last(&listing.all)->map &&
			scan_literal(&text, MAP_IDS))
			(void)scan_decimal(&text, &vec_last(&listing.all)->map);
	}
	listing_report(&listing, dump);
}

/* ---- maps of maps ---------------------------------------------------------------------------- */

void inner_maps_deinit(struct inner_maps *maps)
{
	vec_deinit(&maps->ids);
	free(maps->position);
	*maps = (struct inner_maps){};
}

void inner_maps_add(struct inner_maps *maps, uint64_t id, const char *position)
{
	vec_each(known, &maps->ids)
		if (*known == id)
			return;
	if (maps->ids.len == INNER_MAPS_SHOWN) {
		maps->more++;
		return;
	}
	if (!maps->position)
		maps->position = xstrdup(position);
	vec_push(&maps->ids, id);
}

void inner_maps_report(struct inner_maps *maps, struct dump *dump)
{
	struct text list = {};

	for (size_t i = 0; i < maps->ids.len; i++)
		text_printf(&list, "%s`bpftool map dump id %" PRIu64 "`", i ? ", " : "",
			maps->ids.data[i]);
	if (maps->ids.len)
		dump_warn(dump,
			"%s: the entries of this map are maps: dump those instead: %s%s (or "
			"pass the outer map to --map)",
			maps->position, list.data, maps->more ? ", …" : "");
	text_deinit(&list);
	inner_maps_deinit(maps);
}
