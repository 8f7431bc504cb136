/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A stand-in for a dwz file that was not found. */
#pragma once

#include <elfutils/libdw.h>

/*
 * DWARF in which every reference leads nowhere. Given to dwarf_setalt(), it keeps libdw from
 * opening by itself, on the host and without our checks, what a hostile file names. ELF_RET and
 * the result are the caller's to end (the Dwarf first); NULL if libdw does not take it.
 */
Dwarf *empty_dwarf(Elf **elf_ret);
