// SPDX-License-Identifier: GPL-2.0-or-later
#include "output/writer.h"

#include <errno.h>

#include "util/thread.h"

enum {
	HELPERS_MAX = 3,
	ROW_FIRST = 64, /* pieces */
	ROW_MAX = 4096,
	ROW_BYTES = 256 << 10, /* about: of the later rows */
};

/*
 * Each thread claims the next row of pieces, makes their text, and writes it when all rows before it
 * are written.
 */
struct writing {
	FILE *file; /* of the thread whose turn it is */
	const struct pieces *pieces;
	pthread_mutex_t lock; /* of all below */
	pthread_cond_t turn;
	size_t next;		   /* the first piece that is not claimed */
	size_t row;		   /* pieces to claim at a time */
	uint64_t claimed, written; /* rows */
	int errnum;		   /* of the first failed write, 0: none */
};

struct writer_row {
	uint64_t number;
	size_t first, end; /* pieces */
	size_t bytes;	   /* written */
};

int writer_write(FILE *file, const struct text *text)
{
	errno = 0;
	if (fwrite(text->data, 1, text->len, file) == text->len)
		return 0;
	return errno ?: EIO;
}

static bool claim(struct writing *writing, struct writer_row *ret)
{
	size_t n = writing->pieces->n;

	pthread_mutex_lock(&writing->lock);
	bool more = !writing->errnum && writing->next < n;
	if (more) {
		size_t len = n - writing->next < writing->row ? n - writing->next : writing->row;

		*ret = (struct writer_row){
			writing->claimed++, writing->next, writing->next + len, 0};
		writing->next += len;
	}
	pthread_mutex_unlock(&writing->lock);
	return more;
}

/* When it is ROW's turn; after a failed write text is thrown away. */
static void write_text(struct writing *writing, struct writer_row *row, struct text *text)
{
	pthread_mutex_lock(&writing->lock);
	while (writing->written != row->number)
		pthread_cond_wait(&writing->turn, &writing->lock);
	int errnum = writing->errnum;
	pthread_mutex_unlock(&writing->lock);
	if (!errnum && text->len)
		errnum = writer_write(writing->file, text);
	row->bytes += text->len;
	text_clear(text);
	pthread_mutex_lock(&writing->lock);
	writing->errnum = errnum;
	pthread_mutex_unlock(&writing->lock);
}

static void finish(struct writing *writing, const struct writer_row *row)
{
	size_t fitting = (row->end - row->first) * ROW_BYTES / (row->bytes + 1);

	pthread_mutex_lock(&writing->lock);
	writing->row = fitting > ROW_MAX ? ROW_MAX : fitting + 1;
	writing->written++;
	pthread_cond_broadcast(&writing->turn);
	pthread_mutex_unlock(&writing->lock);
}

static void *work(void *context)
{
	struct writing *writing = context;
	const struct pieces *pieces = writing->pieces;
	struct text text = {};
	struct writer_row row;

	while (claim(writing, &row)) {
		for (size_t i = row.first; i < row.end; i++) {
			pieces->make(pieces->context, i, &text);
			if (text.len >= WRITER_BYTES)
				write_text(writing, &row, &text);
		}
		write_text(writing, &row, &text);
		finish(writing, &row);
	}
	text_deinit(&text);
	return NULL;
}

int writer_pieces(FILE *file, const struct pieces *pieces)
{
	struct writing writing = {.file = file, .pieces = pieces, .row = ROW_FIRST};
	unsigned int spare = pieces->n > 4 * ROW_FIRST ? thread_spare_cpus() : 0, n = 0;
	pthread_t helpers[HELPERS_MAX];

	pthread_mutex_init(&writing.lock, NULL);
	pthread_cond_init(&writing.turn, NULL);
	while (n < spare && n < HELPERS_MAX && thread_start(work, &writing, &helpers[n]))
		n++;
	work(&writing);
	while (n)
		pthread_join(helpers[--n], NULL);
	pthread_mutex_destroy(&writing.lock);
	pthread_cond_destroy(&writing.turn);
	return writing.errnum;
}
