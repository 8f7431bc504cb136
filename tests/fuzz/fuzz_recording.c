// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Any bytes as lines that become a recording (packed_recording.h), or (behind PACKED) as what is packed in its
 * blocks: parsed, and every pid below 64 is asked for.
 */
#include <stddef.h>
#include <stdint.h>

#include "../unit/packed_recording.h"
#include "process/jit/jit.h"
#include "process/recording/process_record.h"
#include "process/recording/recording.h"
#include "process/recording/tasks.h"

enum { PACKED = 2 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void read_jits(const struct process_record *record)
{
	struct jit_map map = {};

	recorded_jit_read(record, &map);
	for (uint64_t address = 0; address < 0x10000; address += 0x800) {
		struct jit_code code = jit_map_find(&map, address, address >> 8);

		if (code.name && (address < code.span->start || address >= code.span->end))
			__builtin_trap();
	}
	jit_map_deinit(&map);
}

/* What is found at an address holds it, and so does its line. */
static void look_up_programs(const struct recorded_bpfs *bpfs)
{
	for (size_t i = 0; i < bpfs->all.len && i < 256; i++) {
		uint64_t last = bpfs->all.data[i].end - 1;
		bool doubtful;
		const struct recorded_bpf *bpf =
			recorded_bpfs_at(bpfs, last, bpfs->all.data[i].time, &doubtful);
		const struct recorded_bpf_line *line =
			bpf ? recorded_bpf_line_at(bpfs, bpf, last) : NULL;

		if (bpf && (last < bpf->start || last >= bpf->end))
			__builtin_trap();
		if (line && (line->address < bpf->start || line->address > last))
			__builtin_trap();
	}
}

/* At most N bytes of S. */
static struct text cut(struct scan *s, size_t n)
{
	struct text text = {};

	n = n < scan_left(s) ? n : scan_left(s);
	text_add(&text, s->at, n);
	s->at += n;
	return text;
}

/* Checksums would keep damage out: they are made here. A block: kind, length of the index, length (two bytes). */
static void add_blocks(struct text *ret, struct scan s)
{
	text_add_string(ret, RECORDING_MAGIC "3\n");
	while (scan_left(&s) > 4) {
		const uint8_t *head = (const uint8_t *)s.at;
		const struct block_head block = {
			.kind = head[0] % 4, .records = 1, .first = head[1], .complete = head[2]};

		s.at += 4;
		struct text index = cut(&s, head[1]), unpacked = cut(&s, head[2] | head[3] << 8);
		block_add(ret, &block, &index, &unpacked);
		text_deinit(&index);
		text_deinit(&unpacked);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct recording *recording = NULL;
	struct scan bytes = {(const char *)data, (const char *)data + size};
	struct text text = {};

	if (scan_char(&bytes, PACKED))
		add_blocks(&text, bytes);
	else
		(void)pack_recording(bytes.at, size, 1 + (size ? *data % 8 : 0), &text);
	struct error *error = recording_parse("fuzz", text.data, text.len, "boot", &recording);
	if (!error)
		look_up_programs(&recording->bpfs);
	for (int64_t pid = 0; !error && pid < 64; pid++) {
		bool ambiguous;
		const struct process_record *record =
			process_record_of(recording, pid, (uint64_t)pid % 3, &ambiguous);

		if (record)
			read_jits(record);
		(void)recording_outer_pid(recording, 1, pid, 0);

		for (uint64_t address = 0; record && address < 0x10000; address += 0x1000) {
			(void)process_record_find(record, 0, address);
			const struct mapping *mapping =
				process_record_find(record, address >> 8, address);
			const struct recorded_row *copies;
			size_t n = recording_rows(recording, record->pid, ROW_KEPT, &copies);

			for (size_t i = 0; mapping && i < n && i < 16; i++)
				(void)recorded_copy_is_of(record, &copies[i], mapping);
			if (mapping && (mapping->start > address || mapping->end <= address))
				__builtin_trap();
		}
	}
	error_destroy(error);
	recording_destroy(recording);
	text_deinit(&text);
	return 0;
}
