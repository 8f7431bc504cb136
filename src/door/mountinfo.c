// SPDX-License-Identifier: GPL-2.0-or-later
#include "door/mountinfo.h"

#include <stdbool.h>
#include <string.h>
#include <sys/stat.h>

#include "util/cleanup.h"
#include "util/scan.h"
#include "util/text.h"
#include "util/vec.h"
#include "util/xalloc.h"

/* more than any host has: fs.mount-max allows 100,000 per namespace by default */
enum { MOUNTS_MAX = 1 << 20 };

void mountinfo_deinit(struct mountinfo *mountinfo)
{
	vec_deinit(&mountinfo->mounts);
	arena_deinit(&mountinfo->strings);
}

static int octal_digit(char c)
{
	return c >= '0' && c <= '7' ? c - '0' : -1;
}

/* Returns the byte that three octal digits at S give, from 1 to 255, or -1 if there are none. */
static int octal_byte(const char *s)
{
	int value = 0;

	for (size_t i = 0; i < 3; i++) {
		if (octal_digit(s[i]) < 0)
			return -1;
		value = value * 8 + octal_digit(s[i]);
	}
	return value > 0 && value < 256 ? value : -1;
}

/* Replaces the octal escapes of procfs (such as \040) in S, in place. */
static void unescape(char *s)
{
	char *to = s;

	for (const char *from = s; *from; to++) {
		int byte = *from == '\\' ? octal_byte(from + 1) : -1;

		*to = byte < 0 ? *from : (char)byte;
		from += byte < 0 ? 1 : 4;
	}
	*to = '\0';
}

static bool parse_word(struct scan *s, struct arena *strings, const char **ret)
{
	struct scan word;

	if (!scan_char(s, ' ') || !scan_word(s, &word))
		return false;
	*ret = arena_copy(strings, word.at, scan_left(&word));
	return true;
}

static bool parse_path(struct scan *s, struct arena *strings, const char **ret)
{
	struct scan word;

	if (!scan_char(s, ' ') || !scan_word(s, &word) || *word.at != '/')
		return false;
	char *path = arena_copy(strings, word.at, scan_left(&word));
	unescape(path);
	*ret = path;
	return true;
}

static bool parse_numbers(struct scan *s, struct mount *ret)
{
	uint64_t parent, major, minor;

	if (!scan_decimal(s, &ret->id) || !scan_char(s, ' ') || !scan_decimal(s, &parent) ||
		!scan_char(s, ' ') || !scan_decimal(s, &major) || !scan_char(s, ':') ||
		!scan_decimal(s, &minor) || major > UINT32_MAX || minor > UINT32_MAX)
		return false;
	ret->dev_major = (uint32_t)major;
	ret->dev_minor = (uint32_t)minor;
	return true;
}

/* Skips the mount options and the optional fields, including the hyphen that ends them. */
static bool skip_to_hyphen(struct scan *s)
{
	struct scan word;

	while (scan_char(s, ' ') && scan_word(s, &word))
		if (scan_left(&word) == 1 && *word.at == '-')
			return true;
	return false;
}

/*
 * Parses a line such as
 *
 *     36 35 0:39 /root /mnt rw,noatime master:1 - overlay overlay rw,lowerdir=/a:/b
 *     (1)(2)(3)  (4)   (5)  (6)        (7)     (8)(9)     (10)    (11)
 *
 * mount ID, parent, device major:minor (decimal here, hexadecimal in maps), root, mount point,
 * options, optional fields (none or several), hyphen, type, source, super options
 */
static bool parse_line(struct scan s, struct arena *strings, struct mount *ret)
{
	struct mount mount = {.source = "", .options = ""};

	if (!parse_numbers(&s, &mount) || !parse_path(&s, strings, &mount.root) ||
		!parse_path(&s, strings, &mount.point) || !skip_to_hyphen(&s) ||
		!parse_word(&s, strings, &mount.type))
		return false;
	/* An empty source leaves two spaces (fs/proc_namespace.c, show_mountinfo). */
	(void)parse_word(&s, strings, &mount.source);
	(void)parse_word(&s, strings, &mount.options);
	*ret = mount;
	return true;
}

size_t mountinfo_parse(const char *text, size_t len, struct mountinfo *ret)
{
	struct scan all = {text, text ? text + len : text}, line;
	size_t odd = 0;

	while (ret->mounts.len < MOUNTS_MAX && scan_line(&all, &line)) {
		struct mount mount;

		/* the origin of a bind mount was unlinked: its path no longer exists */
		if (!memchr(line.at, '\0', scan_left(&line)) &&
			parse_line(line, &ret->strings, &mount) &&
			!text_ends_with(mount.root, "//deleted"))
			vec_push(&ret->mounts, mount);
		else
			odd++;
	}
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
	unescape(value);
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
