// SPDX-License-Identifier: GPL-2.0-or-later
#include "object/identity.h"

#include <fcntl.h>
#include <linux/magic.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

#include "door/writers.h"
#include "model/build_id.h"
#include "process/procfs.h"
#include "util/cleanup.h"
#include "util/vec.h"

#define HEADERS 4096 /* bytes: ELF header, program headers, and the notes after them */

/*
 * Returns true if two inode numbers are the same but for the number of the layer, which overlays of
 * several file systems put into the upper bits (xino, fs/overlayfs/inode.c, ovl_map_ino).
 */
static bool same_layer_inode(uint64_t mapped, uint64_t inode)
{
	const uint64_t low = UINT64_MAX >> 8;

	return mapped == inode || (mapped > low && inode <= low && (mapped & low) == inode);
}

bool identity_same_inode(const struct search *search, int fd, enum proof proof)
{
	const struct mapping *mapping = search->mapping;
	const struct mount *mount = NULL;
	struct statx stx;
	struct stat st;

	if (!mapping || fstat(fd, &st) < 0)
		return false;
	if (search->space->record && !process_record_is_file(search->space->record, mapping, &st))
		return false;
	if (proof == PROOF_LAYER && !mapping->deleted)
		return same_layer_inode(mapping->inode, st.st_ino);
	if (st.st_ino != mapping->inode)
		return false;
	/* Mount IDs are unique over all mount namespaces (Linux 5.8). */
	if (!statx(fd, "", AT_EMPTY_PATH, STATX_MNT_ID, &stx) && stx.stx_mask & STATX_MNT_ID)
		mount = mountinfo_by_id(search->here, stx.stx_mnt_id)
				?: mountinfo_by_id(space_mounts(search->space), stx.stx_mnt_id);
	/* Deleted files in different layers of an overlay may share an inode number. */
	if (mount && mount_is_on(mount, mapping->dev_major, mapping->dev_minor))
		return !mapping->deleted || strcmp(mount->type, "overlay") != 0;
	return major(st.st_dev) == mapping->dev_major && minor(st.st_dev) == mapping->dev_minor;
}

static bool same_headers(const struct space *space, const struct maps *maps,
	const struct mapping *mapping, const struct elf_image *image)
{
	const struct mapping *first = NULL;
	const uint8_t *file = elf_image_raw(image, 0, HEADERS);

	/* the mapping of the file's first page that is closest below MAPPING */
	for (size_t i = mapping->inode ? maps->len : 0; !first && i-- > 0;) {
		const struct mapping *at = &maps->data[i];

		if (at->start <= mapping->start && !at->file_offset &&
			mapping_same_file(at, mapping))
			first = at;
	}
	if (!first || first->writable || !file)
		return true;
	auto_free char *memory = space_memory(space, first->start, first->start + HEADERS);
	if (!memory || !memcmp(memory, file, HEADERS))
		return true;
	/*
	 * If another file has been mapped there since, the difference proves nothing. On an overlay
	 * it counts anyway, because the mapped file cannot be told from its copy.
	 */
	return !identity_may_be_copied_up(image) && !space_still_maps(space, first);
}

bool identity_same_headers(
	const struct space *space, const struct mapping *mapping, const struct elf_image *image)
{
	scope_guard(arena_deinit) struct arena strings = {};
	struct maps now = {};

	if (!space->record)
		return same_headers(space, &space->maps, mapping, image);
	/* Recordings have only executable mappings, so compare with the current maps. */
	if (space_dir(space) < 0 || procfs_maps(space_dir(space), &strings, &now, NULL))
		return true;
	const struct mapping *at = maps_find(&now, mapping->start);
	bool same =
		!at || strcmp(at->path, mapping->path) != 0 || same_headers(space, &now, at, image);
	vec_deinit(&now);
	return same;
}

bool identity_may_be_copied_up(const struct elf_image *image)
{
	return image->fs_type == OVERLAYFS_SUPER_MAGIC;
}

enum provenance identity_provenance(const struct search *search, const struct elf_image *image)
{
	static const char *const owned[] = {"", "root"};
	int dir = search->space ? space_dir(search->space) : -1;
	struct writers writers = image->writers;

	writers_join(&writers, search->links);
	enum provenance best = rule_provenance(&writers, NULL, search->base);
	for (size_t i = 0; dir >= 0 && best == PROVENANCE_USER && i < array_len(owned); i++) {
		const struct writers theirs = writers_of_directory(dir, owned[i]);

		best = rule_provenance(&writers, &theirs, NULL);
	}
	return best;
}

enum evidence identity_verify(const struct search *search, const struct elf_image *image,
	enum proof proof, bool same_inode)
{
	/* opened through the kernel's link to the mapped file, now or at recording time */
	bool by_link = proof == PROOF_LINK || proof == PROOF_KEPT;
	bool same = by_link || same_inode;
	bool copy = proof == PROOF_COPY || proof == PROOF_FILED;

	if (!search->build_id.len || (!image->build_id.len && by_link)) {
		/* A copy-up by overlayfs makes both unreliable, so compare the headers in memory. */
		if (!same || !identity_same_headers(search->space, search->mapping, image))
			return EVIDENCE_PATH;
		return by_link ? EVIDENCE_LINK : EVIDENCE_NUMBER;
	}
	if (!build_id_matches(&image->build_id, &search->build_id))
		return proof == PROOF_FILED ? EVIDENCE_NONE : EVIDENCE_PATH;
	/* The build ID may have been copied into another file. */
	bool may_differ = search->space && (same ? identity_may_be_copied_up(image) : !copy);
	if (may_differ && !identity_same_headers(search->space, search->mapping, image))
		return EVIDENCE_HEADERS;
	if (copy)
		return proof == PROOF_FILED ? EVIDENCE_FILED : EVIDENCE_COPY;
	if (same)
		return EVIDENCE_LINK;
	/* Recorded events may have no inode; it means nothing on another machine or after a reboot. */
	const struct process_record *record = search->space ? search->space->record : NULL;
	if (search->mapping && search->mapping->inode && !(record && record->recording->foreign))
		return EVIDENCE_BUILD;
	/* the file was there, unchanged, before the recorded process began */
	bool older = record && !image->writers.medium && writers_are_root(&search->links) &&
		     process_record_is_younger(record, &image->stat);
	return older ? EVIDENCE_LINK : EVIDENCE_COPY;
}
