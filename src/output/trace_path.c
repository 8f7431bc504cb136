// SPDX-License-Identifier: GPL-2.0-or-later
#include "output/trace_path.h"

#include <stdlib.h>
#include <string.h>

#include "output/folded_frame.h"
#include "util/xalloc.h"

/* limits of the cache: locations, and frame numbers of all of them */
enum { RECENT = 32768, KNOWN_MAX = 1 << 20 };

struct trace_path_recent {
	uint64_t key; /* recent_key() */
	size_t first, n;
};

void trace_path_deinit(struct trace_path *path)
{
	vec_deinit(&path->frames);
	vec_deinit(&path->known);
	free(path->recent);
	text_deinit(&path->name);
}

static void push(struct trace_path *path, const struct location *location,
	const struct frame *frame, bool kernel)
{
	uint32_t number = path->number(path->context, &path->name, location, frame, kernel);

	vec_push(&path->frames, number);
}

static void push_text(struct trace_path *path, const char *s)
{
	text_clear(&path->name);
	text_add_string(&path->name, s);
	push(path, NULL, NULL, false);
}

/*
 * Returns the cache key of LOCATION, below 4 if it cannot be cached. Uses `names`, which several
 * locations share, if the frames show nothing beyond the names.
 */
static uint64_t recent_key(const struct location *location, bool kernel)
{
	bool by_names = location->serial && location->names && !location->doubtful &&
			!location->lost_caller && !location->detail;

	return (by_names ? location->names : location->serial) * 4 + 2 * by_names + kernel;
}

/* Pushes the frames of LOCATION, root first. The location has them leaf first. */
static void push_location(struct trace_path *path, const struct location *location, bool kernel)
{
	if (path->options->mark_lost && location->lost_caller && !location->caller_guessed)
		push_text(path, "[caller lost]");
	for (size_t i = location->n_frames; i-- > 0;) {
		text_clear(&path->name);
		folded_frame_add(
			&path->name, location, &location->frames[i], kernel, path->options);
		push(path, location, &location->frames[i], kernel);
	}
}

/* Caches the frames from FIRST on for the location with KEY. */
static void keep(struct trace_path *path, uint64_t key, size_t first)
{
	size_t n = path->frames.len - first;

	if (path->known.len + n > KNOWN_MAX) {
		path->known.len = 0;
		memset(path->recent, 0, RECENT * sizeof(*path->recent));
	}
	path->recent[key / 4 % RECENT] = (struct trace_path_recent){key, path->known.len, n};
	vec_append(&path->known, path->frames.data + first, n);
}

static void push_side(
	struct trace_path *path, const struct location *const *locations, size_t n, bool kernel)
{
	for (size_t i = n; i-- > 0;) {
		uint64_t key = recent_key(locations[i], kernel);
		const struct trace_path_recent *recent = &path->recent[key / 4 % RECENT];
		size_t first = path->frames.len;

		if (key >= 4 && recent->key == key) {
			vec_append(&path->frames, path->known.data + recent->first, recent->n);
			continue;
		}
		push_location(path, locations[i], kernel);
		if (key >= 4 && !path->uncached)
			keep(path, key, first);
	}
}

bool trace_path_build(struct trace_path *path, const struct trace *trace)
{
	if (!path->recent)
		path->recent = xcalloc(RECENT, sizeof(*path->recent));
	path->frames.len = 0;
	text_clear(&path->name);
	if (folded_frame_add_prefix(&path->name, path->options->prefix, trace->sample))
		push(path, NULL, NULL, false);
	path->user = path->frames.len;
	push_side(path, trace->user, trace->n_user, false);
	if (path->options->delimited && trace->n_user && trace->n_kernel)
		push_text(path, "-");
	path->kernel = path->frames.len;
	push_side(path, trace->kernel, trace->n_kernel, true);
	if (path->frames.len)
		return true;
	push_text(path, path->none);
	return false;
}
