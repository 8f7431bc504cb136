/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * How the JIT compilers of tests write jit-PID.dump (Linux,
 * tools/perf/Documentation/jitdump-specification.txt).
 */
#pragma once

#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

struct jitdump_body {
	unsigned char bytes[512];
	size_t len;
};

/* ns, CLOCK_MONOTONIC. */
static inline uint64_t jitdump_now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

static inline void jitdump_put(struct jitdump_body *body, const void *bytes, size_t size)
{
	memcpy(body->bytes + body->len, bytes, size);
	body->len += size;
}

static inline void jitdump_put_u64(struct jitdump_body *body, uint64_t number)
{
	jitdump_put(body, &number, sizeof(number));
}

static inline void jitdump_write(FILE *dump, uint32_t id, const struct jitdump_body *body)
{
	const struct {
		uint32_t id, size;
		uint64_t time;
	} record = {id, (uint32_t)(sizeof(record) + body->len), jitdump_now()};

	fwrite(&record, sizeof(record), 1, dump);
	fwrite(body->bytes, body->len, 1, dump);
	fflush(dump);
}

/* That the SIZE (0x100 at most) bytes of code at CODE, number INDEX of all, are the function NAME
 * from now on. */
static inline void jitdump_load(
	FILE *dump, const unsigned char *code, uint64_t size, uint64_t index, const char *name)
{
	const uint32_t ids[] = {(uint32_t)getpid(), (uint32_t)getpid()};
	struct jitdump_body body = {};

	jitdump_put(&body, ids, sizeof(ids));
	jitdump_put_u64(&body, (uintptr_t)code);
	jitdump_put_u64(&body, (uintptr_t)code);
	jitdump_put_u64(&body, size);
	jitdump_put_u64(&body, index);
	jitdump_put(&body, name, strlen(name) + 1);
	jitdump_put(&body, code, size);
	jitdump_write(dump, 0, &body);
}

/* DIR/jit-PID.dump, begun and mapped, by which perf finds it. NULL: it cannot. */
static inline FILE *jitdump_begin(const char *dir)
{
	const struct {
		uint32_t magic, version, size, machine, pad, pid;
		uint64_t time, flags;
	} header = {0x4a695444, 1, sizeof(header), 62, 0, (uint32_t)getpid(), jitdump_now(), 0};
	char path[256];

	snprintf(path, sizeof(path), "%s/jit-%d.dump", dir, (int)getpid());
	FILE *dump = fopen(path, "w+");
	if (!dump)
		return NULL;
	fwrite(&header, sizeof(header), 1, dump);
	fflush(dump);
	if (mmap(NULL, (size_t)sysconf(_SC_PAGESIZE), PROT_READ | PROT_EXEC, MAP_PRIVATE,
		    fileno(dump), 0) == MAP_FAILED)
		return NULL;
	return dump;
}
