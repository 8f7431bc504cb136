// SPDX-License-Identifier: GPL-2.0-or-later
#include "object/locate.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>

#include "object/find/finder.h"
#include "object/identity.h"
#include "process/procfs.h"
#include "util/cleanup.h"
#include "util/stop.h"
#include "util/vec.h"
#include "util/xalloc.h"

const struct finder finders[FINDER_COUNT] = {
#define X(function, word, ...) {.name = word, .find = find_##function, __VA_ARGS__},
	FINDERS(X)
#undef X
};

/* files that one finder may offer: a hostile mountinfo can name one a hundred thousand times */
enum { OFFERS_MAX = 32 };

/* Identifies a file and its state: descriptors with equal keys have the same content. */
struct file_key {
	uint64_t dev, inode, size;
	int64_t mtime_s, mtime_ns, ctime_s, ctime_ns;
};

static struct file_key file_key_of(const struct stat *st)
{
	return (struct file_key){st->st_dev, st->st_ino, (uint64_t)st->st_size, st->st_mtim.tv_sec,
		st->st_mtim.tv_nsec, st->st_ctim.tv_sec, st->st_ctim.tv_nsec};
}

struct elf_image *image_of_fd(
	struct object_cache *cache, int fd_taken, const char *path, struct error **error_ret)
{
	auto_fd int fd = fd_taken;
	struct stat st;

	if (fstat(fd, &st) < 0) {
		*error_ret = error_errno(errno, "%s", path);
		return NULL;
	}
	struct file_key key = file_key_of(&st);
	bool added;
	uint64_t *known = table_at(&cache->image_by_file, &key, sizeof(key), &added);
	struct elf_image *image = (struct elf_image *)(uintptr_t)*known;
	if (added) {
		*error_ret = elf_image_open(take_fd(fd), path, &image);
		cache->bytes += image ? (uint64_t)image->stat.st_size : 0;
		vec_push(&cache->images, image);
		*known = (uintptr_t)image;
	} else if (!image) {
		*error_ret = error_create(ERROR_INPUT, "%s: not a readable ELF file", path);
	}
	return image;
}

/* Kinds of files that are used if the mapped file is not found, best last. */
enum second {
	SECOND_NONE,
	SECOND_PATH,  /* the file at the mapping's path */
	SECOND_COPY,  /* the build ID matches, but another user could have copied it */
	SECOND_BUILD, /* the same build */
};

/* The state of a search. Finders see only the first member. */
struct locate_state {
	struct search search;
	struct object_cache *cache;
	struct locate_result *result;
	const struct finder *finder;
	size_t offers;	/* number of files offered by the current finder */
	bool contained; /* the process was in a container, so its paths are not ours */
	/* the file system with the file is not mounted here, or it is unknown which one that is */
	bool unmounted;
	bool absent; /* the current finder has already noted that a file does not exist */
	/* The fallback if nothing better is found: the first file of the best kind. */
	struct second_best {
		enum second kind;
		struct elf_image *image;
		const char *found_by;
	} second;
};

static void note(struct locate_state *state, const char *path, const char *answer)
{
	const struct mapping *mapping = state->search.mapping;
	struct text *tried = &state->result->tried;

	text_printf(tried, "%s%s", tried->len ? "; " : "", state->finder->name);
	if (path && (!mapping || strcmp(path, mapping->path) != 0))
		text_printf(tried, " %s", path);
	text_printf(tried, ": %s", answer);
}

/* Ranks failures by severity, as the worst is reported: wrong file, broken, denied, absent. */
static int status_rank(enum frame_status status)
{
	return status == FRAME_FILE_WRONG    ? 3
	       : status == FRAME_FILE_BROKEN ? 2
	       : status == FRAME_FILE_DENIED ? 1
					     : 0;
}

/* Updates the status, but not after a guess, which is no evidence about the mapped file. */
static void count(struct locate_state *state, enum frame_status status)
{
	const struct space *space = state->search.space;
	bool guess = state->finder->guess || state->finder->by_build_id;

	/*
	 * A recorded process that is gone has left only the path. Trust it, unless the process was
	 * in a container and the finder ignores its mounts or none were recorded.
	 */
	if (space && space->record && !space->files && state->finder->by_path)
		guess = state->contained &&
			(state->finder->here || !space_mounts(space)->mounts.len);
	if (!guess && status_rank(status) > status_rank(state->result->status))
		state->result->status = status;
}

static void note_errno(struct locate_state *state, const char *path, int err)
{
	const struct search *search = &state->search;
	const bool denied = err == EACCES || err == EPERM, noted = err == ENOENT && state->absent;
	const char *why = err == EINVAL	  ? "not a regular file"
			  : err == ENODEV ? "its file system is not mounted here"
					  : strerror(err);
	/* finders with a capability have a mapping */
	const char *capability = denied ? state->finder->capability : NULL;
	auto_free char *answer =
		!capability ? xstrdup(why)
		: space_is_fuse(search->space, search->mapping)
			? xasprintf("%s (its file system, FUSE, may admit only its user)", why)
			: xasprintf("%s (needs %s)", why, capability);

	state->absent |= err == ENOENT;
	state->unmounted |= err == ENODEV;
	count(state, denied ? FRAME_FILE_DENIED : FRAME_FILE_ABSENT);
	if (!noted)
		note(state, err == ENOENT ? NULL : path, answer);
}

