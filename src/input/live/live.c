// SPDX-License-Identifier: GPL-2.0-or-later
#include "input/live/live.h"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "input/live/live_dump.h"
#include "input/live/entries.h"
#include "input/live/events.h"
#include "input/live/round.h"
#include "input/live/type.h"
#include "input/stacks/stack_index.h"
#include "util/cleanup.h"
#include "util/clock.h"
#include "util/sort.h"
#include "util/vec.h"
#include "util/xalloc.h"

/* ---- one process at a time ------------------------------------------------------------------- */

/* The lock is on one byte, at the map's ID, of a file that only root can open. */
static const char lock_path[] = "/run/stack2line.lock";

/*
 * Locks MAP for --clear until the process ends. Opens the file if FD is -1. Fails if another
 * process has the lock. If the file cannot be opened or locked, warns in LOG and succeeds.
 */
static struct error *lock_map(const struct live_map *map, int *fd, struct log *log)
{
	struct flock lock = {
		.l_type = F_WRLCK, .l_whence = SEEK_SET, .l_start = map->id, .l_len = 1};

	if (*fd < 0)
		*fd = open(lock_path, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600);
	if (*fd >= 0 && !fcntl(*fd, F_SETLK, &lock))
		return NULL;
	if (*fd >= 0 && (errno == EACCES || errno == EAGAIN)) {
		/* the PID is 0 or -1 if the holder is in another PID namespace */
		bool known =
			!fcntl(*fd, F_GETLK, &lock) && lock.l_type != F_UNLCK && lock.l_pid > 0;
		auto_free char *holder = known ? xasprintf("process %d", (int)lock.l_pid)
					       : xstrdup("another process");

		return error_create(ERROR_INPUT,
			"--clear: %s: %s clears it already, and two would print entries twice",
			map->label, holder);
	}
	log_add(log, LOG_WARNING, 1,
		"%s: %s: another process that clears the same map would not be noticed", lock_path,
		strerror(errno));
	return NULL;
}

/* A map being read. */
struct map_reading {
	struct collector *collector;
	struct live_dump *dump;
	struct live_held *held; /* gets the entries to be deleted; NULL without live.clear */
	struct live_entries entries;
	uint64_t n; /* number of entries so far */
	struct live_shape shape;
	struct VEC(struct field) fields;
};

static void reading_cleanup(struct map_reading *reading)
{
	live_shape_deinit(&reading->shape);
	vec_deinit(&reading->fields);
}

/* ---- opening ---- */

COMPARE(compare_kinds, struct live_map,
	order_of(a->kind != LIVE_COUNTS, b->kind != LIVE_COUNTS) ?: order_of(a->kind, b->kind) ?: order_of(a->id, b->id))

/* Adds the current content of maps of maps, then checks and sorts all maps. */
static struct error *find_inner(struct live *live)
{
	size_t had = live->maps.len;

	try(live_maps_follow(&live->maps));
	vec_each(map, &live->maps) {
		const char *type = live_map_type_name(map);

		if (map->is_queue && !live->options->clear)
			return error_create(ERROR_USAGE,
				"--map: %s is a %s: reading it removes its entries: add --clear to "
				"allow that, and --save-dump=FILE to keep them",
				map->label, type);
		if (map->kind == LIVE_EVENTS)
			return error_create(ERROR_USAGE,
				"--map: %s is an event buffer (%s), which cannot be dumped: pass "
				"it to --events, with --event-layout",
				map->label, type);
		if (map->kind == LIVE_OTHER)
			return error_create(ERROR_USAGE,
				"--map: %s holds neither stacks nor counts (%s): expected a "
				"stack_trace map, a hash or an array",
				map->label, type);
	}
	vec_sort(&live->maps, compare_kinds);
	if (!live->begun && live->maps.len == 1 && had == 1 && live->maps.data[0].kind == LIVE_MAPS)
		return error_create(ERROR_INPUT, "--map: %s: a map of maps, which holds no map now",
			live->maps.data[0].label);
	return NULL;
}

static struct error *open_events(struct live *live)
{
	struct live_spec spec;

	if (!live->options->events)
		return NULL;
	try(live_spec_parse(live->options->events, "--events", &spec));
	if (spec.kind == LIVE_SPEC_PROG && !spec.name)
		return error_create(ERROR_USAGE,
			"--events: choose one map of the program: prog:%u/NAME", spec.id);
	if (spec.kind == LIVE_SPEC_COMM || spec.kind == LIVE_SPEC_PID)
		return error_create(ERROR_USAGE,
			"--events: choose one map of the process by its ID (see --list-maps)");
	try(live_maps_find(&spec, "--events", live->options->proc_root, &live->events));
	const struct live_map *map = &live->events.data[0];
	if (map->kind == LIVE_EVENTS)
		return NULL;
	return error_create(ERROR_USAGE,
		"--events: %s is neither a ring buffer nor a perf event array (%s): pass it to "
		"--map",
		map->label, live_map_type_name(map));
}

void live_destroy(struct live *live)
{
	if (!live)
		return;
	live_maps_deinit(&live->maps);
	live_maps_deinit(&live->events);
	free(live->stacks.value);
	live_round_clear(live);
	table_deinit(&live->used);
	cleanup_fd(&live->lock_fd);
	free(live);
}

struct error *live_open(const struct input_live *options, const struct wanted *wanted,
	struct log *log, struct live **ret)
{
	scope_guard(live_cleanup) struct live *live = xnew(live);

