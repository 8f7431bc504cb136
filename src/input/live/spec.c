// SPDX-License-Identifier: GPL-2.0-or-later
#include "input/live/spec.h"

#include <stdbool.h>

#include "util/scan.h"
#include "util/vec.h"

static struct error *fail(const char *text, const char *option)
{
	return error_create(ERROR_USAGE,
		"%s: '%s' does not name a map: expected id:NUMBER, name:NAME, pinned:PATH, "
		"prog:ID/NAME (a map of a program), prog:ID, comm:COMM or pid:PID",
		option, text);
}

/* Reads an ID, which is from 1 to UINT32_MAX. */
static bool scan_id(struct scan *scan, uint32_t *ret)
{
	uint64_t number;

	if (!scan_decimal(scan, &number) || !number || number > UINT32_MAX)
		return false;
	*ret = (uint32_t)number;
	return true;
}

static bool parse(struct scan scan, struct live_spec *spec)
{
	static const struct {
		const char *word;
		enum live_spec_kind kind;
		bool by_id;
	} kinds[] = {{"id:", LIVE_SPEC_ID, true}, {"name:", LIVE_SPEC_NAME, false},
		{"pinned:", LIVE_SPEC_PINNED, false}, {"comm:", LIVE_SPEC_COMM, false},
		{"pid:", LIVE_SPEC_PID, true}, {"prog:", LIVE_SPEC_PROG, true}};
	size_t i = 0;

	while (i < array_len(kinds) && !scan_literal(&scan, kinds[i].word))
		i++;
	if (i == array_len(kinds) || (kinds[i].by_id && !scan_id(&scan, &spec->id)))
		return false;
	spec->kind = kinds[i].kind;
	if (kinds[i].by_id && !scan_left(&scan))
		return true;
	if (kinds[i].by_id && (spec->kind != LIVE_SPEC_PROG || !scan_char(&scan, '/')))
		return false;
	spec->name = scan.at;
	return scan_left(&scan) > 0;
}

struct error *live_spec_parse(const char *text, const char *option, struct live_spec *ret)
{
	struct live_spec spec = {};

	if (!parse(scan_of(text), &spec))
		return fail(text, option);
	*ret = spec;
	return NULL;
}
