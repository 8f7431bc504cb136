// SPDX-License-Identifier: GPL-2.0-or-later
#include "door/mountinfo.h"

#include <string.h>
#include <sys/stat.h>

#include "util/cleanup.h"
#include "util/scan.h"
#include "util/text.h"
#include "util/xalloc.h"

/* more than any host has: fs.mount-max allows 100,000 per namespace by default */
enum { MOUNTS_MAX = 1 << 20 };

void mountinfo_deinit(struct mountinfo *mountinfo)
{
	vec_deinit(&mountinfo->mounts);
	arena_deinit(&mountinfo->strings);
}

/* Replaces the octal escapes of procfs (such as \040) in S, in place. */
static void unescape(char *s)
{
	char *to = s;

	for (const char *from = s; *from; to++) {
		int byte = 0;

		if (*from == '\\' && strspn(from + 1, "01234567") >= 3)
			byte = (from[1] - '0') * 64 + (from[2] - '0') * 8 + from[3] - '0';
		bool escaped = byte > 0 && byte < 256;
		*to = escaped ? (char)byte : *from;
		from += escaped ? 4 : 1;
	}
	*to = '\0';
}

/* Returns a copy of the word after a blank, or NULL if there is none. */
static char *parse_word(struct scan *s, struct arena *strings)
{
	struct scan word;

	return scan_char(s, ' ') && scan_word(s, &word)
		       ? arena_copy(strings, word.at, scan_left(&word))
		       : NULL;
}

static char *parse_path(struct scan *s, struct arena *strings)
{
	char *path = parse_word(s, strings);

	if (!path || *path != '/')
		return NULL;
	unescape(path);
	return path;
}

/*
 * Parses a line such as
 *
 *     36 35 0:39 /root /mnt rw,noatime master:1 - overlay overlay rw,lowerdir=/a:/b
 *     (1)(2)(3)  (4)   (5)  (6)        (7)     (8)(9)     (10)    (11)
 *
 * mount ID, parent, device major:minor (decimal here, hexadecimal in maps), root, mount point,
 * options, optional fields (none or several), hyphen, type, source, super options
 *
 * Adds the mount, unless the origin of a bind mount was unlinked: its path no longer exists.
 */
static bool parse_line(struct scan s, struct mountinfo *ret)
{
	struct arena *strings = &ret->strings;
	uint64_t id, parent, major, minor;
	struct scan word;

	if (!scan_decimal(&s, &id) || !scan_char(&s, ' ') || !scan_decimal(&s, &parent) ||
		!scan_char(&s, ' ') || !scan_decimal(&s, &major) || !scan_char(&s, ':') ||
		!scan_decimal(&s, &minor) || major > UINT32_MAX || minor > UINT32_MAX)
		return false;
	const char *root = parse_path(&s, strings), *point = parse_path(&s, strings);
	if (!root || !point)
		return false;
	do {
		if (!scan_char(&s, ' ') || !scan_word(&s, &word))
			return false;
	} while (!scan_equals(word, "-"));
	const char *type = parse_word(&s, strings);
	if (!type)
		return false;
	/* An empty source leaves two spaces (fs/proc_namespace.c, show_mountinfo). */
	const char *source = parse_word(&s, strings), *options = parse_word(&s, strings);
	if (text_ends_with(root, "//deleted"))
		return false;
	vec_push(&ret->mounts, (struct mount){id, (uint32_t)major, (uint32_t)minor, root, point,
				       type, source ? source : "", options ? options : ""});
	return true;
}

size_t mountinfo_parse(const char *text, size_t len, struct mountinfo *ret)
{
	struct scan all = {text, text ? text + len : text}, line;
	size_t odd = 0;

	while (ret->mounts.len < MOUNTS_MAX && scan_line(&all, &line))
		if (memchr(line.at, '\0', scan_left(&line)) || !parse_line(line, ret))
			odd++;
	return odd;
}

