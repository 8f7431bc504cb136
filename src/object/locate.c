// SPDX-License-Identifier: GPL-2.0-or-later
#include "object/locate.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/sysmacros.h>

#include "object/finder.h"
#include "process/mountinfo.h"
#include "process/procfs.h"
#include "util/cleanup.h"
#include "util/file.h"
#include "util/scan.h"

/* What makes two descriptors the same unchanged file. */
struct file_key {
	uint64_t dev, inode, size;
	int64_t mtime_s, mtime_ns, ctime_s, ctime_ns;
};

struct elf_image *image_of_fd(
	struct object_cache *cache, int fd_taken, const char *path, struct error **error_ret)
{
	auto_fd int fd = fd_taken;
	struct stat st;
	bool added;

	if (fstat(fd, &st) < 0) {
		*error_ret = error_errno(errno, "%s", path);
		return NULL;
	}
	struct file_key key = {st.st_dev, st.st_ino, (uint64_t)st.st_size, st.st_mtim.tv_sec,
		st.st_mtim.tv_nsec, st.st_ctim.tv_sec, st.st_ctim.tv_nsec};
	uint64_t *index = table_at(&cache->image_by_file, &key, sizeof(key), &added);
	if (added) {
		struct elf_image *image = NULL;

		*error_ret = elf_image_open(take_fd(fd), path, &image);
		*index = cache->images.len;
		vec_push(&cache->images, image);
	} else if (!cache->images.data[*index]) {
		*error_ret = error_create(ERROR_INPUT, "%s: not a readable ELF file", path);
	}
	return cache->images.data[*index];
}

/* The device number that maps shows for files of FD's mount: not st_dev on overlay and btrfs. */
static bool mount_device(const struct space *space, const struct finder *finder, int fd,
	uint32_t *major_ret, uint32_t *minor_ret)
{
	struct text info = {}, mounts = {};
	char name[32];
	bool found = false;
	uint64_t id = 0;

	snprintf(name, sizeof(name), "/proc/self/fdinfo/%d", fd);
	if (!procfs_read(AT_FDCWD, name, &info) && info.len) {
		const char *line = strstr(info.data, "mnt_id:\t");
		struct scan s = {line ? line + strlen("mnt_id:\t") : "", info.data + info.len};

		int err = !line || !scan_decimal(&s, &id)   ? -ENOENT
			  : finder->foreign_mount ? procfs_read(space->dir_fd, "mountinfo", &mounts)
						  : procfs_read(AT_FDCWD, "/proc/self/mountinfo",
							    &mounts);
		found = !err && mounts.len &&
			mountinfo_device(mounts.data, mounts.len, id, major_ret, minor_ret);
	}
	text_deinit(&info);
	text_deinit(&mounts);
	return found;
}

/* Without a build ID the file is the mapped one if inode and device are. */
static bool same_inode(const struct space *space, const struct mapping *mapping,
	const struct finder *finder, int fd)
{
	uint32_t dev_major, dev_minor;
	struct stat st;

	if (fstat(fd, &st) < 0 || st.st_ino != mapping->inode)
		return false;
	if (space->life && !recorded_life_is_file(space->life, mapping, &st))
		return false;
	if (finder->certain || (major(st.st_dev) == mapping->dev_major &&
				       minor(st.st_dev) == mapping->dev_minor))
		return true;
	return mount_device(space, finder, fd, &dev_major, &dev_minor) &&
	       dev_major == mapping->dev_major && dev_minor == mapping->dev_minor;
}

static void note_tried(struct text *tried, const char *finder, const char *answer)
{
	text_printf(tried, "%s%s: %s", tried->len ? "; " : "", finder, answer);
}

static enum frame_status status_of_errno(int err)
{
	return err == EACCES || err == EPERM ? FRAME_FILE_DENIED : FRAME_FILE_ABSENT;
}

/* The worst that was met is what the user hears: a wrong file, then a denied one, then none. */
static int status_rank(enum frame_status status)
{
	return status == FRAME_FILE_WRONG     ? 3
	       : status == FRAME_FILE_BROKEN  ? 2
	       : status == FRAME_FILE_DENIED  ? 1
					      : 0;
}

/* One finder's answer: FRAME_NAMED with ret->image set, or why not. */
static enum frame_status try_finder(struct object_cache *cache, const struct finder *finder,
	const struct space *space, const struct mapping *mapping, struct location_result *ret)
{
	auto_error struct error *error = NULL;
	int fd = finder->open(space, mapping);

	if (fd < 0) {
		note_tried(&ret->tried, finder->name,
			fd == -EINVAL ? "not a regular file" : strerror(-fd));
		return status_of_errno(-fd);
	}
	bool same = same_inode(space, mapping, finder, fd);
	struct elf_image *image = image_of_fd(cache, fd, mapping->path, &error);
	if (image && ret->build_id.len)
		same = build_id_equal(&image->build_id, &ret->build_id);
	if (!same) {
		note_tried(&ret->tried, finder->name, "another file");
		return FRAME_FILE_WRONG;
	}
	if (!image) {
		note_tried(&ret->tried, finder->name, error_message(error));
		return FRAME_FILE_BROKEN;
	}
	ret->image = image;
	return FRAME_NAMED;
}

void locate_mapping(struct object_cache *cache, const struct space *space,
	const struct mapping *mapping, struct location_result *ret)
{
	*ret = (struct location_result){.status = FRAME_FILE_ABSENT};
	if (mapping->build_id)
		ret->build_id = *mapping->build_id;
	else
		(void)space_build_id(space, mapping->start, &ret->build_id);
	for (const struct finder *finder = finders; finder->name; finder++) {
		if (space->life && !finder->by_path)
			continue;
		enum frame_status status = try_finder(cache, finder, space, mapping, ret);

		if (status == FRAME_NAMED || status_rank(status) > status_rank(ret->status))
			ret->status = status;
		if (status == FRAME_NAMED)
			break;
	}
	if (ret->image && ret->image->build_id.len)
		ret->build_id = ret->image->build_id;
}
