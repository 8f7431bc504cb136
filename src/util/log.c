// SPDX-License-Identifier: GPL-2.0-or-later
#include "util/log.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "util/text.h"

void log_deinit(struct log *log)
{
	vec_free_each(&log->entries, text);
	vec_deinit(&log->entries);
	log->dropped = 0;
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
	vec_each(entry, &log->entries)
		if (entry->level == level && !strcmp(entry->text, text.data)) {
			entry->count += count;
			return;
		}
	if (log->entries.len == LOG_MAX) {
		log->dropped += count;
		return;
	}
	vec_push(&log->entries, (struct log_entry){level, count, text_take(&text)});
}