const char *mountinfo_type(
	const struct mountinfo *mountinfo, uint32_t dev_major, uint32_t dev_minor)
{
	vec_each(mount, &mountinfo->mounts)
		if (mount_is_on(mount, dev_major, dev_minor))
			return mount->type;
	return "";
}

const struct mount *mountinfo_by_id(const struct mountinfo *mountinfo, uint64_t id)
{
	vec_each(mount, &mountinfo->mounts)
		if (mount->id == id)
			return mount;
	return NULL;
}

const char *mountinfo_below(const char *path, const char *dir)
{
	size_t len = strlen(dir);

	if (len && dir[len - 1] == '/')
		len--;
	if (strncmp(path, dir, len) || (path[len] && path[len] != '/'))
		return NULL;
	path += len;
	while (*path == '/')
		path++;
	return path;
}

/* ---- overlays -------------------------------------------------------------------------------- */

enum { LAYERS_MAX = 500 }; /* OVL_MAX_STACK, fs/overlayfs/params.h */

void overlay_deinit(struct overlay *overlay)
{
	vec_destroy(&overlay->layers, free);
}

/* Adds PATH, unless it is empty, and empties it. DATA: the layer is data-only. */
static void add_layer(struct overlay *overlay, struct text *path, bool data)
{
	overlay->n_data += data && path->len;
	if (path->len && overlay->layers.len < LAYERS_MAX)
		vec_push(&overlay->layers, text_take(path));
	text_clear(path);
}

/*
 * Adds the layer S, in which a backslash escapes a character. LIST: adds the layers of
 * "/top:/middle:/bottom::/data". Those after "::" are data-only (Linux 6.5).
 */
static void add_layers(struct overlay *overlay, const char *s, bool list)
{
	auto_text struct text path = {};
	bool data = false;

	while (*s) {
		if (list && *s == ':') {
			add_layer(overlay, &path, data);
			size_t colons = strspn(s, ":");
			data |= colons > 1;
			s += colons;
			continue;
		}
		if (*s == '\\' && s[1])
			s++;
		text_add_char(&path, *s++);
	}
	add_layer(overlay, &path, data);
}

/* Commas within values are escaped by the kernel, so the others separate options. */
void overlay_parse(const char *options, struct overlay *ret)
{
	auto_free char *copy = xstrdup(options);
	char *rest = NULL;

	for (char *option = strtok_r(copy, ",", &rest); option;
		option = strtok_r(NULL, ",", &rest)) {
		char *value = strchr(option, '=');

		if (!value)
			continue;
		*value++ = '\0';
		unescape(value);
		if (!strcmp(option, "lowerdir")) {
			add_layers(ret, value, true);
		} else if (!strcmp(option, "lowerdir+") || !strcmp(option, "datadir+")) {
			/* set by fsconfig(2), one layer per option and without escapes (Linux 6.7) */
			auto_text struct text path = {};

			text_add_string(&path, value);
			add_layer(ret, &path, *option == 'd');
		} else if (!strcmp(option, "upperdir")) {
			/* on top of the others, whatever the order of the options */
			size_t before = ret->layers.len;

			add_layers(ret, value, false);
			if (ret->layers.len == before)
				continue;
			char **layers = ret->layers.data, *upper = layers[before];
			memmove(layers + 1, layers, before * sizeof(*layers));
			layers[0] = upper;
		}
	}
	if (ret->n_data > ret->layers.len)
		ret->n_data = ret->layers.len;
}

/*
 * Returns the first directory RELATIVE below a parent of ABSOLUTE, innermost parent first,
 * malloc'ed, or NULL. Skips ABSOLUTE itself, because its content belongs to the container.
 */
static char *search_above(const char *absolute, const char *relative)
{
	auto_free char *dir = xstrdup(absolute);
	struct stat st;

	for (char *slash; (slash = strrchr(dir, '/'));) {
		*slash = '\0';
		auto_free char *path = xasprintf("%s/%s", dir, relative);

		if (!stat(path, &st) && S_ISDIR(st.st_mode))
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
