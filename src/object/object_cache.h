/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Objects: the verified ELF files of mappings and build IDs, and the cache that holds them, which
 * opens each once for all mappings, build IDs and -e.
 *
 * The memory of a stream is limited: between batches, if there are many objects, the cache drops
 * those that no address was resolved to since the last time, with their files and the trust domains
 * left empty. If needed, they are found again.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "door/mountinfo.h"
#include "model/frame.h"
#include "object/domain.h"
#include "object/elf_image.h"
#include "object/fetch/fetcher.h"
#include "object/find/debug_folder.h"
#include "object/find/find_options.h"
#include "process/space.h"
#include "util/arena.h"
#include "util/error.h"
#include "util/log.h"
#include "util/table.h"

/* The build ID of a file that a process has mapped. */
struct mapped_id {
	struct build_id build_id; /* len 0: the kernel does not report it */
	int64_t pid;
	uint64_t version; /* version of the process's space */
	uint64_t start;	  /* start address of the mapping */
};

/* What the size of the cache is measured in. BYTES: sum of the file sizes of the images. */
enum object_amount { AMOUNT_OBJECTS, AMOUNT_IMAGES, AMOUNT_DOMAINS, AMOUNT_BYTES, AMOUNTS };

struct object {
	struct frame_object label;
	size_t number;		  /* index in the cache, from 0; also for tables of the caller */
	struct elf_image *image;  /* NULL unless STATUS is FRAME_NAMED */
	enum frame_status status; /* FRAME_NAMED: usable; else why there is no image */
	const char *detail;	  /* what was tried; NULL: nothing to report */
	bool doubtful;		  /* the image was not verified to be the right file */
	/*
	 * The trust domain that the file was found in, and the path of the file below its root;
	 * NULL: our own root. Files found there name only frames of this domain.
	 */
	struct domain *domain;
	const char *path_in_root;
	bool given;   /* named by the user with -e */
	bool pinned;  /* in use elsewhere: never dropped */
	bool used;    /* an address was resolved to it since objects were last dropped */
	bool dropped; /* marked by object_cache_choose() */
	/* verify again for other processes: there is no build ID, or the file may be a copy */
	bool compare;
	uint64_t asked; /* the last batch in which the kernel was asked about the file */
	struct arena strings;
};

/* What objects are looked up by. */
enum object_key {
	OBJECT_BY_MAPPING, /* pid, start, version */
	OBJECT_BY_FILE,	   /* mapped files: file, build ID, domain, path */
	OBJECT_BY_ID,	   /* process, build ID */
	OBJECT_BY_OTHERS,  /* domain, build ID: files that other processes have mapped */
	OBJECT_BY_PATH,	   /* path, see object_of_path() */
	OBJECT_AHEAD,	/* mappings and build IDs seen by object_prefetch_by_…(); values are 0 */
	OBJECT_BY_NAME, /* image or reason, path: has every object, so that none is created twice */
	OBJECT_KEYS,
};

/* The cache, which owns objects and images. It is empty if zero-filled except for FIND. */
struct object_cache {
	const struct find_options *find; /* not owned */
	struct fetcher *fetcher;	 /* not owned; NULL: no downloads */
	struct debug_folders folders;
	struct mountinfo here; /* our own mounts, read on first use */
	struct VEC(struct object *) objects;
	struct VEC(struct elf_image *) images;
	struct table image_by_file;	 /* struct file_key → address in images */
	struct table found[OBJECT_KEYS]; /* by enum object_key → address in objects; 0: none */
	struct domains domains;
	struct VEC(struct mapped_id) mapped; /* those of one process are adjacent */
	/* pid, version → index of the first in mapped << 32 | their number */
	struct table mapped_by_space;
	struct table mapped_files;    /* device, inode, domain: files already in mapped */
	bool scanned;		      /* mapped covers all processes */
	size_t scanned_len;	      /* length of mapped when they were scanned; else 0 */
	uint64_t batch;		      /* number of the current batch */
	struct VEC(char *) conflicts; /* warnings for object_cache_notes() */
	uint64_t bytes;		      /* as in enum object_amount */
	uint64_t max[AMOUNTS];	      /* limits; zeros: not set */
};

struct locate_result;

/* Returns the object whose address a table has as VALUE, or NULL if it is 0. */
static inline struct object *object_at(uint64_t value)
{
	return (struct object *)(uintptr_t)value;
}
void object_cache_deinit(struct object_cache *cache);

