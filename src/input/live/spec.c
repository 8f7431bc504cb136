// SPDX-License-Identifier: GPL-2.0-or-later
#include "input/live/spec.h"

#include <stdbool.h>
#include <string.h>

#include "util/scan.h"

static struct error *fail(const char *text, const char *option)
{
	return error_create(ERROR_USAGE,
		"%s: '%s' does not name a map: expected id:NUMBER, name:NAME, pinned:PATH, "
		"prog:ID/NAME (a map of a program), prog:ID, comm:COMM or pid:PID",
		option, text);
}

/* IDs are u32 and begin at 1. */
static bool scan_id(struct scan *scan, uint32_t *ret)
{
	uint64_t number;

	if (!scan_decimal(scan, &number) || !number || number > UINT32_MAX)
		return false;
	*ret = (uint32_t)number;
	return true;
}

/* All of what is left is the name; it must be there. */
static bool scan_name(const struct scan *scan, struct live_spec *spec)
{
	spec->name = scan->at;
	return scan_left(scan) > 0;
}

static bool parse(struct scan scan, struct live_spec *spec)
{
	if (scan_literal(&scan, "id:")) {
		spec->kind = LIVE_SPEC_ID;
		return scan_id(&scan, &spec->id) && !scan_left(&scan);
	}
	if (scan_literal(&scan, "name:")) {
		spec->kind = LIVE_SPEC_NAME;
		return scan_name(&scan, spec);
	}
	if (scan_literal(&scan, "pinned:")) {
		spec->kind = LIVE_SPEC_PINNED;
		return scan_name(&scan, spec);
	}
	if (scan_literal(&scan, "comm:")) {
		spec->kind = LIVE_SPEC_COMM;
		return scan_name(&scan, spec);
	}
	if (scan_literal(&scan, "pid:")) {
		spec->kind = LIVE_SPEC_PID;
		return scan_id(&scan, &spec->id) && !scan_left(&scan);
	}
	spec->kind = LIVE_SPEC_PROG;
	if (!scan_literal(&scan, "prog:") || !scan_id(&scan, &spec->id))
		return false;
	return !scan_left(&scan) || (scan_char(&scan, '/') && scan_name(&scan, spec));
}

struct error *live_spec_parse(const char *text, const char *option, struct live_spec *ret)
{
	struct live_spec spec = {};

	if (!parse(scan_of(text), &spec))
		return fail(text, option);
	*ret = spec;
	return NULL;
}
