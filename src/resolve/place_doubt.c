// SPDX-License-Identifier: GPL-2.0-or-later
#include "resolve/place.h"

#include <string.h>

#include "arch/arch.h"
#include "process/fits.h"
#include "process/recording/tasks.h"
#include "util/cleanup.h"

enum { PAGE = ARCH_PAGE };
#define PERF_CLOCK_MARGIN 1000000ULL /* ns, see kernel_from_perf_clock() */

/* ---- another program ------------------------------------------------------------------------ */

bool place_comm_fits(struct places *places, const struct sample *sample)
{
	struct comm_seen *seen = &places->comm;

	if (!sample->comm || !*sample->comm || sample->pid < 0 || sample->boot_id)
		return true;
	/* strncmp() is several times slower, and needed for long names only */
	if (seen->pid == sample->pid &&
		(!strcmp(seen->comm, sample->comm) ||
			!strncmp(seen->comm, sample->comm, sizeof(seen->comm) - 1)))
		return seen->fits;
	const struct space *space = space_at(&places->spaces, sample->pid, sample->time);
	*seen = (struct comm_seen){.pid = sample->pid};
	memcpy(seen->comm, sample->comm, strnlen(sample->comm, sizeof(seen->comm) - 1));
	/* a recording has the time of each exec, and only the last name */
	seen->fits = space->record || space->status != SPACE_READ || fits_comm(space, sample->comm);
	return seen->fits;
}

/* ---- another process, or another time ------------------------------------------------------- */

/* Fields of a dump may be misnamed, so this makes the name uncertain, not wrong. */
void place_doubt_process(struct place *place, enum process_match match)
{
	static const char *const reasons[] = {
		[MATCH_LATER] = "the process started after the sample: its ID was reused, or "
				"the time is in another field (--key time=FIELD)",
		[MATCH_UNKNOWN] =
			"it is unknown when the process started: its ID may have been reused",
		[MATCH_UNHEARD] = "events of processes were lost: by the time of the sample the ID "
				  "may have been reused, or the mappings changed",
		[MATCH_UNFOLLOWED] =
			"the process may have mapped something else since its mappings were read: "
			"run as root or with CAP_PERFMON to follow changes, or use stack2line record",
		[MATCH_MOVED] = "the process mapped something else there, or ran another program, "
				"about when the sample was taken",
		[MATCH_EARLY] =
			"the sample is older than this run, or has no time and may be older: the "
			"process may have mapped something else since (run stack2line record "
			"beside it)",
		[MATCH_ENDED] = "the recording ends before the sample: by then its ID may have "
				"been reused, or its mappings changed",
		[MATCH_BEFORE] = "the recording begins after the sample: until then its ID may "
				 "have been another process's, or its mappings may have changed",
		[MATCH_CAME] = "the process may have run another program before its recording "
			       "began, and the code is at fixed addresses",
		[MATCH_RENAMED] =
			"no thread of the process has the sample's name: it may have run "
			"another program then, or its ID was reused, and the code is at fixed "
			"addresses",
	};

	place->base.doubtful = true;
	place->base.detail = reasons[match];
}

/*
 * Returns true if the recording has the process, but does not cover TIME. If the recorder ended
 * normally, a live process is treated as without a recording; if it was killed or is late, the
 * process may have changed since.
 */
static bool is_uncovered(const struct space_cache *spaces, const struct space *space, uint64_t time)
{
	struct recording *recording = spaces->recording;

	if (space->record)
		return time > space->record->recording->end;
	if (spaces->follower && time >= spaces->follower->recording->begin)
		return false;
	return recording && !recording->ended && time > recording->end &&
	       recording_has(recording, space->pid);
}

struct taken place_taken(const struct sample *sample)
{
	uint64_t margin = sample->perf_clock ? PERF_CLOCK_MARGIN : 0;
	bool known = sample->time > margin && (!sample->perf_clock || sample->converted);

	if (known)
		return (struct taken){sample->time - margin, sample->time + margin};
	return sample->early ? (struct taken){1, UINT64_MAX} : (struct taken){};
}