/*
 * Returns true if the file has code. A debug file has the same build ID, but its segments may be
 * empty, so file offsets mean nothing in it.
 */
static bool has_code(const struct elf_image *image)
{
	array_each(load, image->loads, image->n_loads)
		if (load->p_flags & PF_X && load->p_filesz)
			return true;
	return false;
}

/* Takes the file opened as IMAGE as the result or the fallback, or rejects it. */
static void judge(struct locate_state *state, const char *path, struct elf_image *image,
	enum evidence evidence)
{
	const struct ruling ruling = rule_of(
		evidence, identity_provenance(&state->search, image), state->search.options->trust);

	if (ruling.reason) {
		bool by_path = evidence == EVIDENCE_PATH || evidence == EVIDENCE_HEADERS;
		enum second kind = ruling.answer == RULE_YES ? SECOND_BUILD
				   : by_path		     ? SECOND_PATH
							     : SECOND_COPY;

		note(state, path, ruling.reason);
		if (ruling.answer != RULE_YES)
			count(state, FRAME_FILE_WRONG);
		if (ruling.answer != RULE_NO && kind > state->second.kind && has_code(image))
			state->second = (struct second_best){kind, image, state->finder->name};
	} else if (state->finder->by_build_id && !has_code(image) && !state->search.debug) {
		note(state, path, "only debug information");
	} else {
		note(state, path, "found");
		state->result->image = image;
		state->result->found_by = state->finder->name;
	}
}

/*
 * Returns true if the file with status ST, which has the inode number of SEARCH's mapping, has the
 * content that was mapped: it was not written to since, or the process has it mapped now.
 */
static bool is_unchanged(const struct search *search, const struct stat *st)
{
	const struct space *space = search->space;
	struct recorded_file now;

	if (space->record)
		return process_record_is_file(space->record, search->mapping, st);
	recorded_file_stamp(&now, st);
	return recorded_file_was(now.ctime, space->read[0], clock_real(), -RECORDED_TICK) ||
	       space_still_maps(space, space_mapping(space, 0, search->mapping->start));
}

static void verify(struct locate_state *state, int fd_taken, const char *path, enum proof proof)
{
	const struct search *search = &state->search;
	/* A live process may have mapped another file since it was recorded. */
	if (search->space && search->space->record && proof == PROOF_LINK)
		proof = PROOF_NONE;
	bool same = identity_same_inode(search, fd_taken, proof);
	auto_error struct error *error = NULL;
	struct elf_image *image = image_of_fd(state->cache, fd_taken, path, &error);
	if (image) {
		/* The recorder's copy does not show who wrote the original. */
		if (proof == PROOF_KEPT)
			image->writers = WRITERS_ANYONE;
		same = same && is_unchanged(search, &image->stat);
		judge(state, path, image, identity_verify(search, image, proof, same));
		return;
	}
	bool mapped = same || proof == PROOF_LINK || proof == PROOF_KEPT;
	note(state, path, mapped ? error_message(error) : "another file");
	count(state, mapped ? FRAME_FILE_BROKEN : FRAME_FILE_WRONG);
}

static bool offer(struct search *search, int fd, const char *path, enum proof proof)
{
	struct locate_state *state = (struct locate_state *)search;

	if (fd < 0)
		note_errno(state, path, -fd);
	else
		verify(state, fd, path, proof);
	return state->result->image || ++state->offers >= OFFERS_MAX;
}

static void remark(struct search *search, const char *text)
{
	note((struct locate_state *)search, NULL, text);
}

/* Calls the finder, if the search has what it needs. */
static void ask(struct locate_state *state)
{
	const struct finder *finder = state->finder;

	state->offers = 0;
	state->search.links = (struct writers){};
	state->search.base = NULL;
	if (finder->by_build_id ? state->search.build_id.len == 0 : !state->search.mapping)
		return;
	if (finder->live && space_dir(state->search.space) < 0)
		return;
	finder->find(&state->search);
}

/* Calls the finder again with the path of MAPPING read in other ways. */
static void ask_other_paths(struct locate_state *state, const struct mapping *mapping)
{
	struct mapping other = *mapping;
	auto_text struct text path = {};

	state->search.mapping = &other;
	if (mapping->deleted) {
		/* " (deleted)" is part of the file's name */
		text_printf(&path, "%s (deleted)", mapping->path);
		other.path = path.data;
		other.deleted = false;
		ask(state);
	}
	if (!state->result->image && strchr(mapping->path, '\n')) {
		/* "\\012" does not mean a newline but is part of the name too */
		text_clear(&path);
		for (const char *s = mapping->path; *s; s++)
			text_add(&path, *s == '\n' ? "\\012" : s, *s == '\n' ? 4 : 1);
		other.path = path.data;
		other.deleted = mapping->deleted;
		ask(state);
	}
	state->search.mapping = mapping;
}

