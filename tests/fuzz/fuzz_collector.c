// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A program for the collector. Each step is a byte that says what to do, with its operands behind:
 * 'm' a map begins (role), 'z' it ends, 'e' an entry (key length, value length, CPU, bytes),
 * 'f' a formatted entry (names and numbers), 'r' a row, 'v' an event (length, bytes), 'c' the
 * stacks are complete, 'o' options change (only at the start). Other bytes are skipped.
 */
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "input/collector.h"
#include "model/stack.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

struct input {
	const uint8_t *at, *end;
};

static uint8_t byte(struct input *input)
{
	return input->at < input->end ? *input->at++ : 0;
}

static const uint8_t *bytes(struct input *input, size_t *len)
{
	const uint8_t *at = input->at;
	size_t left = (size_t)(input->end - input->at);

	if (*len > left)
		*len = left;
	input->at += *len;
	return at;
}

static struct error *ignore(void *context, const struct sample *samples, size_t n, bool flush)
{
	volatile uint64_t *sum = context;

	(void)flush;
	for (size_t i = 0; i < n; i++) {
		const struct stack_snapshot *snapshot = samples[i].snapshot;

		*sum += samples[i].comm ? strlen(samples[i].comm) : 0;
		for (size_t j = 0; snapshot && j < snapshot->len; j++)
			*sum += snapshot->stack[j];
		for (size_t j = 0; j < samples[i].user.depth; j++)
			*sum += samples[i].user.values[j] +
				(samples[i].user.origins ? samples[i].user.origins[j].build_id.len
							 : 0);
		for (size_t j = 0; j < samples[i].kernel.depth; j++)
			*sum += samples[i].kernel.values[j];
	}
	return NULL;
}

static struct row read_record(struct input *input, struct field fields[8])
{
	static const char *const names[] = {"key", "value", "key.pid", "key.tgid", "key.ustack",
		"key.kstack", "key.stack_id", "value.comm", "value.count", "pid_tgid", "value.nr",
		"value.ips", "key.ustack_sz", "stack_len", "stack", "x"};
	size_t n = byte(input) % 8;

	for (size_t i = 0; i < n; i++) {
		uint8_t what = byte(input);

		fields[i] = (struct field){.name = names[what % 16],
			.kind = (enum field_kind)((what >> 5) % (FIELD_BYTES + 1)),
			.width = what & 16 ? 32 : 0};
		fields[i].number = (uint64_t)(int8_t)byte(input);
		fields[i].len = (size_t)(fields[i].number & 127);
		if (fields[i].kind == FIELD_WORDS)
			fields[i].len &= ~(size_t)7;
		fields[i].bytes = (const char *)bytes(input, &fields[i].len);
		if (fields[i].kind == FIELD_WORDS)
			fields[i].len &= ~(size_t)7;
	}
	return (struct row){fields, n};
}

static void entry(struct collector *collector, struct input *input, bool formatted)
{
	struct field fields[8];
	struct row record = {};
	struct map_entry entry = {.position = "f:1", .cpu = -1};

	if (formatted)
		record = read_record(input, fields);
	entry.formatted = formatted ? &record : NULL;
	entry.key_len = byte(input) % 64;
	entry.value_len = (size_t)byte(input) * 8;
	entry.cpu = (int8_t)byte(input) % 4;
	entry.key = bytes(input, &entry.key_len);
	entry.value = bytes(input, &entry.value_len);
	if (!entry.key_len)
		entry.key = NULL;
	collector_entry(collector, &entry);
}

static void step(struct collector *collector, struct input *input)
{
	struct field fields[8];
	struct row record;
	size_t len;

	switch (byte(input)) {
	case 'm':
		collector_map_begin(collector, "map", byte(input) % 5);
		break;
	case 'z':
		collector_map_end(collector, byte(input) & 1);
		break;
	case 'e':
		entry(collector, input, false);
		break;
	case 'f':
		entry(collector, input, true);
		break;
	case 'r':
		record = read_record(input, fields);
		error_destroy(collector_row(collector, &record, "f:2"));
		break;
	case 'v':
		len = byte(input);
		const uint8_t *event = bytes(input, &len);
		error_destroy(collector_event(collector, event, len, 1, "f:3"));
		break;
	case 'c':
		error_destroy(collector_stacks_complete(collector));
		break;
	default:
		break;
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct input input = {data, data + size};
	struct input_options options = {.pid = -1};
	struct input_stats stats = {};
	struct log log = {};
	uint64_t sum = 0;
	struct input_sink sink = {.batch = ignore, .context = &sum};

	if (size && *data == 'o') {
		uint8_t which = (byte(&input), byte(&input));

		options.shape = which % 3;
		options.key_layout = which & 4 ? "u32 pid; s32 user" : NULL;
		options.value_layout = which & 8 ? "u64 count" : NULL;
		options.event_layout =
			which & 16 ? "u32 pid; s32 ustack_sz; u64 ustack[8]; u64 kstack[]" : NULL;
		if (which & 64)
			options.event_layout = "u64 ip, sp; u32 pid; s32 len; u8 stack[]";
		options.key_fields = which & 32 ? "user=ustack,pid=tgid" : NULL;
	}
	struct collector *collector = NULL;
	struct error *error = collector_create(&options, &log, &sink, &collector);

	if (error) {
		error_destroy(error);
		return 0;
	}
	while (input.at < input.end)
		step(collector, &input);
	error_destroy(collector_end(collector, &stats));
	collector_destroy(collector);
	log_deinit(&log);
	return 0;
}
