// SPDX-License-Identifier: GPL-2.0-or-later
#include "output/writer.h"

#include <errno.h>
#include <stdlib.h>

#include "util/thread.h"
#include "util/xalloc.h"

struct writer {
	FILE *file;
	pthread_t thread;
	pthread_mutex_t lock; /* of all below, but for the text while it is written */
	pthread_cond_t change;
	struct text text; /* if FULL: to be written, or being written */
	bool full, end;
	int errnum; /* of the first failed write, 0: none */
};

int writer_write(FILE *file, const struct text *text)
{
	errno = 0;
	if (fwrite(text->data, 1, text->len, file) == text->len)
		return 0;
	return errno ? errno : EIO;
}

static void *run(void *context)
{
	struct writer *writer = context;

	pthread_mutex_lock(&writer->lock);
	while (writer->full || !writer->end) {
		if (!writer->full) {
			pthread_cond_wait(&writer->change, &writer->lock);
			continue;
		}
		int errnum = writer->errnum;
		pthread_mutex_unlock(&writer->lock);
		if (!errnum)
			errnum = writer_write(writer->file, &writer->text);
		pthread_mutex_lock(&writer->lock);
		writer->errnum = errnum;
		writer->full = false;
		pthread_cond_signal(&writer->change);
	}
	pthread_mutex_unlock(&writer->lock);
	return NULL;
}

static void writer_destroy(struct writer *writer)
{
	pthread_mutex_destroy(&writer->lock);
	pthread_cond_destroy(&writer->change);
	text_deinit(&writer->text);
	free(writer);
}

struct writer *writer_create(FILE *file)
{
	if (!thread_spare_cpus())
		return NULL;
	struct writer *writer = xcalloc(1, sizeof(*writer));

	writer->file = file;
	pthread_mutex_init(&writer->lock, NULL);
	pthread_cond_init(&writer->change, NULL);
	if (thread_start(run, writer, &writer->thread))
		return writer;
	writer_destroy(writer);
	return NULL;
}

int writer_give(struct writer *writer, struct text *text)
{
	const struct text given = *text;

	pthread_mutex_lock(&writer->lock);
	while (writer->full)
		pthread_cond_wait(&writer->change, &writer->lock);
	*text = writer->text;
	writer->text = given;
	writer->full = true;
	int errnum = writer->errnum;
	pthread_cond_signal(&writer->change);
	pthread_mutex_unlock(&writer->lock);
	text_clear(text);
	return errnum;
}

int writer_finish(struct writer *writer)
{
	if (!writer)
		return 0;
	pthread_mutex_lock(&writer->lock);
	writer->end = true;
	pthread_cond_signal(&writer->change);
	pthread_mutex_unlock(&writer->lock);
	pthread_join(writer->thread, NULL);
	int errnum = writer->errnum;
	writer_destroy(writer);
	return errnum;
}
