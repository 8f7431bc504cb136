/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A sink that writes samples as text, one line each, for tests of input. */
#pragma once

#include <stdio.h>
#include <string.h>

#include "input/input.h"
#include "model/stack.h"
#include "util/error.h"
#include "util/log.h"
#include "util/text.h"

struct recording {
	struct text text;
	size_t batches, flushes, samples;
};

static inline void record_stack(struct text *text, const char *name, const struct stack *stack)
{

	if (stack->state == STACK_ABSENT)
		return;
	text_printf(text, " %s=", name);
	if (stack->state != STACK_PRESENT) {
		text_printf(text, "<%s>", stack_state_words[stack->state].text);
		return;
	}
	for (size_t i = 0; i < stack->depth; i++) {
		text_add_string(text, i ? "," : "");
		if (stack->origins && stack->origins[i].build_id.len) {
			text_printf(
				text, "%.4s+", build_id_hex(&stack->origins[i].build_id).digits);
		}
		const struct stack_file *file = stack->origins ? stack->origins[i].file : NULL;
		if (file)
			text_printf(text, "%s(%s%s", file->path, file->symbol ? file->symbol : "",
				file->sure ? "+" : "~");
		text_printf(text, "%llx", (unsigned long long)stack->values[i]);
	}
	text_add_string(text, stack->truncated ? "…" : "");
	text_add_string(text, stack->exact ? "!" : "");
}

/* Registers by DWARF number, in hex, and the number of bytes of the stack. */
static inline void record_snapshot(struct text *text, const struct stack_snapshot *snapshot)
{
	if (!snapshot)
		return;
	text_printf(
		text, " snapshot=%s", snapshot->machine == SNAPSHOT_AARCH64 ? "aarch64" : "amd64");
	for (unsigned i = 0; i < SNAPSHOT_REGISTERS; i++)
		if (snapshot->known >> i & 1)
			text_printf(
				text, ",%u:%llx", i, (unsigned long long)snapshot->registers[i]);
	text_printf(text, "+%zu", snapshot->len);
}

static inline struct error *record_batch(
	void *context, const struct sample *samples, size_t n, bool flush)
{
	struct recording *recording = context;

	recording->batches++;
	recording->flushes += flush;
	recording->samples += n;
	for (size_t i = 0; i < n; i++) {
		const struct sample *sample = &samples[i];

		text_printf(&recording->text, "%lld/%lld %s x%llu", (long long)sample->pid,
			(long long)sample->tid, sample->comm ? sample->comm : "-",
			(unsigned long long)sample->weight);
		record_stack(&recording->text, "u", &sample->user);
		record_stack(&recording->text, "k", &sample->kernel);
		record_snapshot(&recording->text, sample->snapshot);
		text_add_char(&recording->text, '\n');
	}
	return NULL;
}

static inline const char *recorded(const struct recording *recording)
{
	return recording->text.data ? recording->text.data : "";
}

/* Returns true if some entry of LOG contains TEXT. */
static inline bool log_has(const struct log *log, const char *text)
{
	for (size_t i = 0; i < log->entries.len; i++)
		if (strstr(log->entries.data[i].text, text))
			return true;
	return false;
}
