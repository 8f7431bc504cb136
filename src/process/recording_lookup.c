// SPDX-License-Identifier: GPL-2.0-or-later
#include "process/recording.h"

#include "util/vec.h"

#define FOUR_GIB (1ULL << 32)

static size_t events_before(const struct recording *recording, uint64_t pid)
{
	return sorted_count(recording->events.data, recording->events.len, .pid < pid);
}

bool recording_events(
	const struct recording *recording, int64_t pid, size_t *first, size_t *end)
{
	if (pid < 0)
		return false;
	*first = events_before(recording, (uint64_t)pid);
	*end = events_before(recording, (uint64_t)pid + 1);
	return *first < *end;
}

static size_t jits_before(const struct recording *recording, uint64_t pid)
{
	return sorted_count(recording->jits.data, recording->jits.len, .pid < pid);
}

bool recording_jits(const struct recording *recording, int64_t pid, size_t *first, size_t *end)
{
	if (pid < 0)
		return false;
	*first = jits_before(recording, (uint64_t)pid);
	*end = jits_before(recording, (uint64_t)pid + 1);
	return *first < *end;
}

uint64_t recording_pid_namespace(const struct recording *recording, int64_t pid)
{
	uint32_t outer = (uint32_t)pid;
	const uint64_t *namespace = pid < 0 || pid > INT32_MAX
					    ? NULL
					    : table_find(&recording->namespace_by_pid, &outer,
						      sizeof(outer));

	return namespace ? *namespace : 0;
}

/* The first entry of (NAMESPACE, INNER) or behind it. */
static size_t pids_before(const struct recording *recording, uint64_t namespace, uint64_t inner)
{
	size_t low = 0, high = recording->pids.len;

	while (low < high) {
		size_t middle = low + (high - low) / 2;
		const struct recorded_pid *pid = &recording->pids.data[middle];

		if (pid->namespace < namespace ||
			(pid->namespace == namespace && pid->inner < inner))
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

int64_t recording_outer_pid(
	const struct recording *recording, uint64_t namespace, int64_t inner, uint64_t time)
{
	if (inner < 0 || inner > INT32_MAX)
		return -1;
	size_t first = pids_before(recording, namespace, (uint64_t)inner);
	size_t end = pids_before(recording, namespace, (uint64_t)inner + 1);
	int64_t found = -1;

	if (time < recording->begin || time > recording->end)
		time = 0;
	for (size_t i = first; i < end; i++) {
		const struct recorded_pid *pid = &recording->pids.data[i];

		if (time && found >= 0 && pid->time > time)
			break;
		if (!time && found >= 0 && found != (int64_t)pid->outer)
			return -1;
		found = (int64_t)pid->outer;
	}
	return found;
}

const struct text *recording_mounts(const struct recording *recording, uint64_t namespace)
{
	uint64_t *index =
		table_find(&recording->mounts_by_namespace, &namespace, sizeof(namespace));

	return index ? &recording->mounts.data[*index] : NULL;
}

const struct recorded_file *recording_file_of(
	const struct recording *recording, const struct build_id *id)
{
	size_t len = id->len;
	uint64_t *index = table_find(&recording->file_by_build_id, id->bytes, len);

	/* A dump pads short IDs with zeros to 20 bytes. */
	while (!index && id->len == BUILD_ID_BPF_LEN && len > 1 && !id->bytes[len - 1])
		index = table_find(&recording->file_by_build_id, id->bytes, --len);
	return index ? &recording->files.data[*index] : NULL;
}

const struct text *recording_vdso(
	const struct recording *recording, uint64_t start, uint64_t size)
{
	/* e_ident[EI_CLASS]: ELFCLASS32, ELFCLASS64 */
	char wanted = start < FOUR_GIB ? 1 : 2;

	for (size_t i = 0; i < recording->vdsos.len; i++)
		if (recording->vdsos.data[i].len == size &&
			recording->vdsos.data[i].data[4] == wanted)
			return &recording->vdsos.data[i];
	return NULL;
}
