/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Finders: ways to open the file of a mapping or build ID. A finder only opens candidates.
 * object/locate.c decides whether one is the right file, for all finders.
 */
#pragma once

#include <stdbool.h>

#include "door/door.h"
#include "door/mountinfo.h"
#include "object/fetch/fetcher.h"
#include "object/find/debug_folder.h"
#include "object/find/find_options.h"
#include "process/space.h"

enum proof {
	PROOF_NONE,  /* compare device and inode */
	PROOF_LINK,  /* opened by the kernel's link to the mapped file, possibly copied up since */
	PROOF_LAYER, /* found by its path in the layers of the mapped overlay: compare the inode */
	PROOF_KEPT,  /* a copy, made through the kernel's link while the file was mapped */
	PROOF_COPY,  /* may be a copy with another inode: compare the build ID */
	PROOF_FILED, /* the same, found by the build ID alone */
};

struct search {
	const struct find_options *options;
	const struct space *space;     /* NULL: only the build ID is known */
	const struct mapping *mapping; /* NULL if SPACE is */
	struct build_id build_id;      /* from the kernel or the dump; len 0: unknown */
	bool debug;		       /* a separate debug file will do as well */
	bool ahead;		       /* start downloads, but do not wait for them */
	const struct mountinfo *here;  /* our own mounts */
	/*
	 * Called by a finder for each candidate. Takes ownership of FD, which is open for reading,
	 * or a negative errno. PATH is its path here. Returns true if the finder must stop, because
	 * it was the right file or too many were offered.
	 */
	bool (*offer)(struct search *search, int fd, const char *path, enum proof proof);
	/* Called by a finder to add a message to what was tried. */
	void (*remark)(struct search *search, const char *text);
	/* The following are set for the next offer by search_open(); zeros: not opened by path. */
	struct writers links; /* as in door_open() */
	const char *base;     /* chosen directory that the path is in; NULL: none */
	struct debug_folders *folders;
	struct fetcher *fetcher; /* NULL: no downloads */
	struct fetch *failed;	 /* the download that got no file; NULL: none */
};

struct finder {
	const char *name; /* for --why and --without-finder */
	void (*find)(struct search *search);
	bool live;	  /* needs the process itself, so space_dir() is valid */
	bool by_build_id; /* needs only the build ID, no mapping, and so always guesses */
	bool by_path;	  /* searches for the path of the mapping */
	bool here;	  /* searches for it in our own view of the file tree */
	bool guess;	  /* finding another file, or none, is no evidence about the mapped one */
	bool fetches;	  /* downloads, so it is started before its result is needed */
	/* what permits access if it is denied; NULL: nothing in particular */
	const char *capability;
};

extern const struct finder finders[FINDER_COUNT];

#define X(function, ...) void find_##function(struct search *search);
FINDERS(X)
#undef X

/* Returns PATH after applying RULE, malloc'ed, or NULL if RULE does not apply. */
char *path_rule_apply(const struct path_rule *rule, const char *path);
/* Opens PATH as door_open() does, as if the directory SYSROOT were /. */
int sysroot_open(const char *sysroot, const char *path, struct writers *links_ret);
/* Opens PATH as door_open() does, for the next offer. Returns a negative errno on failure. */
int search_open(struct search *search, int dirfd, const char *path, unsigned how, const char *base);
