// SPDX-License-Identifier: GPL-2.0-or-later
#include "symbolize.h"

#include <stdlib.h>
#include <string.h>

#include "health/stack_health.h"
#include "kernel/kernel.h"
#include "object/object_cache.h"
#include "process/follow/perf_events.h"
#include "process/procfs.h"
#include "process/space_stream.h"
#include "resolve/dump_processes.h"
#include "resolve/guesser.h"
#include "resolve/kernel_place.h"
#include "resolve/place.h"
#include "resolve/resolver.h"
#include "resolve/unwinder.h"
#include "util/cleanup.h"
#include "util/vec.h"
#include "util/xalloc.h"

/* Delay of a sample without CLOCK_MONOTONIC time in a pipe, in ns, at most. */
#define LATE_NS 1000000000ULL

struct symbolizer {
	const struct symbolize_options *options;
	struct fetcher *fetcher; /* NULL: nothing is fetched */
	struct resolver resolver;
	struct unwinder unwinder;
	enum stream_kind kind;
	char *boot_id;		      /* of this system; NULL: unknown */
	bool origin_tried, elsewhere; /* ELSEWHERE: the dump's processes are not of this system */
	struct dump_processes dump_processes;
	struct input_processes processes;
	struct fixed_file fixed_file;
	struct guesser guesser;
	struct kernel_fit kernel_fit;
	/* of the current batch */
	struct doubted doubted;
	struct VEC(struct sample) samples;
	struct VEC(struct trace) traces;
};

CLEANUP_OF(symbolizer)

struct error *symbolizer_create(const struct symbolize_options *options, struct symbolizer **ret)
{
	scope_guard(symbolizer_cleanup) struct symbolizer *symbolizer = xnew(symbolizer);
	struct resolver *resolver = &symbolizer->resolver;

	symbolizer->options = options;
	symbolizer->boot_id = procfs_boot_id(options->find.proc_root);
	symbolizer->fetcher = fetcher_create(&options->fetch);
	symbolizer->doubted.serials = &resolver->serials;
	symbolizer->guesser.resolver = resolver;
	symbolizer->dump_processes.spaces = &resolver->places.spaces;
	symbolizer->unwinder =
		(struct unwinder){.places = &resolver->places, .targets = &resolver->targets};
	symbolizer->processes = dump_processes_ask(&symbolizer->dump_processes);
	try(resolver_init(options, symbolizer->fetcher, resolver));
	struct object *fixed = resolver->places.fixed;
	symbolizer->fixed_file =
		(struct fixed_file){fixed && fixed->image ? fixed : NULL, &resolver->targets};
	*ret = take(symbolizer);
	return NULL;
}

void symbolizer_want(struct symbolizer *symbolizer, enum name_style names, bool lines)
{
	symbolizer->resolver.targets.lines = lines;
	resolver_want_names(&symbolizer->resolver, names);
}

void symbolizer_destroy(struct symbolizer *symbolizer)
{
	if (!symbolizer)
		return;
	dump_processes_deinit(&symbolizer->dump_processes);
	doubted_deinit(&symbolizer->doubted);
	vec_deinit(&symbolizer->traces);
	vec_deinit(&symbolizer->samples);
	guesser_deinit(&symbolizer->guesser);
	table_deinit(&symbolizer->kernel_fit.outermost);
	unwinder_deinit(&symbolizer->unwinder);
	resolver_deinit(&symbolizer->resolver);
	fetcher_destroy(symbolizer->fetcher);
	free(symbolizer->boot_id);
	free(symbolizer);
}

/* Returns true if the processes of samples are those of this system. */
static bool is_here(const struct space_cache *spaces)
{
	return !strcmp(spaces->proc_root, "/proc") &&
	       !(spaces->recording && spaces->recording->foreign);
}

void symbolizer_hear(struct symbolizer *symbolizer)
{
	struct space_cache *spaces = &symbolizer->resolver.places.spaces;

	if (is_here(spaces) && !spaces->follower && !spaces->streams)
		spaces->follower = follower_open();
}

void symbolizer_follow(
	struct symbolizer *symbolizer, struct symbolizer *before, enum stream_kind kind)
{
	struct space_cache *spaces = &symbolizer->resolver.places.spaces;

	if (before) {
		space_cache_take(spaces, &before->resolver.places.spaces);
		/* what is kept by the serials of one round must not be taken for the next one's */
		symbolizer->resolver.serials = before->resolver.serials;
	} else {
		symbolizer_hear(symbolizer);
		if (is_here(spaces) && !spaces->streams)
			space_cache_stream(spaces);
	}
	symbolizer->kind = kind;
	spaces->recent = kind == STREAM_EVENTS;
}

