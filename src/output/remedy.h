/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What would keep stacks whole: it depends on the language that a function is written in. */
#pragma once

#include "model/frame.h"
#include "model/health.h"

/* X(NAME, key, flag): key is the stable word of --health --json, flag what keeps frame pointers. */
#define LANGUAGES(X)                                                                               \
	X(C, "c", "build with -fno-omit-frame-pointer -mno-omit-leaf-frame-pointer (C, C++)")      \
	X(RUST, "rust", "build with -C force-frame-pointers=yes (Rust)")                           \
	X(GO, "go", "none: Go keeps frame pointers, but in functions without a frame")             \
	X(OCAML, "ocaml",                                                                          \
		"use an OCaml configured with --enable-frame-pointers (opam: ocaml-option-fp)")    \
	X(HASKELL, "haskell", "none: GHC's code has a stack of its own, which its profiler reads") \
	X(ASSEMBLY, "assembly", "none but changing the code: it is written in assembly")

enum language {
#define X(name, key, flag) LANGUAGE_##name,
	LANGUAGES(X)
#undef X
		LANGUAGE_COUNT,
};

const char *language_key(enum language language);
/* Of LOCATION's function, by its names and its source file; C where nothing tells otherwise. */
enum language language_of(const struct location *location);
/*
 * What would help against KIND, one that frames tell, in an object of LANGUAGE. LOST: of
 * LOST_CALLER.
 */
const char *remedy_of(enum health_kind kind, enum lost_caller lost, enum language language);
/*
 * What else would, in the object PATH, for whom that is no choice; NULL: nothing. That a caller was
 * lost is known by tables for unwinding, so that these are there.
 */
const char *remedy_otherwise(
	enum health_kind kind, enum lost_caller lost, enum language language, const char *path);
