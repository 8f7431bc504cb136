// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Random histories of few IDs and few addresses, in which all is used again and again: processes,
 * threads, execs, mappings, JIT code and BPF programs, with the truth at each time kept beside what
 * is recorded. With a time, what is read back is the truth; without one, it is ambiguous exactly
 * where it was not always the same.
 */
#include <check.h>
#include <inttypes.h>
#include <string.h>

#include "packed_recording.h"
#include "process/jit/jit.h"
#include "process/recording/process_record.h"
#include "process/recording/recording.h"
#include "run.h"

enum { IDS = 7, PAGES = 4, TIMES = 400, FILES = 5, MUTANTS = 100, WORLDS = 12, LOOK = 9 };
enum { BASE = 0x10000, PAGE = 0x1000, KERNEL = 0x4000 };

/* The process with one ID at one time. */
struct being {
	uint32_t identity;		   /* of the process, from 1; 0: nobody has the ID */
	uint32_t process;		   /* its ID */
	uint8_t files[PAGES], jits[PAGES]; /* from 1; 0: none */
};

struct world {
	uint64_t state;
	uint32_t identities;
	struct being at[TIMES + 1][IDS + 1];
	struct {
		size_t n;
		uint8_t pages[TIMES], jits[TIMES];
	} made[IDS + 1];	       /* JIT code that no look has found yet */
	uint64_t looked[IDS + 1];      /* when each process's JIT code was looked at last */
	uint8_t bpf[TIMES + 1][PAGES]; /* from 1; 0: none */
	struct text text;
};

/*
 * libcheck writes to a file at each assertion, of which there are millions here: these only tell it
 * of failures.
 */
#define same(a, b)                                                                                 \
	do {                                                                                       \
		if ((a) != (b))                                                                    \
			ck_assert_int_eq(a, b);                                                    \
	} while (0)
