/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Ways to get at the file behind a mapping or a build ID. A finder only opens what may be it;
 * whether it is the right file is decided in one place (object/locate.c), whatever the finder.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "door/door.h"
#include "door/mountinfo.h"
#include "door/rule.h"
#include "object/fetch/fetcher.h"
#include "object/find/debug_folder.h"
#include "object/find/options.h"
#include "process/space.h"

enum proof {
	PROOF_NONE, /* device and inode are to be compared */
	PROOF_LINK, /* the kernel's own link to the mapped file; it can have been copied up since */
	PROOF_LAYER, /* found by its path in the mapped overlay's layers: the inode must match */
	PROOF_KEPT,  /* a copy that was made through the kernel's link while the file was mapped */
	PROOF_COPY,  /* may be a copy, whose numbers differ: the build ID is what tells it */
	PROOF_FILED, /* the same, found by that build ID alone */
};

struct search {
	const struct find_options *options;
	const struct space *space;     /* NULL: only the build ID is known */
	const struct mapping *mapping; /* NULL with SPACE */
	struct build_id build_id;      /* the kernel's word or the dump's; len 0: unknown */
	const struct mountinfo *here;  /* our own mounts */
	/*
	 * Called by a finder for each file it finds: FD (taken) is open for reading, or a
	 * negative errno; PATH names it here. True: it was the right one or the time is over,
	 * so stop.
	 */
	bool (*offer)(struct search *search, int fd, const char *path, enum proof proof);
	/* Called by a finder that has something else to say about what it did. */
	void (*remark)(struct search *search, const char *text);
	/* Of the file that is offered, by search_open(); zeros: it was not opened by a path. */
	struct writers links; /* as door_open() has it */
	const char *
		base; /* the directory that the user or we chose and that it is below; NULL: none */
	struct debug_folders *folders;
	struct fetcher *fetcher; /* NULL: nothing is fetched */
	struct fetch *failed;	 /* the download that brought nothing; NULL: none */
};

struct finder {
	const char *name; /* for --why and --without-finder */
	void (*find)(struct search *search);
	bool live;	  /* needs the process itself, a recorded one will not do */
	bool by_build_id; /* needs no mapping, only the build ID */
	bool by_path;	  /* goes by the mapping's path */
	bool here;	  /* and by nothing else: as we see it */
	bool guess;	  /* what is there when it is not the file says nothing about the file */
	bool fetches;	  /* from other machines: it is begun before its answer is needed */
	const char *capability; /* what would help when access is denied, NULL: nothing special */
};

extern const struct finder finders[FINDER_COUNT];

#define X(function, ...) void find_##function(struct search *search);
FINDERS(X)
#undef X
/* Starts what find_debuginfod() will wait for. */
void find_debuginfod_start(struct search *search);

/*
 * What RULE makes of PATH, malloc'ed; NULL: nothing. BELOW_RET (may be NULL): what is left of PATH
 * below FROM.
 */
char *path_rule_apply(const struct path_rule *rule, const char *path, const char **below_ret);
/*
 * Opens PATH as door_open() does, for the next offer. Returns a negative errno if there is no such
 * file.
 */
int search_open(struct search *search, int dirfd, const char *path, unsigned how, const char *base);
