// SPDX-License-Identifier: GPL-2.0-or-later
#include "model/stack_snapshot.h"

const char *unwound_by_key(enum unwound_by by)
{
	static const char *const keys[] = {
#define X(name, key) key,
		UNWOUND_BY(X)
#undef X
	};

	return keys[by];
}

const char *unwound_end_key(enum unwound_end end)
{
	static const char *const keys[] = {
#define X(name, key, text) key,
		UNWOUND_ENDS(X)
#undef X
	};

	return keys[end];
}

const char *unwound_end_text(enum unwound_end end)
{
	static const char *const texts[] = {
#define X(name, key, text) text,
		UNWOUND_ENDS(X)
#undef X
	};

	return texts[end];
}
