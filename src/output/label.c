// SPDX-License-Identifier: GPL-2.0-or-later
#include "output/label.h"

#include <stdlib.h>
#include <string.h>

#include "model/build_id.h"
#include "util/vec.h"

void label_add_reason(
	struct text *text, enum frame_status status, enum stack_state lost, int32_t error)
{
	if (status == FRAME_NAMED)
		return;
	if (status != FRAME_LOST)
		text_add_string(text, frame_status_words[status].text);
	else if (lost == STACK_ABSENT)
		text_add_string(text, "neither a user nor a kernel stack");
	else
		text_add_string(text, stack_state_words[lost].text);
	if (status == FRAME_LOST && lost == STACK_LOST_ERROR && error)
		text_printf(text, ", error %lld", llabs(error));
}

const char *label_object(const struct location *location)
{
	const struct frame_object *object = location->object;

	if (!object)
		return NULL;
	if (object->name && *object->name)
		return object->name;
	return object->path && *object->path ? object->path : NULL;
}

static bool is_bracketed(struct scan name)
{
	return scan_left(&name) > 2 && *name.at == '[' && name.end[-1] == ']';
}

struct scan label_bare(const char *name)
{
	const struct scan s = {name, name + strlen(name)};

	return is_bracketed(s) ? (struct scan){s.at + 1, s.end - 1} : s;
}

/* Returns PATH without PREFIX, or PATH itself if it does not begin with PREFIX. */
static const char *without_prefix(const char *path, const char *prefix)
{
	size_t len = strlen(prefix);
	const char *rest = path + len;

	if (!len || strncmp(path, prefix, len) || (prefix[len - 1] != '/' && *rest != '/'))
		return path;
	while (*rest == '/')
		rest++;
	return *rest ? rest : path;
}

const char *label_name(const struct frame *frame, const struct output_options *options)
{
	return frame->shown && !options->whole_names ? frame->shown : frame->function;
}

void label_end_name(struct text *text, size_t start)
{
	static const char *const marks[] = {"?", " (inlined)", "_[i]", "_[j]", "_[k]"};
	const struct scan name = {text->data + start, text->data + text->len};
	bool marked = is_bracketed(name);

	array_each(mark, marks, array_len(marks))
		marked |= scan_ends(name, *mark);
	if (marked)
		text_printf(text, "\\x%02x", (unsigned char)text->data[--text->len]);
}

const char *label_file(const char *path, const struct output_options *options)
{
	const char *slash = options->basenames ? strrchr(path, '/') : NULL, *best = path;

	if (slash && slash[1])
		return slash + 1;
	vec_each_value(path_strip, &options->path_strips) {
		const char *rest = without_prefix(path, path_strip);

		best = rest > best ? rest : best;
	}
	return best;
}

static void add_label(struct text *text, const struct location *location, uint64_t address)
{
	const char *name = label_object(location);
	struct build_id_hex hex;

	if (!name && location->object && location->object->build_id.len) {
		hex = build_id_hex(&location->object->build_id);
		name = hex.digits;
	}
	text_add_char(text, '[');
	if (location->kind == LOCATION_LOST) {
		text_add_string(text, "lost: ");
		label_add_reason(text, FRAME_LOST, location->lost, location->lost_error);
	} else if (!name) {
		text_add_string(text, "unknown");
	} else {
		/* "[vdso]" loses its brackets, since the label has its own */
		text_add_scan(text, label_bare(name));
		if (location->has_elf_address || location->has_file_offset) {
			text_add_char(text, '+');
			text_add_hex(text, address);
		}
	}
	text_add_char(text, ']');
}

void label_add(struct text *text, const struct location *location)
{
	add_label(text, location,
		location->has_elf_address ? location->elf_address : location->file_offset);
}

void label_add_function(struct text *text, const struct location *location)
{
	if (location->has_start)
		add_label(text, location, location->start);
	else
		label_add(text, location);
}
