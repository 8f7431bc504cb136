// SPDX-License-Identifier: GPL-2.0-or-later
#include "door/mountinfo.h"

#include <string.h>

#include "util/scan.h"
#include "util/text.h"
#include "util/vec.h"

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

void mountinfo_unescape(char *s)
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
	mountinfo_unescape(path);
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

/* Returns true for a bind mount whose origin was unlinked: the path ROOT no longer exists. */
static bool is_deleted(const char *root)
{
	return text_ends_with(root, "//deleted");
}

size_t mountinfo_parse(const char *text, size_t len, struct mountinfo *ret)
{
	struct scan all = {text, text ? text + len : text}, line;
	size_t odd = 0;

	while (ret->mounts.len < MOUNTS_MAX && scan_line(&all, &line)) {
		struct mount mount;

		if (!memchr(line.at, '\0', scan_left(&line)) &&
			parse_line(line, &ret->strings, &mount) && !is_deleted(mount.root))
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