enum process_match place_match_process(struct places *places, const struct space *space,
	const struct sample *sample, uint64_t address)
{
	const struct space_cache *spaces = &places->spaces;
	struct taken taken = place_taken(sample);

	if (sample->read_back && (!sample->process_start || !space->start_ticks))
		return MATCH_UNKNOWN;
	if (sample->read_back && sample->process_start != space->start_ticks)
		return MATCH_OTHER;
	if (sample->time && sample->time < space->started)
		return MATCH_LATER;
	if (is_uncovered(spaces, space, sample->time))
		return MATCH_ENDED;
	if (!space_covers(spaces, space, taken, address)) {
		if (!spaces->streams)
			return MATCH_EARLY;
		if (!spaces->follower)
			return MATCH_UNFOLLOWED;
		if (taken.since && taken.since < spaces->follower->recording->begin)
			return MATCH_EARLY;
		uint64_t since = space_taken(spaces, taken).since;
		since = space->record || since < space->read[0] ? since : space->read[0];
		return follower_misses(spaces->follower, since) ? MATCH_UNHEARD : MATCH_MOVED;
	}
	if (space->record && sample->time && sample->time < space->record->recording->begin &&
		!fits_is_program(address))
		return MATCH_BEFORE;
	if (space->record && !process_record_is_sure(space->record, sample->time))
		return MATCH_UNHEARD;
	if (space->record && space->record->came && !sample->time && !fits_is_random(address))
		return MATCH_CAME;
	if (place_comm_fits(places, sample))
		return MATCH_SAME;
	return fits_is_random(address) ? MATCH_CHANGED : MATCH_RENAMED;
}

/* ---- other code ----------------------------------------------------------------------------- */

enum page_match place_compare_page(const struct space *space, const struct object *object,
	uint64_t address, uint64_t file_offset)
{
	uint64_t start = address & -(uint64_t)PAGE, offset = file_offset - (address - start);
	const uint8_t *file = object->image ? elf_image_raw(object->image, offset, PAGE) : NULL;

	if (offset > file_offset || !file)
		return PAGE_UNKNOWN;
	auto_free uint8_t *memory = space_memory(space, start, start + PAGE);
	if (!memory)
		return PAGE_UNKNOWN;
	const struct arch *arch = arch_of(object->image->ehdr.e_machine);
	size_t at = 0, probe;
	while (at < PAGE) {
		if (memory[at] == file[at])
			at++;
		else if (arch->probe_length && (probe = arch->probe_length(memory, file, at)))
			at += probe;
		else
			break;
	}
	if (at >= PAGE)
		return PAGE_SAME;
	const struct mapping *mapping = space_mapping(space, 0, address);
	/* if the mapping has been replaced, the comparison is void */
	return mapping && !space_still_maps(space, mapping) ? PAGE_UNKNOWN : PAGE_OTHER;
}

void place_compare_code(struct places *places, const struct space *space, struct place *place)
{
	const uint64_t key[] = {(uint64_t)space->pid, space->version, place->base.address / PAGE};
	bool added;

	uint64_t *page = table_at(&places->pages, key, sizeof(key), &added);
	if (added)
		*page = place_compare_page(
			space, place->object, place->base.address, place->base.file_offset);
	if (*page != PAGE_OTHER)
		return;
	place->base.doubtful = true;
	place->base.detail = "the process's code differs from the file: it changed its code, "
			     "or the file was replaced";
}

/* ---- what would help ------------------------------------------------------------------------ */

const char *place_fix(
	const struct space *space, const struct mapping *mapping, enum frame_status status)
{
	if (status == FRAME_PROCESS_DENIED && !geteuid())
		return "run outside of the container, or with CAP_SYS_PTRACE";
	if (status == FRAME_UNMAPPED && space->record)
		return "build with -fno-omit-frame-pointer; if its mappings changed, --key time=FIELD";
	/* the file of MAPPING could not be opened */
	if (!mapping || (status != FRAME_FILE_DENIED && status != FRAME_FILE_WRONG &&
				status != FRAME_FILE_ABSENT))
		return NULL;
	bool gone = space->record && !space->files, root = !geteuid();
	if (status == FRAME_FILE_DENIED && space_is_fuse(space, mapping))
		return gone ? "pass its tree with --sysroot (only the owner may read FUSE)"
			    : "run in the container's user namespace (nsenter --user -t PID), "
			      "because only the owner may read FUSE; or pass its tree with "
			      "--sysroot";
	if (status == FRAME_FILE_DENIED && gone)
		return root ? "pass the file with --sysroot or --substitute-path" : "run as root";
	if (status == FRAME_FILE_DENIED && root)
		return "run outside of the container, or with CAP_CHECKPOINT_RESTORE";
	if (gone)
		return "keep the file that was mapped, and pass it with --sysroot or "
		       "--substitute-path";
	return status == FRAME_FILE_WRONG && root ? "restart the process" : NULL;
}
