// SPDX-License-Identifier: GPL-2.0-or-later
#include "output/output.h"

#include <errno.h>
#include <stdlib.h>

#include "output/format.h"
#include "output/summary.h"
#include "util/xalloc.h"

enum { WRITE_BYTES = 1 << 19 }; /* buffered bytes that are worth a write */

struct output {
	const struct format *format;
	FILE *file;
	void *state;
	struct text text;	       /* not written yet */
	const struct summary *summary; /* NULL: print no table */
	int errnum;		       /* of the first failed write; 0: none */
};

static const struct format *const formats[] = {
#define X(name, word, help) [OUTPUT_##name] = &word##_format,
	OUTPUT_FORMATS(X)
#undef X
};

struct output *output_create(
	const struct output_options *options, FILE *file, const struct summary *summary)
{
	struct output *output = xnew(output);

	output->format = formats[options->format];
	/* a graph of a difference uses the format of a plain graph */
	if (options->diff && !output_is_graph(options->format))
		output->format =
			options->format == OUTPUT_FOLDED ? &diff_folded_format : &diff_table_format;
	output->file = file;
	output->state = output->format->create(options);
	if (options->why && options->format == OUTPUT_ANNOTATED)
		output->summary = summary;
	return output;
}

void output_destroy(struct output *output)
{
	if (!output)
		return;
	output->format->destroy(output->state);
	text_deinit(&output->text);
	free(output);
}

/* Writes the buffered text. Keeps the first write error, and discards all text after it. */
static void write_text(struct output *output)
{
	errno = 0;
	if (!output->errnum && output->text.len &&
		fwrite(output->text.data, 1, output->text.len, output->file) != output->text.len)
		output->errnum = errno ?: EIO;
	text_clear(&output->text);
}

void output_trace(struct output *output, const struct trace *trace)
{
	output->format->trace(output->state, trace, &output->text);
	if (output->text.len >= WRITE_BYTES)
		write_text(output);
}

struct error *output_flush(struct output *output)
{
	write_text(output);
	errno = 0;
	if (!output->errnum && (fflush(output->file) || ferror(output->file)))
		output->errnum = errno ? errno : EIO;
	return output->errnum ? error_errno(output->errnum, "cannot write the output") : NULL;
}

struct error *output_end(struct output *output)
{
	const struct format *format = output->format;

	write_text(output);
	/*
	 * output_end() may be called again after a failed write, but pieces() may not, because it
	 * sorts the kept data in place.
	 */
	size_t n = format->pieces && !output->errnum ? format->pieces(output->state) : 0;
	for (size_t i = 0; i < n && !output->errnum; i++) {
		format->piece(output->state, i, &output->text);
		if (output->text.len >= WRITE_BYTES || i + 1 == n)
			write_text(output);
	}
	if (output->summary && !output->errnum && output->summary->losses.len) {
		fputc('\n', output->file);
		summary_print(output->summary, output->file, "");
	}
	return output_flush(output);
}
