/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Reads a source as a sequence of documents, each in its own format, which is recognized by its
 * first bytes. To add a format, add it to enum document_kind, look_at_line() or look(), and
 * read_document().
 */
#pragma once

#include "input/dump.h"
#include "input/input.h"
#include "util/error.h"

enum document_kind {
	DOCUMENT_NONE,		/* end of the source */
	DOCUMENT_JSON,		/* bpftool -j, -p, or its text for maps with BTF; event_pipe -j */
	DOCUMENT_SAMPLES,	/* output of --json */
	DOCUMENT_TEXT,		/* bpftool's text for maps without BTF */
	DOCUMENT_EVENTS,	/* event_pipe's text */
	DOCUMENT_PERF,		/* the text of perf script */
	DOCUMENT_BPFTRACE,	/* the text of bpftrace */
	DOCUMENT_BPFTRACE_JSON, /* output of bpftrace -f json */
	DOCUMENT_BCC,		/* the text of bcc and libbpf-tools */
	DOCUMENT_MEMLEAK,	/* the text of memleak of bcc and libbpf-tools */
	DOCUMENT_FOLDED,	/* folded stacks */
	DOCUMENT_GADGET_JSON,	/* Inspektor Gadget, -o json or jsonpretty */
	DOCUMENT_GADGET_TEXT,	/* Inspektor Gadget's YAML or columns, which are refused */
	DOCUMENT_LISTING,	/* bpftool's list of maps, programs …, not a dump */
	DOCUMENT_NULL,		/* "null": bpftool map lookup -j found nothing */
	DOCUMENT_FAILED,	/* an error message of bpftool: "Error: …" */
	DOCUMENT_BINARY,	/* binary data */
	DOCUMENT_LINES,		/* anything else: tables and address lists */
};

/*
 * Reads all documents of the source. The error is the sink's, or ERROR_USAGE for contradicting
 * options. Counts in DUMP->used what was usable.
 */
struct error *documents_read(struct dump *dump) must_check;
