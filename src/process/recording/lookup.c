// SPDX-License-Identifier: GPL-2.0-or-later
#include "process/recording/recording.h"

#include "util/vec.h"

#define FOUR_GIB (1ULL << 32)

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
	return index ? recording->files.data[*index] : NULL;
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
