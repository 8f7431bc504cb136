/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A source is a sequence of documents, each in its own format. What a document is shows in its
 * first bytes; to add a format, add it to enum document_kind, look() and the switch in
 * documents_read().
 */
#pragma once

#include "input/dump.h"
#include "input/input.h"
#include "util/error.h"

enum document_kind {
	DOCUMENT_NONE,		/* the source is at its end */
	DOCUMENT_JSON,		/* bpftool -j, -p, or its text for maps with BTF; event_pipe -j */
	DOCUMENT_SAMPLES,	/* a line of --json */
	DOCUMENT_TEXT,		/* bpftool's text for maps without BTF */
	DOCUMENT_EVENTS,	/* event_pipe's text */
	DOCUMENT_PERF,		/* the text of perf script */
	DOCUMENT_BPFTRACE,	/* the text of bpftrace */
	DOCUMENT_BPFTRACE_JSON, /* of bpftrace -f json */
	DOCUMENT_BCC,		/* the text of bcc and libbpf-tools */
	DOCUMENT_MEMLEAK,	/* the text of their memleak */
	DOCUMENT_FOLDED,	/* folded stacks */
	DOCUMENT_GADGET_JSON,	/* of Inspektor Gadget -o json, jsonpretty */
	DOCUMENT_GADGET_TEXT,	/* its YAML or columns, which are refused */
	DOCUMENT_LISTING,	/* a list of maps, programs and so on: no dump */
	DOCUMENT_NULL,		/* map lookup -j found nothing */
	DOCUMENT_FAILED,	/* "Error: …" of bpftool */
	DOCUMENT_BINARY,	/* no text: bytes of something else */
	DOCUMENT_LINES,		/* everything else: tables and address lists */
};

/*
 * Reads all documents of the source. The error is the sink's, or for options that contradict each
 * other; DUMP->used says whether anything was of use.
 */
struct error *documents_read(struct dump *dump, const struct input_options *options) must_check;