void symbolizer_mark(struct symbolizer *symbolizer, bool late)
{
	struct follower *follower = symbolizer->resolver.places.spaces.follower;

	if (follower)
		follower_mark(follower, late ? LATE_NS : 0);
}

void symbolizer_notes(struct symbolizer *symbolizer, struct log *log)
{
	struct resolver *resolver = &symbolizer->resolver;
	const char *refused = kernel_places_refused(&resolver->kernel_places);

	if (refused)
		log_add(log, LOG_WARNING, 1, "--vmlinux: %s", refused);
	if (resolver->places.spaces.recording)
		recording_notes(resolver->places.spaces.recording, log);
	if (resolver->kernel.follow)
		follow_notes(resolver->kernel.follow, log);
	kernel_fit_notes(&symbolizer->kernel_fit, log);
	prototypes_notes(&resolver->prototypes, log);
	object_cache_notes(&resolver->places.objects, log);
	fetcher_notes(symbolizer->fetcher, log);
}

/* Adds READ to the batch, with its time by our clock. */
static struct sample *add_sample(struct symbolizer *symbolizer, const struct sample *read)
{
	const struct space_cache *spaces = &symbolizer->resolver.places.spaces;
	struct kernel *kernel = &symbolizer->resolver.kernel;
	uint64_t time;

	vec_push(&symbolizer->samples, *read);
	struct sample *sample = &symbolizer->samples.data[symbolizer->samples.len - 1];
	if (sample->time && sample->perf_clock && spaces->streams &&
		kernel_from_perf_clock(kernel, sample->time, &time)) {
		/* unless it is the time of an event in a dump */
		sample->converted = symbolizer->kind != STREAM_ENTRIES || !spaces->follower ||
				    time >= spaces->follower->recording->begin;
		sample->time = time;
	}
	/* kernel symbols of another system imply that the dump's processes are from there too */
	bool asked = sample->pid >= 0 || sample->user.state == STACK_PRESENT;
	if (!asked || sample->boot_id || sample->user.exact || kernel->recording)
		return sample;
	if (!symbolizer->origin_tried)
		symbolizer->elsewhere = kernel_saved_elsewhere(kernel);
	symbolizer->origin_tried = true;
	if (symbolizer->elsewhere)
		sample->boot_id = "-";
	return sample;
}

/* Adds to SAMPLE what is known of its process at its time. HAS_USER: it has user frames. */
static void add_process(struct symbolizer *symbolizer, struct sample *sample, bool has_user)
{
	struct places *places = &symbolizer->resolver.places;
	bool comms = symbolizer->options->process_comms;

	/* ask even if all places are known, so that the space is refreshed */
	if (sample->pid < 0 || sample->boot_id || (sample->comm && !has_user && !comms))
		return;
	const struct space *space = space_then(&places->spaces,
		space_at(&places->spaces, sample->pid, sample->time), place_taken(sample), 0);
	if (sample->read_back)
		return;
	const char *comm = NULL;
	if (comms || !sample->comm)
		comm = space->record ? process_record_comm(space->record, sample->time)
				     : space->comm;
	/* a kernel thread never had a user stack: the PID was reused */
	bool other =
		has_user && space->status == SPACE_NO_MAPPINGS && !space->record && !space->is_dead;
	if (!sample->comm || has_user)
		sample->process_start = space->start_ticks;
	if (!sample->comm && !other)
		sample->comm = comm;
	/* if no thread has the sample's name, the PID may have been reused */
	if (comms && place_comm_fits(places, sample) && (space->record || !space->is_dead))
		sample->process_comm = comm;
}

/* Sets pointers into the batch's vectors, which no longer grow. */
static void link_traces(struct symbolizer *symbolizer)
{
	const struct location **slot = symbolizer->resolver.slots.data;
	struct sample *sample = symbolizer->samples.data;

	vec_each(trace, &symbolizer->traces) {
		size_t n = trace->n_user + trace->n_kernel;

		trace->sample = sample;
		trace->user = slot;
		trace->kernel = slot + trace->n_user;
		kernel_fit_look(&symbolizer->kernel_fit, trace);
		/*
		 * without names nothing is known about missing frames; the reader of the output
		 * finds it
		 */
		trace->user_health = symbolizer->options->unnamed
					     ? health_of_state(&sample->user)
					     : health_user_stack(&symbolizer->doubted,
						       &sample->user, slot, &trace->n_user);
		trace->kernel_health = health_of_state(&sample->kernel);
		guesser_look(&symbolizer->guesser, trace, slot);
		slot += n;
		sample++;
	}
	guesser_finish(&symbolizer->guesser);
	vec_each(trace, &symbolizer->traces)
		kernel_fit_doubt(&symbolizer->kernel_fit, trace, &symbolizer->resolver.serials);
}

