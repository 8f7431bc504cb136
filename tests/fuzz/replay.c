// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Stands in for libFuzzer in `make check`: gives every file of the directories (or files) named as
 * arguments to the fuzz target it is linked with. A directory that is not there, or holds no
 * file, fails: a corpus that is not replayed must not pass.
 */
#include <dirent.h>
#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define FILE_MAX (16u << 20) /* bytes; corpora are small */

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* How many inputs were run; -1: said on stderr what is wrong. */
static int replay_file(const char *path)
{
	FILE *file = fopen(path, "rb");
	uint8_t *data = malloc(FILE_MAX);
	uint8_t *exact;
	size_t size;

	if (!file || !data) {
		fprintf(stderr, "%s: %s\n", path, strerror(errno));
		free(data);
		if (file)
			fclose(file);
		return -1;
	}
	size = fread(data, 1, FILE_MAX, file);
	fclose(file);
	/* Exactly as large as the input, so that ASan sees a read beyond it. */
	exact = malloc(size ? size : 1);
	if (exact) {
		memcpy(exact, data, size);
		LLVMFuzzerTestOneInput(exact, size);
	}
	free(exact);
	free(data);
	return exact ? 1 : -1;
}

static int replay_directory(const char *path, DIR *dir)
{
	const struct dirent *entry;
	int n = 0;

	while ((entry = readdir(dir))) {
		char name[4096];
		int length = snprintf(name, sizeof(name), "%s/%s", path, entry->d_name);

		if (entry->d_name[0] == '.')
			continue;
		if (length >= (int)sizeof(name) || replay_file(name) < 0)
			return -1;
		n++;
	}
	return n;
}

static int replay(const char *path)
{
	DIR *dir = opendir(path);
	int n;

	if (!dir)
		return replay_file(path);
	n = replay_directory(path, dir);
	closedir(dir);
	if (n == 0)
		fprintf(stderr, "%s: no inputs\n", path);
	return n > 0 ? n : -1;
}

int main(int argc, char **argv)
{
	int total = 0;

	for (int i = 1; i < argc; i++) {
		int n = argv[i][0] == '-' ? 0 : replay(argv[i]); /* an option of libFuzzer */

		if (n < 0)
			return EXIT_FAILURE;
		total += n;
	}
	printf("%d inputs\n", total);
	return total > 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
