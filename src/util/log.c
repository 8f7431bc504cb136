// SPDX-License-Identifier: GPL-2.0-or-later
#include "util/log.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "util/text.h"
#include "util/vec.h"
#include "util/xalloc.h"

void log_deinit(struct log *log)
{
	array_each(entry, log->entries, log->len)
		free(entry->text);
	free(log->entries);
	*log = (struct log){};
}

void log_add(struct log *log, enum log_level level, uint64_t count, const char *format, ...)
{
	auto_text struct text text = {};
	va_list args;

	if (!count)
		return;
	va_start(args, format);
	text_vprintf(&text, format, args);
	va_end(args);
	array_each(entry, log->entries, log->len)
		if (entry->level == level && !strcmp(entry->text, text.data)) {
			entry->count += count;
			return;
		}
	if (log->len == LOG_MAX) {
		log->dropped += count;
		return;
	}
	if (log->len == log->cap) {
		log->cap = log->cap ? log->cap * 2 : 8;
		log->entries = xreallocarray(log->entries, log->cap, sizeof(*log->entries));
	}
	log->entries[log->len++] = (struct log_entry){level, count, text_take(&text)};
}
