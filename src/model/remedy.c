// SPDX-License-Identifier: GPL-2.0-or-later
#include "model/remedy.h"

#include <ctype.h>
#include <string.h>

#include "util/text.h"
#include "util/vec.h"

const struct words language_words[] = {
#define X(name, key, flag) {key, NULL, flag},
	LANGUAGES(X)
#undef X
};

enum language language_of(const struct location *location)
{
	static const struct {
		const char *end;
		enum language language;
	} ends[] = {{".rs", LANGUAGE_RUST}, {".go", LANGUAGE_GO}, {".ml", LANGUAGE_OCAML},
		{".hs", LANGUAGE_HASKELL}, {".S", LANGUAGE_ASSEMBLY}, {".s", LANGUAGE_ASSEMBLY},
		{".asm", LANGUAGE_ASSEMBLY}};
	const struct frame *frame = &location->frames[location->n_frames - 1];
	const char *linkage = frame->linkage ?: "", *file = frame->file ?: "";
	size_t len = strlen(linkage);

	/*
	 * The mangling: Rust's v0 begins with _R; its legacy one is C++'s with a hash at the end,
	 * "17h" and 16 digits. GHC encodes a dot as zi.
	 */
	if ((linkage[0] == '_' && linkage[1] == 'R') ||
		(len > 20 && !strncmp(linkage, "_ZN", 3) &&
			!strncmp(linkage + len - 20, "17h", 3) && linkage[len - 1] == 'E'))
		return LANGUAGE_RUST;
	if (!strncmp(linkage, "caml", 4) && isupper((unsigned char)linkage[4]))
		return LANGUAGE_OCAML;
	if (text_ends_with(linkage, "_info") && strstr(linkage, "zi"))
		return LANGUAGE_HASKELL;
	array_each(end, ends, array_len(ends))
		if (*file && text_ends_with(file + 1, end->end))
			return end->language;
	return location->object && location->object->go ? LANGUAGE_GO : LANGUAGE_C;
}

/* Returns true if PATH belongs to a package: the user did not build it. */
static bool is_packaged(const char *path)
{
	static const char *const folders[] = {"/usr/", "/lib", "/bin/", "/sbin/"};

	array_each(folder, folders, array_len(folders))
		if (!strncmp(path, *folder, strlen(*folder)))
			return strncmp(path, "/usr/local/", 11) != 0 &&
			       strncmp(path, "/usr/src/", 9) != 0;
	return false;
}

const char *remedy_of(enum health_kind kind, enum lost_caller lost, enum language language,
	bool framed, const char *path, const char *system)
{
	if (kind == HEALTH_LOST_CALLER && lost == CALLER_PROLOGUE)
		return "none: some samples are taken before a frame is set up";
	if (kind == HEALTH_LOST_CALLER && lost == CALLER_PLT)
		return "build with -fno-plt";
	if (kind == HEALTH_LOST_CALLER && lost == CALLER_SIGNAL)
		return "none: frame pointers do not lead through signals";
	if (kind == HEALTH_UNJUDGED)
		return "none known: this code has no unwind tables (-fasynchronous-unwind-tables), or "
		       "the sample is of the first instruction of a function called through a pointer";
	if (!strcmp(path, "[vdso]"))
		return "none: the vDSO is the kernel's, which builds it without frame pointers";
	if (language == LANGUAGE_C && is_packaged(path)) {
		bool libc = strstr(path, "/libc.so.") || strstr(path, "/libc-2.");

		/* Ubuntu builds its C library once more */
		return libc && !strcmp(system, "ubuntu")
			       ? "install libc6-prof, the C library with frame pointers, and start the program "
				 "with LD_LIBRARY_PATH=/lib/libc6-prof/$(uname -m)-linux-gnu"
			       : "none known: the file is from a package that was built without frame pointers";
	}
	/*
	 * gcc 12 and 14 do so despite -mno-omit-leaf-frame-pointer:
	 * ix86_finalize_stack_frame_flags()
	 */
	if (lost == CALLER_LEAF && language == LANGUAGE_C && framed)
		return "on x86, build with clang (C, C++): gcc with -O never sets up a frame in functions "
		       "that call nothing; on arm64, build with -mno-omit-leaf-frame-pointer";
	if (lost == CALLER_LEAF && language == LANGUAGE_C)
		return "build with -fno-omit-frame-pointer -mno-omit-leaf-frame-pointer (C, C++; "
		       "even so, gcc -O sets up no frame in functions that call nothing; clang does)";
	return language_words[language].fix;
}

const char *remedy_otherwise(
	enum health_kind kind, enum lost_caller lost, enum language language, const char *path)
{
	bool judged =
		kind == HEALTH_LOST_CALLER && (lost == CALLER_LEAF || lost == CALLER_FUNCTION);

	if ((!judged && kind != HEALTH_ENDED_EARLY) || language == LANGUAGE_HASKELL)
		return NULL;
	if (language == LANGUAGE_C && is_packaged(path))
		return "copy stacks and unwind them (--unwind), or use a distribution whose "
		       "packages keep frame pointers (Fedora 38, Ubuntu 24.04, or newer)";
	return language == LANGUAGE_C && judged && *path == '/'
		       ? "copy stacks and unwind them (--unwind): it has the tables; "
			 "-Wa,--gsframe (binutils 2.40) adds smaller ones, SFrame"
		       : "copy stacks and unwind them (--unwind)";
}