/*
 * Starts the download of the file of MAPPING if it is not found here. Without this, files are
 * downloaded one after the other.
 */
void object_prefetch_by_mapping(
	struct object_cache *cache, const struct space *space, const struct mapping *mapping);
/*
 * Returns the object of an executable, file-backed mapping, or of [vdso]. Never NULL. SAID is the
 * build ID according to the kernel; NULL: it was not asked.
 */
struct object *object_of_mapping(struct object_cache *cache, const struct space *space,
	const struct mapping *mapping, const struct build_id *said);
/* Returns the object of IMAGE, which the cache owns. PATH is its name. */
struct object *object_of_image(
	struct object_cache *cache, const char *path, struct elf_image *image);
/* Returns an object named PATH without image. STATUS is the reason, DETAIL explains it. */
struct object *object_without_image(
	struct object_cache *cache, const char *path, enum frame_status status, const char *detail);
/* Opens the file PATH (-e), or returns why it cannot be used. LINKS_RET is as in door_open(). */
struct error *object_of_file(struct object_cache *cache, const char *path,
	struct writers *links_ret, struct object **ret) must_check;

/* Returns the object for RESULT, a search for PATH, and frees its text. Never NULL. */
struct object *object_of_result(
	struct object_cache *cache, const char *path, struct locate_result *result);

/* Returns true if the cache is over its limits, so that objects should be chosen and dropped. */
bool object_cache_is_full(struct object_cache *cache);
/* Marks the objects to drop. */
void object_cache_choose(struct object_cache *cache);
/* Frees the marked objects, and renumbers the others in the same order. */
void object_cache_drop(struct object_cache *cache);
/* Begins a batch: drops lookup results, but no objects, if there are very many. */
void object_cache_begin(struct object_cache *cache);

/* Finds objects of which only the build ID is known. */

/*
 * Starts the download of the file with build ID ID if the functions below would not find it here.
 * Without this, files are downloaded one after the other.
 */
void object_prefetch_by_build_id(struct object_cache *cache, struct space_cache *spaces,
	int64_t pid, const struct build_id *id);
/*
 * Returns the object with this build ID, which may be zero-padded as in dumps. Never NULL. Anybody
 * can copy a build ID into another file, so the order is: files of -e; files that process PID (-1:
 * unknown) has mapped; mapped files that only root could have written; directories and caches that
 * file programs by build ID; files mapped by other processes, which are doubtful if another user
 * could have written them; downloads.
 */
struct object *object_of_build_id(struct object_cache *cache, struct space_cache *spaces,
	int64_t pid, const struct build_id *id);
/* Returns the same for any process, but also accepts a separate debug file. */
struct object *object_of_debug_id(
	struct object_cache *cache, struct space_cache *spaces, const struct build_id *id);
/* Warns in LOG of different files that have the same build ID. */
void object_cache_notes(const struct object_cache *cache, struct log *log);

/* Finds objects by path alone. Their build is unknown, so nothing is verified. */

/*
 * Returns the object of the regular file at PATH. If --substitute-path or --sysroot applies, PATH
 * belongs to another system, and only the resulting paths are tried. BY_OTHERS: PATH was not
 * written by the user, so files of /proc, /sys and the like are refused. Never NULL.
 */
struct object *object_of_path(struct object_cache *cache, const char *path, bool by_others);
/*
 * Finds the ELF address of OFFSET, counted from the load address of IMAGE. Some tools mean the load
 * bias by that: then OFFSET is the ELF address. Others mean the start of the first segment, which
 * differs if it is not at address 0. SURE: the load bias is meant. Otherwise the address that is in
 * code is taken; if both are, the first, and DOUBTFUL_RET is set. Returns false for relocatable
 * files, which have no load address.
 */
bool object_loaded_address(const struct elf_image *image, uint64_t offset, bool sure, uint64_t *ret,
	bool *doubtful_ret);
/*
 * Finds the ELF address of OFFSET bytes into the file. Unless SURE, OFFSET is taken for an ELF
 * address if no segment has that offset and there is code at that address. Returns false otherwise.
 */
bool object_offset_address(
	const struct elf_image *image, uint64_t offset, bool sure, uint64_t *ret);
/*
 * Finds the ELF address of OFFSET bytes into an executable mapping of IMAGE that is SIZE bytes
 * long. Returns false unless exactly one code segment has that size.
 */
bool object_mapped_address(
	const struct elf_image *image, uint64_t offset, uint64_t size, uint64_t *ret);
