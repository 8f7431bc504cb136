/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A collector whose samples are written as text; set up anew for each test. */
#pragma once

#include "input/collector.h"
#include "recording_sink.h"

/* Addresses of a process and of the kernel. */
#define U 0x7f0000001000ULL
#define K 0xffffffff81000000ULL

extern struct recording recording;
extern struct log messages;
extern struct input_options options; /* for start(); no process is named */
extern struct collector *collector;  /* NULL before start() */
extern struct input_stats stats;     /* of finish() */

/*
 * Processes 10 to 19 live, each with code where the stacks of the tests are; 20 is a thread of 10, 30
 * the parent of 11, which has the same code. 40 to 49 have code elsewhere. Nothing is known of others.
 * 15 has had children. setup() makes them those of `options`.
 */
extern const struct input_processes processes;

void setup(void);
void teardown(void);
void start(void);
/* An entry of the map that was begun; CPU -1: not a per-CPU map. */
void entry(const void *key, size_t key_len, const void *value, size_t value_len, int cpu);
/* An entry with five addresses. */
void stack5(uint32_t id, uint64_t a, uint64_t b, uint64_t c, uint64_t d, uint64_t e);
/* A map with the user stacks 1 and 2 and the kernel stacks 3 and 1000. */
void one_stack_map(void);
/* Ends the input, which must have given these samples. */
void finish(const char *expected);
/* Ends the input, which must fail with a message that contains PART. */
void finish_failing(enum error_kind kind, const char *part);
