/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Objects: the verified ELF files of mappings and build IDs, and the cache that holds them. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "model/frame.h"
#include "object/domain.h"
#include "object/elf_image.h"
#include "object/fetch/fetcher.h"
#include "object/find/debug_folder.h"
#include "object/find/options.h"
#include "door/mountinfo.h"
#include "process/space.h"
#include "util/arena.h"
#include "util/table.h"

/* The build ID of a file that a process has mapped. */
struct mapped_id {
	struct build_id build_id; /* len 0: the kernel does not report it */
	int64_t pid;
	uint64_t version; /* version of the process's space */
	uint64_t start;	  /* start address of the mapping */
};

/* The size of the cache. */
struct object_amounts {
	size_t objects, images, domains;
	uint64_t bytes; /* sum of the file sizes of the images */
};

struct object {
	struct frame_object label;
	size_t number;		  /* index in the cache, from 0; also for tables of the caller */
	struct elf_image *image;  /* NULL unless STATUS is FRAME_NAMED */
	enum frame_status status; /* FRAME_NAMED: usable; else why there is no image */
	const char *detail;	  /* what was tried; NULL: nothing to report */
	bool doubtful;		  /* the image was not verified to be the right file */
	/*
	 * The root of the trust domain that the file was found in, as a path here, and the path of
	 * the file below it; NULL: our own root. Files found there name only frames of this domain.
	 */
	const char *root, *path_in_root;
	size_t domain_number; /* number of that domain */
	bool given;	      /* named by the user with -e */
	bool pinned;	      /* in use elsewhere: never dropped */
	bool used;	      /* an address was resolved to it since objects were last dropped */
	bool dropped;	      /* marked by object_cache_choose() */
	/* verify again for other processes: there is no build ID, or the file may be a copy */
	bool compare;
	struct arena strings;
};

/* What objects are looked up by. */
enum object_key {
	OBJECT_BY_MAPPING, /* pid, start, version */
	OBJECT_BY_FILE,	   /* mapped files: file, build ID, domain, path */
	OBJECT_BY_ID,	   /* process, build ID */
	OBJECT_BY_OTHERS,  /* domain, build ID: files that other processes have mapped */
	OBJECT_BY_PATH,	   /* path, see object_path.h */
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
	struct table image_by_file;	 /* struct file_key → index in images + 1 */
	struct table found[OBJECT_KEYS]; /* by enum object_key → index in objects + 1; 0: none */
	struct domains domains;
	struct VEC(struct mapped_id) mapped; /* those of one process are adjacent */
	/* pid, version → index of the first in mapped << 32 | their number */
	struct table mapped_by_space;
	struct table mapped_files; /* device, inode, domain: files already in mapped */
	bool scanned;		   /* mapped covers all processes */
	size_t mapped_max;	   /* limit for the length of mapped; 0: not set */
	struct VEC(char *) claims; /* warnings for object_cache_notes() */
	struct object_amounts max; /* limits, see object_forget.h; zeros: not set */
	size_t images_counted;	   /* number of images when their bytes were last summed */
};