static void conclude(struct locate_state *state)
{
	struct locate_result *result = state->result;
	const struct second_best *second = &state->second;

	if (!result->image && second->image) {
		result->image = second->image;
		result->found_by = second->found_by;
		result->doubtful = second->kind != SECOND_BUILD;
		result->compare |= second->kind != SECOND_PATH;
	}
	if (result->status == FRAME_FILE_ABSENT && state->contained && state->unmounted)
		result->status = FRAME_FILE_IN_CONTAINER;
	if (!result->image)
		return;
	result->status = FRAME_NAMED;
	if (result->image->build_id.len)
		result->build_id = result->image->build_id;
}

static const struct mountinfo *mounts_here(struct object_cache *cache)
{
	auto_text struct text text = {};

	if (cache->here.tried)
		return &cache->here;
	cache->here.tried = true;
	if (procfs_read(AT_FDCWD, "/proc/self/mountinfo", &text)) {
		auto_free char *path = xasprintf("%s/self/mountinfo", cache->find->proc_root);

		text_clear(&text);
		(void)procfs_read(AT_FDCWD, path, &text);
	}
	mountinfo_parse(text.data, text.len, &cache->here);
	return &cache->here;
}

/* Calls the finders in order. AHEAD: only starts downloads. DEBUG: as in struct search. */
static void inquire(struct object_cache *cache, const struct space *space,
	const struct mapping *mapping, bool ahead, bool debug, struct locate_result *ret)
{
	struct locate_state state = {
		.search = {.options = cache->find,
			.space = space,
			.mapping = mapping,
			.build_id = ret->build_id,
			.debug = debug,
			.ahead = ahead,
			.here = mounts_here(cache),
			.offer = offer,
			.remark = remark,
			.folders = &cache->folders,
			.fetcher = cache->fetcher},
		.cache = cache,
		.contained = space && space_was_contained(space),
		.result = ret,
	};

	state.unmounted = state.contained && !space_mounts(space)->mounts.len;

	for (const struct finder *finder = finders;
		finder < finders + FINDER_COUNT && !ret->image && !stop_asked(); finder++) {
		state.finder = finder;
		state.absent = false;
		/* do not download what was found here */
		if (finder->fetches && state.second.kind == SECOND_BUILD)
			continue;
		if (state.search.options->forbidden >> (finder - finders) & 1) {
			note(&state, NULL, "forbidden");
			continue;
		}
		ask(&state);
		if (!ret->image && mapping && finder->by_path)
			ask_other_paths(&state, mapping);
	}
	ret->failed = state.search.failed;
	conclude(&state);
}

struct build_id locate_mapped_id(const struct space *space, const struct mapping *mapping)
{
	struct build_id id = {};

	if (mapping->build_id)
		return *mapping->build_id;
	(void)space_build_id(space, mapping, &id);
	return id;
}

void locate_mapping(struct object_cache *cache, const struct space *space,
	const struct mapping *mapping, struct locate_result *ret)
{
	*ret = (struct locate_result){
		.status = FRAME_FILE_ABSENT, .build_id = locate_mapped_id(space, mapping)};
	ret->compare = !ret->build_id.len;
	inquire(cache, space, mapping, false, false, ret);
	/* in an overlay, the next process may have another file mapped under the same path */
	if (ret->image)
		ret->compare |= identity_may_be_copied_up(ret->image) ||
				ret->found_by == finders[FINDER_overlay].name;
}

bool locate_is_linked(const struct space *space, const struct mapping *mapping,
	const struct build_id *id, const struct object *object)
{
	const struct search search = {.space = space, .mapping = mapping, .build_id = *id};
	struct stat st;

	if (object->label.found_by != finders[FINDER_map_files].name || space_dir(space) < 0 ||
		fstatat(space_dir(space), procfs_link_of(mapping).name, &st, 0) < 0)
		return false;
	const struct file_key now = file_key_of(&st), then = file_key_of(&object->image->stat);
	return !memcmp(&now, &then, sizeof(now)) && space_is_current(space) &&
	       identity_verify(&search, object->image, PROOF_LINK, true) == EVIDENCE_LINK;
}

void locate_build_id(struct object_cache *cache, const struct build_id *id, bool debug,
	struct locate_result *ret)
{
	*ret = (struct locate_result){.status = FRAME_BUILD_ID_ABSENT, .build_id = *id};
	inquire(cache, NULL, NULL, false, debug, ret);
}

void locate_prefetch(struct object_cache *cache, const struct space *space,
	const struct mapping *mapping, const struct build_id *id)
{
	struct locate_result result = {};

	if (!cache->fetcher)
		return;
	result.build_id = mapping ? locate_mapped_id(space, mapping) : *id;
	if (result.build_id.len)
		inquire(cache, space, mapping, true, false, &result);
	text_deinit(&result.tried);
}
