// SPDX-License-Identifier: GPL-2.0-or-later
#include "output/trace_path.h"

#include <stdlib.h>
#include <string.h>

#include "output/label.h"
#include "util/cleanup.h"
#include "util/folded_name.h"
#include "util/xalloc.h"

/* ---- frames ---------------------------------------------------------------------------------- */

bool folded_frame_add_prefix(
	struct text *text, enum output_prefix prefix, const struct sample *sample)
{
	const long long pid = sample->pid, tid = sample->tid;
	const bool with_tid = prefix == OUTPUT_PREFIX_TID && tid >= 0;
	size_t start = text->len;

	if (prefix == OUTPUT_PREFIX_NONE)
		return false;
	if (sample->comm)
		folded_name_add_part(text, sample->comm, strlen(sample->comm));
	if (text->len > start) {
		/* "-12" or "-12/13", without unknown IDs; "?" replaces an unknown PID before a TID */
		if (prefix != OUTPUT_PREFIX_COMM && pid >= 0) {
			text_add_char(text, '-');
			text_add_decimal(text, (uint64_t)pid);
		} else if (with_tid) {
			text_add_string(text, "-?");
		}
		if (with_tid)
			text_printf(text, "/%lld", tid);
	} else if (pid >= 0 && with_tid) {
		text_printf(text, "[pid %lld/%lld]", pid, tid);
	} else if (pid >= 0) {
		text_printf(text, "[pid %lld]", pid);
	} else if (tid >= 0) {
		text_printf(text, "[tid %lld]", tid);
	} else {
		return false;
	}
	folded_name_end(text, start);
	return true;
}

/* Adds AT to TEXT, which is empty, and sets its mark. */
static void folded_frame_add(
	struct text *text, struct path_frame *at, const struct output_options *options)
{
	const struct location *location = at->location;
	const struct frame *frame = at->frame;
	const char *name = label_name(frame, options);
	const char *object = options->with_objects ? label_object(location) : NULL;

	if (name)
		folded_name_add_part(text, name, strlen(name));
	bool named = text->len;
	if (named && name == frame->shown)
		at->mark = mark_find(text->data);
	if (named && location->status == FRAME_NAMED)
		label_end_name(text, 0);
	if (named && frame->qualifier) {
		text_add_char(text, ' ');
		folded_name_add_part(text, frame->qualifier, strlen(frame->qualifier));
	}
	if (!named) {
		auto_text struct text label = {};

		label_add_function(&label, location);
		folded_name_add_part(text, label.data, label.len);
	}
	if (location->doubtful)
		text_add_char(text, '?');
	if (options->with_lines && frame->file && *frame->file) {
		const char *file = label_file(frame->file, options);

		text_add_char(text, ':');
		folded_name_add_part(text, file, strlen(file));
		if (frame->line)
			text_printf(text, ":%u", frame->line);
	}
	if (named && object) {
		const struct scan bare = label_bare(object);

		text_add_string(text, " [");
		folded_name_add_part(text, bare.at, scan_left(&bare));
		text_add_char(text, ']');
	}
	if (options->annotations)
		text_add_string(text, frame->inlined		       ? "_[i]"
				      : at->kernel		       ? "_[k]"
				      : location->kind == LOCATION_JIT ? "_[j]"
								       : "");
	folded_name_end(text, 0);
}

/* ---- paths ----------------------------------------------------------------------------------- */

/* limits of the cache: locations, and frame numbers of all of them */
enum { RECENT = 1 << 17, KNOWN_MAX = 1 << 20 };
/* Numbers that are copied at once: most locations have no more. */
enum { FEW = 4 };

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

static void push(struct trace_path *path, struct path_frame frame)
{
	vec_push(&path->frames, path->number(path->context, &path->name, &frame));
}

static void push_text(struct trace_path *path, const char *s)
{
	text_clear(&path->name);
	text_add_string(&path->name, s);
	push(path, (struct path_frame){});
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
	vec_reserve(&path->known, FEW);
}

/*
 * Pushes the frames of the outermost of N locations, as far as they are cached. Returns how many
 * locations are left.
 */
static size_t push_known(
	struct trace_path *path, const struct location *const *locations, size_t n, bool kernel)
{
	for (; n; n--) {
		uint64_t key = recent_key(locations[n - 1], kernel);
		const struct trace_path_recent *recent = &path->recent[key / 4 % RECENT];

		if (key < 4 || recent->key != key)
			break;
		const uint32_t *from = path->known.data + recent->first;
		vec_reserve(&path->frames, recent->n + FEW);
		uint32_t *to = path->frames.data + path->frames.len;
		memcpy(to, from, FEW * sizeof(*to));
		if (recent->n > FEW)
			memcpy(to, from, recent->n * sizeof(*to));
		path->frames.len += recent->n;
	}
	return n;
}

static void push_side(
	struct trace_path *path, const struct location *const *locations, size_t n, bool kernel)
{
	while ((n = push_known(path, locations, n, kernel))) {
		const struct location *location = locations[--n];
		uint64_t key = recent_key(location, kernel);
		size_t first = path->frames.len;

		if (path->options->mark_lost && location->lost_caller && !location->caller_guessed)
			push_text(path, "[caller lost]");
		/* root first; the location has its frames leaf first */
		for (size_t i = location->n_frames; i-- > 0;) {
			struct path_frame at = {.location = location,
				.frame = &location->frames[i],
				.kernel = kernel};

			text_clear(&path->name);
			folded_frame_add(&path->name, &at, path->options);
			push(path, at);
		}
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
		push(path, (struct path_frame){});
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
