// SPDX-License-Identifier: GPL-2.0-or-later
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "kernel/follow/reports.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Messages of the kernel: a uevent's module ends within the message; records of perf. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const char *module = uevent_module((const char *)data, size);

	if (module && (!*module || strlen(module) >= size))
		abort();
	struct ksymbol_event event = {};
	if (ksymbol_record(data, size, &event) > KSYMBOL_LOST)
		abort();
	if (event.kind && (event.end < event.start || strlen(event.name) >= size))
		abort();
	return 0;
}
