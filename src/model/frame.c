// SPDX-License-Identifier: GPL-2.0-or-later
#include "model/frame.h"

static const struct {
	const char *key, *text, *fix;
} statuses[] = {
#define X(name, key, text, fix) [FRAME_##name] = {key, text, fix},
	FRAME_STATUSES(X)
#undef X
};

static const char *const sources[] = {
#define X(name, key) [SOURCE_##name] = key,
	FRAME_SOURCES(X)
#undef X
};

static const struct {
	const char *text, *fix;
} gaps[] = {
#define X(name, text, fix) [GAP_##name] = {text, fix},
	FRAME_GAPS(X)
#undef X
};

const char *frame_status_key(enum frame_status status)
{
	return statuses[status].key;
}

const char *frame_status_text(enum frame_status status)
{
	return statuses[status].text;
}

const char *frame_status_fix(enum frame_status status)
{
	return statuses[status].fix;
}

const char *frame_source_key(enum frame_source source)
{
	return sources[source];
}

const char *frame_gap_text(enum frame_gap gap)
{
	return gaps[gap].text;
}

const char *frame_gap_fix(enum frame_gap gap)
{
	return gaps[gap].fix;
}
