// SPDX-License-Identifier: GPL-2.0-or-later
#include "output/remedy.h"

#include <ctype.h>
#include <string.h>

static const struct {
	const char *key, *flag;
} languages[] = {
#define X(name, key, flag) {key, flag},
	LANGUAGES(X)
#undef X
};

const char *language_key(enum language language)
{
	return languages[language].key;
}

static bool ends_with(const char *s, const char *end)
{
	size_t len = strlen(s), end_len = strlen(end);

	return len > end_len && !strcmp(s + len - end_len, end);
}

/* v0 begins with _R; the older kind is C++'s with a hash at its end, "17h" and 16 digits. */
static bool is_rust(const char *linkage)
{
	size_t len = strlen(linkage);

	return (linkage[0] == '_' && linkage[1] == 'R') ||
	       (len > 20 && !strncmp(linkage, "_ZN", 3) && !strncmp(linkage + len - 20, "17h", 3) &&
		       linkage[len - 1] == 'E');
}

static enum language by_name(const char *linkage)
{
	if (is_rust(linkage))
		return LANGUAGE_RUST;
	if (!strncmp(linkage, "caml", 4) && isupper((unsigned char)linkage[4]))
		return LANGUAGE_OCAML;
	/* GHC writes a dot as zi. */
	if (ends_with(linkage, "_info") && strstr(linkage, "zi"))
		return LANGUAGE_HASKELL;
	return LANGUAGE_C;
}

static enum language by_file(const char *file)
{
	static const struct {
		const char *end;
		enum language language;
	} ends[] = {{".rs", LANGUAGE_RUST}, {".go", LANGUAGE_GO}, {".ml", LANGUAGE_OCAML},
		{".hs", LANGUAGE_HASKELL}, {".S", LANGUAGE_ASSEMBLY}, {".s", LANGUAGE_ASSEMBLY},
		{".asm", LANGUAGE_ASSEMBLY}};

	for (size_t i = 0; i < sizeof(ends) / sizeof(*ends); i++)
		if (ends_with(file, ends[i].end))
			return ends[i].language;
	return LANGUAGE_C;
}

enum language language_of(const struct location *location)
{
	const struct frame *frame = &location->frames[location->n_frames - 1];
	enum language language = frame->linkage ? by_name(frame->linkage) : LANGUAGE_C;

	if (location->source == SOURCE_GOPCLNTAB)
		return LANGUAGE_GO;
	return language == LANGUAGE_C && frame->file ? by_file(frame->file) : language;
}

const char *remedy_of(enum health_kind kind, enum lost_caller lost, enum language language)
{
	if (kind == HEALTH_LOST_CALLER && lost == CALLER_PROLOGUE)
		return "none: some samples are taken before a frame is set up";
	if (kind == HEALTH_LOST_CALLER && lost == CALLER_PLT)
		return "build with -fno-plt";
	if (kind == HEALTH_LOST_CALLER && lost == CALLER_SIGNAL)
		return "none: frame pointers do not lead through signals";
	return languages[language].flag;
}
