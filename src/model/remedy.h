/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What would keep stacks whole, by the language that a function is written in. */
#pragma once

#include "model/frame.h"

/*
 * X(NAME, key, flag): KEY is the stable word of --health --json, FLAG says how to keep frame
 * pointers.
 */
#define LANGUAGES(X)                                                                               \
	X(C, "c", "build with -fno-omit-frame-pointer -mno-omit-leaf-frame-pointer (C, C++)")      \
	X(RUST, "rust", "build with -C force-frame-pointers=yes (Rust)")                           \
	X(GO, "go", "none: Go keeps frame pointers, but in functions without a frame")             \
	X(OCAML, "ocaml",                                                                          \
		"use an OCaml configured with --enable-frame-pointers (opam: ocaml-option-fp)")    \
	X(HASKELL, "haskell", "none: GHC's code has a stack of its own, which its profiler reads") \
	X(ASSEMBLY, "assembly", "only changing the code, which is written in assembly")

enum language {
#define X(name, key, flag) LANGUAGE_##name,
	LANGUAGES(X)
#undef X
		LANGUAGE_COUNT,
};

/* `fix`: the flag. */
extern const struct words language_words[];
/*
 * Returns the language of LOCATION's function, judging by its names and source file. Returns C by
 * default.
 */
enum language language_of(const struct location *location);
/*
 * Returns the remedy for damage of KIND in frames of an object in LANGUAGE. LOST: the reason, for
 * HEALTH_LOST_CALLER. FRAMED: the function's callers in the object keep frame pointers. PATH: that
 * of the object. SYSTEM: ID in os-release(5), "" if unknown.
 */
const char *remedy_of(enum health_kind kind, enum lost_caller lost, enum language language,
	bool framed, const char *path, const char *system);
/*
 * Returns an alternative to remedy_of() for those who cannot rebuild the object PATH; NULL if there
 * is none.
 */
const char *remedy_otherwise(
	enum health_kind kind, enum lost_caller lost, enum language language, const char *path);