	libbpf_set_print(NULL);
	live->options = options;
	live->wanted = wanted;
	live->log = log;
	live->lock_fd = -1;
	vec_each_value(name, &options->maps) {
		struct live_spec spec;

		try(live_spec_parse(name, "--map", &spec));
		try(live_maps_find(&spec, "--map", options->proc_root, &live->maps));
	}
	try(find_inner(live));
	vec_each(map, &live->maps) {
		uint32_t none = 0;

		/* the kernel checks permissions first, then deletes 0 entries */
		if (options->clear && map->kind != LIVE_MAPS &&
			bpf_map_delete_batch(map->fd, &none, &none, NULL) && errno == EPERM)
			return error_create(ERROR_SYSTEM,
				"%s: frozen, or created with BPF_F_RDONLY: its entries cannot be "
				"deleted; read it without --clear",
				map->label);
	}
	try(open_events(live));
	*ret = take(live);
	return NULL;
}

/* ---- reading ---- */

static void add_entry(void *context, const uint8_t *key, const uint8_t *value)
{
	struct map_reading *reading = context;
	const struct live_map *map = reading->shape.map;

	reading->n++;
	if (reading->held && !map->is_queue)
		live_held_add(reading->held, key, value);
	if (!map->is_queue)
		live_dump_entry(reading->dump, key, value);
	vec_reserve(&reading->fields, live_shape_room(&reading->shape));
	size_t key_fields = live_shape_key(&reading->shape, key, reading->fields.data);
	for (size_t i = 0; i < map->n_cpus; i++, value += map->stride) {
		struct row record;

		if (map->per_cpu && map->is_array && scan_is_zero(value, map->value_size))
			continue;
		struct map_entry entry = live_shape_entry(&reading->shape, key, value,
			map->per_cpu ? (int)i : -1, key_fields, reading->fields.data, &record);

		entry.distinct = reading->entries.distinct && !reading->held;
		collector_entry(reading->collector, &entry);
	}
}

static struct error *read_map(struct live *live, const struct live_map *map,
	struct collector *collector, struct live_dump *dump)
{
	scope_guard(reading_cleanup) struct map_reading reading = {
		.collector = collector, .dump = dump};

	if (live->options->clear) {
		try(lock_map(map, &live->lock_fd, live->log));
		/* bpftrace's stacks are never deleted: the oldest ones give way to new ones */
		if (map->kind != LIVE_HASHED) {
			reading.held = xnew(reading.held);
			reading.held->map = map;
			vec_push(&live->held, reading.held);
		}
	}
	reading.entries = (struct live_entries){.entry = add_entry, .context = &reading};
	try(live_shape_find(map, live->wanted, &reading.shape));
	live_dump_map(dump, &reading.shape);
	if (map->kind == LIVE_STACKS)
		collector_stack_map_begin(collector, map->label, map->flags & BPF_F_STACK_BUILD_ID);
	else
		collector_count_map_begin(collector, map->label, map->automatic, map->is_queue);
	struct error *error = live_entries_read(map, &reading.entries);
	log_add(live->log, LOG_DETAIL, reading.entries.vanished,
		"%s: an entry disappeared while the map was read", map->label);
	/* if an entry vanished, the kernel may have started over: some were counted twice */
	int cpus = libbpf_num_possible_cpus();
	if (!reading.entries.vanished && cpus > 0)
		live_fill_report(map, reading.n, (unsigned int)cpus, live->log);
	collector_map_end(collector, false);
	live_dump_map_end(dump);
	return error;
}

struct error *live_read(struct live *live, struct collector *collector)
{
	struct live_dump dump;
	struct error *error = NULL;

	if (live->looks_up)
		return NULL;
	if (live->begun)
		try(find_inner(live));
	else
		live->next = clock_ns(CLOCK_MONOTONIC);
	live->begun = true;
	live_round_clear(live);
	live_dump_begin(&dump, live->options->save);
	vec_each(map, &live->maps)
		if (!error && map->kind != LIVE_MAPS)
			error = read_map(live, map, collector, &dump);
	struct error *failed = live_dump_end(&dump);
	live->saved = live->options->save && !error && !failed;
	return error_first(error, failed);
}

/* ---- time ---- */

/* Rounds begin a whole number of intervals after the first one; late ones are skipped. */
bool live_next_round(struct live *live)
{
	const struct input_live *options = live->options;
	struct pollfd fds[] = {{.fd = options->stop_fd, .events = POLLIN},
		{.fd = options->wake ? options->wake_fd : -1, .events = POLLIN}};
	uint64_t time = clock_ns(CLOCK_MONOTONIC);

	do
		live->next += options->interval;
	while (live->next <= time);
	for (; time < live->next; time = clock_ns(CLOCK_MONOTONIC)) {
		uint64_t left = live->next - time;
		struct timespec wait = {(time_t)(left / SECOND), (long)(left % SECOND)};

		int n = ppoll(fds, array_len(fds), &wait, options->wake_mask);
		if ((n > 0 && fds[0].revents) ||
			(n && options->wake && !options->wake(options->wake_context)))
			return false;
	}
	return true;
}

/* ---- events ---- */

struct error *live_look_up(struct live *live, struct collector *collector)
{
	const struct live_maps *maps = &live->maps;

	vec_each(map, maps)
		if (map->kind != LIVE_STACKS)
			return NULL;
	if (!maps->len || live->options->save)
		return NULL;
	live->looks_up = true;
	try(collector_stacks_complete(collector));
	live_look_up_now(live, collector);
	return NULL;
}

struct error *live_events(struct live *live, struct collector *collector)
{
	if (!live->events.len)
		return NULL;
	try(collector_stacks_complete(collector));
	live_look_up_now(live, collector);
	struct error *error = live_events_read(&live->events.data[0], live->options->stop_fd,
		live->options->waits, live->log, collector);
	/* from here on COLLECTOR uses the stacks as they were read */
	collector_live_stacks(collector, &(struct join_live){});
	return error;
}
