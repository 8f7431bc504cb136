// SPDX-License-Identifier: GPL-2.0-or-later
#include "input/live/take.h"

#include <bpf/bpf.h>
#include <errno.h>
#include <string.h>
#include <sys/mman.h>

#include "input/live/entries.h"
#include "util/cleanup.h"
#include "util/xalloc.h"

enum {
	TRIES = 100,		 /* of an entry whose bucket others hold */
	MEMORY_SPARE = 32 << 20, /* bytes: what the output of a batch may need */
};

static size_t value_bytes(const struct live_held *held)
{
	return held->n_cpus * held->stride;
}

void live_held_deinit(struct live_held *held)
{
	vec_deinit(&held->keys);
	vec_deinit(&held->values);
	vec_deinit(&held->changed);
	table_deinit(&held->numbers);
}

static uint8_t *value_at(const struct live_held *held, size_t i)
{
	return held->values.data + i * value_bytes(held);
}

const uint8_t *live_held_key(const struct live_held *held, size_t i)
{
	return held->map->key_size ? held->keys.data + i * held->map->key_size : NULL;
}

const uint8_t *live_held_value(const struct live_held *held, size_t i)
{
	return value_at(held, i);
}

void live_held_add(struct live_held *held, const uint8_t *key, const uint8_t *value)
{
	size_t key_size = held->map->key_size;
	uint64_t *number = key_size ? table_at(&held->numbers, key, key_size, NULL) : NULL;

	if (number && *number) {
		memcpy(value_at(held, *number - 1), value, value_bytes(held));
		return;
	}
	vec_append(&held->keys, key, key_size);
	vec_append(&held->values, value, value_bytes(held));
	held->n++;
	if (number)
		*number = held->n;
}

struct error *live_take_check(const struct live_map *map)
{
	uint32_t none = 0;

	/* The kernel looks at the permissions first, and deletes no entry then. */
	if (!bpf_map_delete_batch(map->fd, &none, &none, NULL) || errno != EPERM)
		return NULL;
	return error_create(ERROR_SYSTEM,
		"%s: frozen, or created with BPF_F_RDONLY: its entries cannot be deleted; read "
		"it without --clear",
		map->label);
}

/* ---- entries with keys ---- */

/* 0, or errno. Nothing can be done at once there, so nearly. */
static int take_element(const struct live_held *held, const uint8_t *key, uint8_t *value)
{
	auto_free uint8_t *zero = xcalloc(1, value_bytes(held));

	if (bpf_map_lookup_elem(held->map->fd, key, value))
		return errno;
	return bpf_map_update_elem(held->map->fd, key, zero, BPF_ANY) ? errno : 0;
}

/* Before Linux 5.14 a hash has no call for both. */
static int take_once(const struct live_held *held, const uint8_t *key, uint8_t *value)
{
	int fd = held->map->fd;

	if (held->map->is_array)
		return take_element(held, key, value);
	if (!bpf_map_lookup_and_delete_elem(fd, key, value))
		return 0;
	if (!live_not_supported(errno))
		return errno;
	if (bpf_map_lookup_elem(fd, key, value) || bpf_map_delete_elem(fd, key))
		return errno;
	return 0;
}

static int take_entry(const struct live_held *held, const uint8_t *key, uint8_t *value)
{
	int errnum, tries = TRIES;

	do
		errnum = take_once(held, key, value);
	while ((errnum == EBUSY || errnum == EAGAIN || errnum == EINTR) && --tries);
	return errnum;
}

/* So that what was deleted can be printed, whatever the limit is. */
static struct error *check_memory(const struct live_held *held)
{
	void *spare = mmap(
		NULL, MEMORY_SPARE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (spare == MAP_FAILED)
		return error_errno(ENOMEM, "%s: nothing more is deleted", held->map->label);
	munmap(spare, MEMORY_SPARE);
	return NULL;
}

struct error *live_take_batch(struct live_held *held)
{
	auto_free uint8_t *value = xmalloc(value_bytes(held));
	size_t end = held->n - held->done < LIVE_TAKE_MAX ? held->n : held->done + LIVE_TAKE_MAX;

	held->changed.len = 0;
	vec_reserve(&held->changed, LIVE_TAKE_MAX);
	try(check_memory(held));
	for (; held->done < end; held->done++) {
		size_t i = held->done;
		int errnum = take_entry(held, live_held_key(held, i), value);

		if (errnum == ENOENT)
			continue;
		if (errnum)
			return error_errno(errnum,
				"%s: cannot delete its entries: %zu printed but not deleted",
				held->map->label, held->n - held->done);
		if (!memcmp(value, value_at(held, i), value_bytes(held)))
			continue;
		memcpy(value_at(held, i), value, value_bytes(held));
		vec_push(&held->changed, i);
	}
	return NULL;
}

void live_take_back(const struct live_held *held, size_t i)
{
	if (!held->map->is_array)
		(void)bpf_map_update_elem(
			held->map->fd, live_held_key(held, i), value_at(held, i), BPF_NOEXIST);
}

/* ---- queues ---- */

struct error *live_take_queue(struct live_held *held)
{
	size_t size = value_bytes(held), end = held->n + LIVE_TAKE_MAX;

	held->done = held->n;
	vec_reserve(&held->values, LIVE_TAKE_MAX * size);
	try(check_memory(held));
	for (; held->n < end; held->n++, held->values.len += size)
		if (bpf_map_lookup_and_delete_elem(
			    held->map->fd, NULL, held->values.data + held->values.len))
			break;
	if (held->n > held->done || errno == ENOENT)
		return NULL;
	return error_errno(errno, "%s: cannot read it", held->map->label);
}