#define is_true(condition)                                                                         \
	do {                                                                                       \
		if (!(condition))                                                                  \
			ck_abort_msg("%s", #condition);                                            \
	} while (0)

static uint32_t below(struct world *world, uint32_t n)
{
	world->state = world->state * 6364136223846793005ULL + 1442695040888963407ULL;
	return (uint32_t)(world->state >> 33) % n;
}

static void map(struct world *world, uint64_t time, uint32_t id)
{
	uint32_t page = below(world, PAGES), n = 1 + below(world, PAGES - page);
	uint32_t file = 1 + below(world, FILES);

	for (uint32_t i = page; i < page + n; i++)
		world->at[time][id].files[i] = (uint8_t)file;
	/* The same part of the file, wherever it is mapped from. */
	text_printf(&world->text, "map %u %" PRIu64 " %x %x %x %u\n", id, time, BASE + page * PAGE,
		BASE + (page + n) * PAGE, page * PAGE, file);
}

static void look(struct world *world, uint64_t time, uint32_t id)
{
	if (world->made[id].n)
		text_printf(&world->text, "jitlook %u %" PRIu64 "\n", id, world->looked[id]);
	for (size_t i = 0; i < world->made[id].n; i++)
		text_printf(&world->text, "jit %u %" PRIu64 " %x %x jit%u\n", id, time,
			BASE + world->made[id].pages[i] * PAGE, PAGE, world->made[id].jits[i]);
	world->made[id].n = 0;
	world->looked[id] = time;
}

/* As the recorder does, it looks for the last time before the code is gone. */
static void end_program(struct world *world, uint64_t time, uint32_t id)
{
	struct being *now = &world->at[time][id];

	look(world, time - 1, id);
	memset(now->files, 0, sizeof(now->files));
	memset(now->jits, 0, sizeof(now->jits));
	world->looked[id] = time;
}

static void begin(struct world *world, uint64_t time, uint32_t id, uint32_t parent)
{
	struct being *now = world->at[time];

	now[id] = now[parent];
	if (below(world, 2)) {
		text_printf(&world->text, "thread %u %" PRIu64 " %u\n", id, time, parent);
		return;
	}
	now[id].identity = ++world->identities;
	now[id].process = id;
	/* The parent's JIT code is known under the parent's ID only. */
	memset(now[id].jits, 0, sizeof(now[id].jits));
	world->made[id].n = 0;
	world->looked[id] = time;
	text_printf(&world->text, "fork %u %" PRIu64 " %u\n", id, time, parent);
}

static void end(struct world *world, uint64_t time, uint32_t id)
{
	struct being *now = world->at[time];

	look(world, time - 1, id);
	text_printf(&world->text, "exit %u %" PRIu64 "\n", id, time);
	for (uint32_t i = 1; i <= IDS; i++)
		if (i != id && now[i].identity == now[id].identity)
			now[i] = (struct being){};
	now[id] = (struct being){};
}

static void share(struct being *now, uint32_t id)
{
	for (uint32_t i = 1; i <= IDS; i++)
		if (now[i].identity && now[i].process == id)
			now[i] = now[id];
}

static void change_program(struct world *world, uint64_t time)
{
	uint8_t *now = world->bpf[time];
	uint32_t page = below(world, PAGES);

	if (now[page])
		text_printf(&world->text, "bpfgone %" PRIu64 " %x\n", time, KERNEL + page * PAGE);
	now[page] = now[page] ? 0 : (uint8_t)(1 + below(world, 3));
	if (now[page])
		text_printf(&world->text, "bpf %" PRIu64 " %x %x prog%u\n", time,
			KERNEL + page * PAGE, PAGE, now[page]);
}

/* One thing happens at each time. ID 1 is there always, so that somebody can fork. */
static void step(struct world *world, uint64_t time)
{
	struct being *now = world->at[time];
	uint32_t id = 1 + below(world, IDS), kind = below(world, 8);
	uint32_t process = now[id].process;

	if (kind == 0) {
		change_program(world, time);
	} else if (!now[id].identity) {
		begin(world, time, id, now[1 + below(world, IDS)].process ?: 1);
	} else if (kind == 1 && process == id && id > 1) {
		end(world, time, id);
	} else if (kind == 2 && process == id) {
		end_program(world, time, id);
		text_printf(&world->text, "exec %u %" PRIu64 " x\n", id, time);
		share(now, id);
	} else if (kind < 6) {
		map(world, time, process);
		share(now, process);
	} else {
		uint32_t page = below(world, PAGES);

		now[process].jits[page] = (uint8_t)(1 + below(world, 3));
		world->made[process].pages[world->made[process].n] = (uint8_t)page;
		world->made[process].jits[world->made[process].n++] = now[process].jits[page];
		share(now, process);
	}
	for (uint32_t i = 1; time % LOOK == 0 && i <= IDS; i++)
		if (now[i].process == i)
			look(world, time, i);
}

static void record(struct world *world)
{
	text_add_string(&world->text, "host here m r\nbegin 1 1\n");
	for (int i = 1; i <= FILES; i++)
		text_printf(&world->text, "file %d 0 0 0 0 0 0 0 %02x /%d\n", i, i, i);
	text_add_string(&world->text, "proc 1 1 1 9 1 init\n");
	world->at[1][1] = (struct being){.identity = ++world->identities, .process = 1};
	for (uint64_t time = 2; time <= TIMES; time++) {
		memcpy(world->at[time], world->at[time - 1], sizeof(world->at[time]));
		memcpy(world->bpf[time], world->bpf[time - 1], sizeof(world->bpf[time]));
		step(world, time);
	}
	for (uint32_t i = 1; i <= IDS; i++)
		if (world->at[TIMES][i].process == i)
			look(world, TIMES, i);
	text_printf(&world->text, "end %d\n", TIMES);
}

static struct recording *read_back(const struct text *bytes)
{
	struct recording *recording = NULL;

	ck_assert_ptr_null(recording_parse("r", bytes->data, bytes->len, "here", &recording));
	ck_assert_uint_eq(recording->odd, 0);
	ck_assert_uint_eq(recording->torn, 0);
	return recording;
}

/* The number at the end of a name. */
static int number_of(const char *name)
{
	return name[strlen(name) - 1] - '0';
}

static void check_mapping(const struct process_record *record, const struct being *truth,
	uint64_t time, uint32_t page)
{
	const struct mapping *mapping = process_record_find(record, time, BASE + page * PAGE + 7);

	same(mapping ? number_of(mapping->path) : 0, truth->files[page]);
	is_true(!mapping || !mapping->ambiguous);
}

/* Between two looks either may have been there; at other times it is known. */
static void check_code(const struct world *world, const struct jit_map *map,
	const struct being *truth, uint64_t time, uint32_t page)
{
	uint64_t from = time - time % LOOK, to = from + LOOK < TIMES ? from + LOOK : TIMES;
	bool changes = false;
	struct jit_code code = jit_map_find(map, BASE + page * PAGE + 7, time);

	for (uint64_t t = from; t <= to; t++)
		changes |= world->at[t][truth->process].jits[page] != truth->jits[page] ||
			   world->at[t][truth->process].identity != truth->identity;
	if (code.ambiguous)
		is_true(changes);
	else if (truth->jits[page])
		same(code.name ? number_of(code.name) : 0, truth->jits[page]);
	else
		/* Code that came by the next look may have been there already. */
		is_true(!code.name || changes);
}

static void check_timed(const struct world *world, struct recording *recording, uint32_t id)
{
	const struct process_record *record, *read = NULL;
	struct jit_map map = {};

	for (uint64_t time = 1; time <= TIMES; time++) {
		const struct being *truth = &world->at[time][id];
		bool ambiguous;

		record = process_record_of(recording, id, time, &ambiguous);

		is_true(!ambiguous);
		/* That a thread ended is not recorded. */
		if (!truth->identity)
			continue;
		is_true(record);
		same(record->pid, truth->process);
		if (read != record) {
			jit_map_deinit(&map);
			map = (struct jit_map){};
			recorded_jit_read(read = record, &map);
		}
		for (uint32_t page = 0; page < PAGES; page++) {
			check_mapping(record, truth, time, page);
			check_code(world, &map, truth, time, page);
		}
	}
	jit_map_deinit(&map);
}

static void check_untimed(const struct world *world, struct recording *recording, uint32_t id)
{
	uint32_t identity = 0, process = 0;
	bool ambiguous, several = false;

	for (uint64_t time = 1; time <= TIMES; time++) {
		const struct being *truth = &world->at[time][id];

		several |= identity && truth->identity && truth->identity != identity;
		identity = truth->identity ?: identity;
		process = truth->identity ? truth->process : process;
	}
	/* Of a thread's process it must be known which one had that ID. */
	for (uint64_t time = 1; process && time <= TIMES; time++)
		several |= world->at[time][process].identity &&
			   world->at[time][process].identity != identity;
	const struct process_record *record = process_record_of(recording, id, 0, &ambiguous);
	same(ambiguous, several);
	same(record != NULL, identity && !several);
}

static void check_bpf(const struct world *world, const struct recording *recording)
{
	for (uint64_t time = 0; time <= TIMES; time++)
		for (uint32_t page = 0; page < PAGES; page++) {
			bool doubtful;
			const struct recorded_bpf *bpf = recorded_bpfs_at(
				&recording->bpfs, KERNEL + page * PAGE + 7, time, &doubtful);
			int truth = world->bpf[time][page], seen = 0;

			for (uint64_t t = 0; !time && t <= TIMES; t++) {
				int then = world->bpf[t][page];

				seen = !then || then == seen ? seen : seen ? -1 : then;
			}
			if (time && truth)
				same(number_of(bpf->name), truth);
			if (time)
				same(doubtful, !truth);
			else
				same(doubtful, seen < 0);
		}
}

static void check_world(const struct world *world, const struct text *bytes, bool forgets)
{
	struct recording *recording = read_back(bytes);

	for (uint32_t id = 1; id <= IDS; id++) {
		check_timed(world, recording, id);
		check_untimed(world, recording, id);
		if (forgets)
			process_records_forget(recording, NULL);
	}
	check_bpf(world, recording);
	recording_destroy(recording);
}

START_TEST(test_world)
{
	static struct world world;

	for (int i = 0; i < WORLDS; i++) {
		struct text packed = {};

		world = (struct world){.state = (uint64_t)(_i * WORLDS + i)};
		record(&world);
		ck_assert(pack_recording(
			world.text.data, world.text.len, 1 + below(&world, 60), &packed));
		check_world(&world, &packed, i % 2);
		text_deinit(&packed);
		text_deinit(&world.text);
	}
}
END_TEST

/* ---- damage --------------------------------------------------------------------------------- */

/*
 * Of what was damaged nothing is known, of the rest what is right; behind the end there is no
 * truth.
 */
static void check_damaged(struct world *world, const struct text *bytes)
{
	struct recording *recording = NULL;
	struct error *error = recording_parse("r", bytes->data, bytes->len, "here", &recording);

	for (int i = 0; recording && i < 20; i++) {
		uint32_t id = 1 + below(world, IDS), page = below(world, PAGES);
		uint64_t time = 1 + below(world, TIMES);
		const struct being *truth = &world->at[time][id];
		bool ambiguous;

		if (!truth->identity || time > recording->end)
			continue;
		const struct process_record *record =
			process_record_of(recording, id, time, &ambiguous);
		const struct mapping *mapping =
			record ? process_record_find(record, time, BASE + page * PAGE + 7) : NULL;
		is_true(!record || record->pid == truth->process);
		if (mapping && !mapping->ambiguous)
			same(number_of(mapping->path), truth->files[page]);
	}
	recording_destroy(recording);
	error_destroy(error);
}

START_TEST(test_damage)
{
	static struct world world;
	struct text packed = {}, damaged = {};
	int mutants = thorough() ? 5 * MUTANTS : MUTANTS;

	world = (struct world){.state = 77 + (uint64_t)_i};
	record(&world);
	ck_assert(pack_recording(world.text.data, world.text.len, 1 + below(&world, 30), &packed));
	for (int i = 0; i < mutants; i++) {
		text_clear(&damaged);
		text_add(&damaged, packed.data, packed.len);
		for (uint32_t n = below(&world, 4); n; n--)
			damaged.data[below(&world, (uint32_t)damaged.len)] ^=
				(char)(1 << below(&world, 8));
		if (below(&world, 4) == 0)
			damaged.len = below(&world, (uint32_t)damaged.len);
		check_damaged(&world, &damaged);
	}
	text_deinit(&damaged);
	text_deinit(&packed);
	text_deinit(&world.text);
}
END_TEST

int main(void)
{
	TCase *tests = tcase_create("recorded_times");

	tcase_add_loop_test(tests, test_world, 0, 4);
	tcase_add_loop_test(tests, test_damage, 0, 20);
	return tests_run(tests);
}
