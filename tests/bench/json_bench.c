// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Reading a stack map of `bpftool map dump -j` with our reader and with yajl's bare callbacks, from
 * the same file through the same read(2) sizes. Exit status 1 if ours takes over 0.6 of yajl's
 *time.
 *
 *	json_bench [STACKS [SLOTS]]     (16384 stacks of 127 slots: 117 MB)
 */
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include <yajl/yajl_parse.h>

#include "input/bpftool/json.h"
#include "util/cleanup.h"

enum { RUNS = 5 };

static void generate(FILE *file, unsigned stacks, unsigned slots)
{
	static const char hex[] = "0123456789abcdef";
	uint64_t random = 88172645463325252ULL;

	fputc('[', file);
	for (unsigned i = 0; i < stacks; i++) {
		fprintf(file, "%s{\"key\":[\"0x%02x\",\"0x%02x\",\"0x00\",\"0x00\"],\"value\":[",
			i ? "," : "", i & 255, i >> 8 & 255);
		for (unsigned j = 0; j < slots * 8; j++) {
			char unit[] = "\"0x00\",";

			random ^= random << 13;
			random ^= random >> 7;
			random ^= random << 17;
			if (j % 8 < 6) {
				unit[3] = hex[random >> 8 & 15];
				unit[4] = hex[random >> 12 & 15];
			}
			fwrite(unit, 1, j + 1 < slots * 8 ? 7 : 6, file);
		}
		fputs("]}", file);
	}
	fputs("]\n", file);
	fflush(file);
}

static double seconds(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

static uint64_t ours(const char *path)
{
	struct log log = {};
	struct source *source = NULL;
	struct json json;
	struct text bytes = {};
	uint64_t total = 0, sum = 0;
	enum json_token token;
	struct error *err = source_open(path, &log, &source);

	if (err)
		exit(2);
	json_init(&json, source, true);
	while ((token = json_next(&json)) != JSON_END) {
		if (token == JSON_ERROR) {
			fprintf(stderr, "%s\n", json.problem);
			exit(2);
		}
		if (token != JSON_ARRAY)
			continue;
		text_clear(&bytes);
		if (json_bytes(&json, false, 1 << 20, &bytes) == JSON_RUN_ENDED) {
			total += bytes.len;
			sum += (unsigned char)bytes.data[bytes.len - 1];
		}
	}
	(void)sum;
	json_deinit(&json);
	text_deinit(&bytes);
	source_destroy(source);
	return total;
}

static int count(void *context, const unsigned char *s, size_t len)
{
	(void)s;
	(void)len;
	++*(uint64_t *)context;
	return 1;
}

static uint64_t yajls(const char *path)
{
	static char buffer[SOURCE_CHUNK];
	yajl_callbacks callbacks = {.yajl_string = count};
	uint64_t total = 0;
	yajl_handle handle = yajl_alloc(&callbacks, NULL, &total);
	int fd = open(path, O_RDONLY);
	ssize_t n;

	while ((n = read(fd, buffer, sizeof(buffer))) > 0)
		if (yajl_parse(handle, (unsigned char *)buffer, (size_t)n) != yajl_status_ok)
			exit(2);
	yajl_complete_parse(handle);
	yajl_free(handle);
	close(fd);
	return total;
}

static double best(uint64_t (*read_dump)(const char *path), const char *path, uint64_t *ret)
{
	double least = 1e9;

	for (int i = 0; i < RUNS; i++) {
		double start = seconds();
		*ret = read_dump(path);
		double took = seconds() - start;
		least = took < least ? took : least;
	}
	return least;
}

int main(int argc, char **argv)
{
	unsigned stacks = argc > 1 ? (unsigned)atoi(argv[1]) : 16384;
	unsigned slots = argc > 2 ? (unsigned)atoi(argv[2]) : 127;
	char path[] = "/tmp/json_bench.XXXXXX";
	int fd = mkstemp(path);
	uint64_t bytes, strings;

	if (fd < 0)
		return 2;
	auto_file FILE *file = fdopen(fd, "w");
	generate(file, stacks, slots);
	double size = (double)ftell(file) / 1e6;
	double a = best(ours, path, &bytes), b = best(yajls, path, &strings);
	unlink(path);
	printf("%.1f MB: ours %.3f s (%.0f MB/s), yajl %.3f s (%.0f MB/s), ratio %.2f\n", size, a,
		size / a, b, size / b, a / b);
	if (bytes != strings)
		printf("ours read %" PRIu64 " bytes, yajl %" PRIu64 "\n", bytes, strings);
	return bytes != strings || a > 0.6 * b;
}
