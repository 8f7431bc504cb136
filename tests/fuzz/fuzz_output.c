// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Traces full of strings from outside, in every format: the first byte selects options, the rest
 * is cut at newlines into comm, functions, files, objects and details.
 */
#include "../unit/output_check.h"
#include "../unit/output_fixture.h"
#include "output/fidelity.h"
#include "util/cleanup.h"

enum { FRAMES = 8 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(bool holds)
{
	if (!holds)
		abort();
}

static const char *next_string(char **at, char *end)
{
	char *s = *at, *newline = memchr(s, '\n', (size_t)(end - s));

	*at = newline ? newline + 1 : end;
	if (newline)
		*newline = '\0';
	return s;
}

static void make_trace(struct fixture *f, struct frame_object objects[FRAMES], char *at, char *end)
{
	fixture_init(f, next_string(&at, end), (uint64_t)(end - at));
	for (size_t i = 0; at < end && i < FRAMES; i++) {
		const char *function = next_string(&at, end);
		struct location *location =
			fixture_add(f, i % LOCATION_LOST, i % 2, *function ? function : NULL);

		f->frames[i].file = next_string(&at, end);
		f->frames[i].line = (uint32_t)i;
		objects[i] = (struct frame_object){.path = next_string(&at, end)};
		objects[i].name = objects[i].path;
		location->object = &objects[i];
		location->has_elf_address = true;
		location->detail = next_string(&at, end);
		if (!*function)
			location->status = 1 + i % (FRAME_STATUS_COUNT - 2);
	}
}

/* The data is one JSON value, and nothing of it begins a tag. */
static void check_page(const char *s)
{
	struct scan page = {s, s + strlen(s)}, line;
	scope_guard(text_deinit) struct text json = {};
	bool inside = false;

	while (scan_line(&page, &line)) {
		if (inside && *line.at == '<')
			break;
		if (inside)
			text_add(&json, line.at, scan_left(&line));
		inside |= scan_literal(&line, "<script type=\"application/json\"");
	}
	require(scan_literal(&line, "</script>") && line.at == line.end);
	struct scan value = {json.data, json.data + json.len};
	require(json_value(&value, 8) && value.at == value.end);
	require(!strpbrk(json.data, "<>&"));
}

static void check_picture(const char *s)
{
	bool inside = false;

	for (; *s; s++) {
		require(*s == '\n' || ((unsigned char)*s >= 0x20 && *s != 0x7f));
		require(*s != '<' || !inside);
		require(*s != '>' || inside);
		inside = *s == '<' || (inside && *s != '>');
	}
	require(!inside);
}

static void check_text(enum output_format format, const char *s)
{
	struct scan lines = {s, s + strlen(s)}, line;

	if (format == OUTPUT_FLAMEGRAPH) {
		check_page(s);
		return;
	}
	if (format == OUTPUT_SVG)
		check_picture(s);

	if (format == OUTPUT_JSON)
		require(json_lines_valid(s, strlen(s)));
	for (const char *c = s; *c; c++)
		require(*c == '\n' || ((unsigned char)*c >= 0x20 && *c != 0x7f));
	while (format == OUTPUT_FOLDED && scan_line(&lines, &line)) {
		size_t stack = folded_cut_number(line.at, scan_left(&line));

		require(stack && !folded_cut_number(line.at, stack));
		require(line.at[0] != ';' && line.at[stack - 1] != ';');
	}
}

static void check_fidelity(struct fixture *f)
{
	struct summary *summary = summary_create();
	const struct fidelity_options options = {.weighted = true, .hint = true};
	scope_guard(text_deinit) struct text line = {};

	f->sample.weight_name = f->sample.comm;
	summary_count(summary, &f->trace, false);
	fidelity_add(&line, summary, &options);
	for (size_t i = 0; i < line.len; i++)
		require((unsigned char)line.data[i] >= 0x20 && line.data[i] != 0x7f);
	summary_destroy(summary);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct frame_object objects[FRAMES];
	struct fixture f;

	if (!size)
		return 0;
	auto_free char *copy = xstrndup((const char *)data, size);
	make_trace(&f, objects, copy + (size > 1 && *copy), copy + strlen(copy));
	struct output_options options = {.prefix = data[0] & 3,
		.delimited = data[0] & 4,
		.annotations = data[0] & 8,
		.with_lines = data[0] & 16,
		.with_objects = data[0] & 32,
		.basenames = data[0] & 64,
		.why = data[0] & 128};
	for (int format = OUTPUT_FOLDED; format <= OUTPUT_SPEEDSCOPE; format++) {
		options.format = (enum output_format)format;
		auto_free char *printed = fixture_print_one(&options, &f);
		check_text(options.format, printed);
	}
	check_fidelity(&f);
	return 0;
}