/* Reads again, or forgets, what may have changed since the last batch, and what grew too large. */
static void begin_batch(struct symbolizer *symbolizer, const struct sample *samples, size_t n)
{
	struct resolver *resolver = &symbolizer->resolver;
	struct space_cache *spaces = &resolver->places.spaces;
	uint64_t latest = 0; /* up to then processes must be known */

	doubted_clear(&symbolizer->doubted);
	resolver->slots.len = symbolizer->traces.len = symbolizer->samples.len = 0;
	array_each(sample, samples, n) {
		/* a sample without a time may have been taken just now */
		uint64_t time = sample->time ?: UINT64_MAX;
		bool waits = !sample->boot_id && !space_is_recent(spaces, sample->time);

		latest = waits && time > latest ? time : latest;
	}
	bool changed = space_cache_refresh(spaces, latest);
	enum kernel_news news = kernel_refresh(&resolver->kernel);
	object_cache_begin(&resolver->places.objects);
	bool full = resolver_forget(resolver);
	if (news == KERNEL_SYMBOLS_READ)
		named_starts_clear(&resolver->starts);
	/* most addresses of a file are never used again */
	bool passed = resolver->places.fixed && resolver->places.all.len > PLACES_RECENT;
	bool forget = changed || symbolizer->options->once || news == KERNEL_SYMBOLS_READ || full ||
		      passed;
	if (forget)
		places_forget(&resolver->places);
	else if (news == KERNEL_CODE_CHANGED)
		places_forget_kernel_names(&resolver->places);
	unwinder_begin(&symbolizer->unwinder, full);
	guesser_begin(&symbolizer->guesser, forget);
}

const struct trace *symbolizer_batch(
	struct symbolizer *symbolizer, const struct sample *samples, size_t n)
{
	struct resolver *resolver = &symbolizer->resolver;

	begin_batch(symbolizer, samples, n);
	array_each(sample, samples, n)
		resolver_prefetch(resolver, sample);
	array_each(read, samples, n) {
		struct sample *sample = add_sample(symbolizer, read);
		size_t start = resolver->slots.len;

		if (sample->snapshot)
			unwinder_run(&symbolizer->unwinder, sample);
		resolver_push_stack(resolver, sample, false);
		size_t n_user = resolver->slots.len - start;
		resolver_push_stack(resolver, sample, true);
		add_process(symbolizer, sample, n_user > 0);
		const struct trace trace = {
			.n_user = n_user, .n_kernel = resolver->slots.len - start - n_user};
		vec_push(&symbolizer->traces, trace);
		sample->time = read->time;
		if (resolver->places.spaces.follower)
			perf_events_take(resolver->places.spaces.follower->events);
	}
	/* each object names its addresses, sorted and unique, in one sweep */
	resolver_finish(resolver);
	link_traces(symbolizer);
	return symbolizer->traces.data;
}

/* ---- symbols as addresses ------------------------------------------------------------------- */

enum frame_status symbolizer_find_symbols(struct symbolizer *symbolizer, const char *word,
	bool kernel, int64_t pid, struct symbol_addresses *ret)
{
	struct resolver *resolver = &symbolizer->resolver;

	if (kernel)
		return lookup_in_kernel(&resolver->kernel, word, ret);
	return lookup_in_files(
		&resolver->places, &resolver->targets, resolver->places.fixed, pid, word, ret);
}

struct named_start symbolizer_find_kernel(
	struct symbolizer *symbolizer, const struct stack_file *file, bool *in_file_ret)
{
	struct resolver *resolver = &symbolizer->resolver;

	*in_file_ret = listed_kernel_file(&resolver->places.objects, file->module) != NULL;
	if (*in_file_ret)
		return (struct named_start){.status = FRAME_NAMED};
	return named_start_in_kernel(
		&resolver->starts, &resolver->kernel, file->module, file->symbol, file->size);
}

struct symbolizer_facts symbolizer_facts(struct symbolizer *symbolizer)
{
	struct resolver *resolver = &symbolizer->resolver;
	const struct recording *recording = resolver->places.spaces.recording;

	return (struct symbolizer_facts){
		.boot_id = recording ? recording->boot_id : symbolizer->boot_id,
		.halves = kernel_halves(&resolver->kernel, resolver->kernel_places.files.vmlinux),
		.processes = &symbolizer->processes};
}

const struct fixed_file *symbolizer_fixed_file(const struct symbolizer *symbolizer)
{
	return &symbolizer->fixed_file;
}
