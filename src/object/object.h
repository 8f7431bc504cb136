/* SPDX-License-Identifier: GPL-2.0-or-later */
/* An object, the verified ELF file behind a mapping or build ID, and what keeps all of them. */
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

/* A build ID that some process has mapped. */
struct mapped_id {
	struct build_id build_id; /* len 0: the kernel does not say */
	int64_t pid;
	uint64_t version; /* of its space */
	uint64_t start;	  /* of the mapping */
};

/* How much there is. */
struct object_amounts {
	size_t objects, images, domains;
	uint64_t bytes; /* of the images' files */
};

struct object {
	struct frame_object label;
	size_t number;		  /* counts from 0, for tables of the caller */
	struct elf_image *image;  /* NULL unless status is FRAME_NAMED */
	enum frame_status status; /* FRAME_NAMED: usable; else why there is no image */
	const char *detail;	  /* what was tried, NULL: nothing to say */
	bool doubtful;		  /* the image was not verified to be the file */
	/*
	 * The root of the trust domain that it was found in, as a directory here, and where the file
	 * is below it; NULL: our own root. What else is found there names no other frames.
	 */
	const char *root, *path_in_root;
	size_t domain_number; /* of that domain */
	bool given;	      /* by the user, with -e */
	bool pinned;	      /* somebody else keeps it: it is never forgotten */
	bool used;	      /* a place was in it since objects were forgotten last */
	bool dropped;	      /* chosen by object_cache_choose() */
	bool compare; /* no build ID tells it from what a process has mapped, or that may be a copy */
	struct arena strings;
};

/* What objects were found by. */
enum object_key {
	OBJECT_BY_MAPPING, /* pid, start, version */
	OBJECT_BY_FILE,	   /* what processes have mapped: file, build ID, domain, path */
	OBJECT_BY_ID,	   /* process, build ID */
	OBJECT_BY_OTHERS,  /* domain, build ID: what other processes have */
	OBJECT_BY_PATH,	   /* of object_path.h */
	OBJECT_AHEAD,	   /* keys for mappings and build IDs: seen by object_prefetch_by_…() */
	OBJECT_BY_NAME,	   /* image or reason, path: all objects, so that none is made twice */
	OBJECT_KEYS,
};

/* Zero-filled but for FIND is empty. Objects and images are owned by it. */
struct object_cache {
	const struct find_options *find; /* not owned */
	struct fetcher *fetcher;	 /* not owned; NULL: nothing is fetched */
	struct debug_folders folders;
	struct mountinfo here; /* our own mounts, read when first needed */
	struct VEC(struct object *) objects;
	struct VEC(struct elf_image *) images;
	struct table image_by_file;	 /* struct file_key → index in images, + 1 */
	struct table found[OBJECT_KEYS]; /* by enum object_key → index in objects, + 1; 0: none */
	struct domains domains;
	struct VEC(struct mapped_id) mapped; /* those of a process stand together */
	struct table mapped_by_space;	     /* pid, version → index in mapped */
	struct table mapped_files;	     /* device, inode, domain: already in mapped */
	bool scanned;			     /* mapped has those of all processes */
	size_t mapped_max;		     /* as many may be in mapped; 0: not decided */
	struct VEC(char *) claims; /* what was odd about build IDs, for object_cache_notes() */
	struct object_amounts max; /* see object_forget.h; zeros: not decided */
	size_t images_counted;	   /* how many, when their bytes were counted last */
};
