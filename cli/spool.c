// SPDX-License-Identifier: GPL-2.0-or-later
#include "spool.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "util/cleanup.h"
#include "util/vec.h"
#include "util/xalloc.h"

#define SUFFIX ".json"
#define NAME                                                                                       \
	"stack2line-"                                                                              \
	"XX"                                                                                       \
	"XX"                                                                                       \
	"XX" SUFFIX /* for mkostemps() */

static bool open_in(const char *directory, struct spool *spool)
{
	auto_free char *path = directory ? xasprintf("%s/" NAME, directory) : xstrdup(NAME);
	int fd = mkostemps(path, sizeof(SUFFIX) - 1, O_CLOEXEC | O_APPEND);

	if (fd < 0)
		return false;
	/* private whatever the umask, with room for a usual batch */
	if (fchmod(fd, S_IRUSR | S_IWUSR) || (posix_fallocate(fd, 0, 1 << 16) == ENOSPC) ||
		ftruncate(fd, 0) || !(spool->file = fdopen(fd, "a"))) {
		close(fd);
		unlink(path);
		return false;
	}
	spool->path = take(path);
	return true;
}

static void begin_output(struct spool *spool)
{
	struct output_options options = *spool->options;

	options.format = OUTPUT_JSON;
	options.whole_names = false; /* the file has both forms */
	output_destroy(spool->output);
	spool->output = output_create(&options, spool->file, NULL);
}

struct error *spool_open(const struct output_options *options, struct spool *ret)
{
	const char *directories[] = {NULL, getenv("TMPDIR"), P_tmpdir};
	int errnum = 0;

	for (size_t i = 0; i < array_len(directories); i++) {
		if ((i && !directories[i]) || !open_in(directories[i], ret)) {
			errnum = errnum ?: errno;
			continue;
		}
		ret->options = options;
		begin_output(ret);
		return NULL;
	}
	return error_errno(errnum,
		"--clear: nothing is deleted, because no file can be created to keep deleted entries "
		"until they are printed: set TMPDIR to a writable directory");
}

static void flush(struct spool *spool)
{
	struct error *error = output_flush(spool->output);

	if (!spool->failed)
		spool->failed = take(error);
	error_destroy(error);
}

void spool_add(struct spool *spool, const struct trace *traces, size_t n)
{
	array_each(trace, traces, n)
		output_trace(spool->output, trace);
	spool->samples += n;
	flush(spool);
}

void spool_empty(struct spool *spool)
{
	if (!spool->samples)
		return;
	flush(spool);
	error_destroy(take(spool->failed));
	clearerr(spool->file);
	(void)!ftruncate(fileno(spool->file), 0);
	begin_output(spool);
	spool->samples = 0;
}

struct error *spool_close(struct spool *spool, bool saved)
{
	const char *were = spool->samples == 1 ? " was" : "s were";
	struct error *error = NULL;

	flush(spool);
	if (!spool->samples || saved)
		unlink(spool->path);
	else if (spool->failed)
		error = error_create(ERROR_SYSTEM,
			"%" PRIu64 " sample%s deleted but not printed, and not all kept in %s: %s",
			spool->samples, were, spool->path, error_message(spool->failed));
	else
		error = error_create(ERROR_SYSTEM,
			"%" PRIu64
			" sample%s deleted but not printed, and kept in %s: run `stack2line %s` to "
			"print %s",
			spool->samples, were, spool->path, spool->path,
			spool->samples == 1 ? "it" : "them");
	output_destroy(spool->output);
	fclose(spool->file);
	free(spool->path);
	error_destroy(spool->failed);
	*spool = (struct spool){};
	return error;
}
