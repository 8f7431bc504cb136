// SPDX-License-Identifier: GPL-2.0-or-later
#include "door/overlay.h"

#include <stdbool.h>
#include <string.h>
#include <sys/stat.h>

#include "door/mountinfo.h"
#include "util/cleanup.h"
#include "util/text.h"
#include "util/xalloc.h"

enum { LAYERS_MAX = 500 }; /* OVL_MAX_STACK, fs/overlayfs/params.h */

void overlay_deinit(struct overlay *overlay)
{
	vec_destroy(&overlay->layers, free);
}

static void add_layer(struct overlay *overlay, struct text *path)
{
	if (path->len && overlay->layers.len < LAYERS_MAX)
		vec_push(&overlay->layers, text_take(path));
	text_clear(path);
}

/* Adds the first character of S, which a backslash may escape. Returns the rest of S. */
static const char *add_unescaped(struct text *path, const char *s)
{
	if (*s == '\\' && s[1])
		s++;
	text_add_char(path, *s);
	return s + 1;
}

/* Adds the layers of "/top:/middle:/bottom::/data". Those after "::" are data-only (Linux 6.5). */
static void add_lower_list(struct overlay *overlay, const char *list)
{
	auto_text struct text path = {};
	bool data = false;

	for (const char *s = list; *s;) {
		if (*s != ':') {
			s = add_unescaped(&path, s);
			continue;
		}
		overlay->n_data += data && path.len;
		add_layer(overlay, &path);
		data = data || s[1] == ':';
		s += s[1] == ':' ? 2 : 1;
	}
	overlay->n_data += data && path.len;
	add_layer(overlay, &path);
}

/* Adds the upper layer on top of the others, whatever the order of the options. */
static void add_upper(struct overlay *overlay, const char *value)
{
	auto_text struct text path = {};
	size_t before = overlay->layers.len;

	while (*value)
		value = add_unescaped(&path, value);
	add_layer(overlay, &path);
	if (overlay->layers.len == before || !before)
		return;
	char **layers = overlay->layers.data, *upper = layers[before];
	memmove(layers + 1, layers, before * sizeof(*layers));
	layers[0] = upper;
}

static void add_option(struct overlay *overlay, char *option)
{
	char *value = strchr(option, '=');

	if (!value)
		return;
	*value++ = '\0';
	mountinfo_unescape(value);
	if (!strcmp(option, "lowerdir")) {
		add_lower_list(overlay, value);
	} else if (!strcmp(option, "lowerdir+") || !strcmp(option, "datadir+")) {
		/* set by fsconfig(2), one layer per option and without escapes (Linux 6.7) */
		auto_text struct text path = {};

		text_add_string(&path, value);
		add_layer(overlay, &path);
		overlay->n_data += *option == 'd';
	} else if (!strcmp(option, "upperdir")) {
		add_upper(overlay, value);
	}
}

/* Commas within values are escaped by the kernel, so the others separate options. */
void overlay_parse(const char *options, struct overlay *ret)
{
	auto_free char *copy = xstrdup(options);
	char *rest = NULL;

	for (char *option = strtok_r(copy, ",", &rest); option; option = strtok_r(NULL, ",", &rest))
		add_option(ret, option);
	if (ret->n_data > ret->layers.len)
		ret->n_data = ret->layers.len;
}

static bool is_directory(const char *path)
{
	struct stat st;

	return !stat(path, &st) && S_ISDIR(st.st_mode);
}

/*
 * Returns the first directory RELATIVE below a parent of ABSOLUTE, innermost parent first,
 * malloc'ed, or NULL. Skips ABSOLUTE itself, because its content belongs to the container.
 */
static char *search_above(const char *absolute, const char *relative)
{
	auto_free char *dir = xstrdup(absolute);

	for (char *slash; (slash = strrchr(dir, '/'));) {
		*slash = '\0';
		auto_free char *path = xasprintf("%s/%s", dir, relative);

		if (is_directory(path))
			return take(path);
	}
	return NULL;
}

char *overlay_layer_path(const struct overlay *overlay, size_t number)
{
	const char *layer = overlay->layers.data[number];
	char *path = NULL;

	if (*layer == '/')
		return xstrdup(layer);
	for (size_t i = 0; !path && i < overlay->layers.len; i++)
		if (*overlay->layers.data[i] == '/')
			path = search_above(overlay->layers.data[i], layer);
	return path;
}
