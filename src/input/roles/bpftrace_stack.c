// SPDX-License-Identifier: GPL-2.0-or-later
#include "input/roles/bpftrace_stack.h"

#include <stdbool.h>

#include "input/processes.h"
#include "util/load.h"

enum {
	PROBE_MAX = 1 << 20, /* bpftrace numbers its probes from 0; BPFTRACE_MAX_PROBES is 1024 */
	USER_HEADER = 16,
	KERNEL_HEADER = 8,
	RECORD_SIZE = 32, /* sizeof(struct bpf_stack_build_id) */
	/* enum bpf_stack_build_id_status, include/uapi/linux/bpf.h; 0 is an empty slot */
	STATUS_VALID = 1,
	STATUS_IP = 2,
};

enum address_side bpftrace_side(const struct address_halves *halves, uint64_t value)
{
	return halves->separate ? address_side(value) : address_side_in(halves, value);
}

size_t bpftrace_header_size(enum bpftrace_kind kind)
{
	return kind == BPFTRACE_KERNEL ? KERNEL_HEADER : USER_HEADER;
}

/* Reads the header into RET. Returns false if a number of the header is out of range. */
static bool read_header(
	enum bpftrace_kind kind, const uint8_t *bytes, size_t len, struct bpftrace_stack *ret)
{
	size_t header = bpftrace_header_size(kind);
	int32_t pid = 0, probe = 0;

	*ret = (struct bpftrace_stack){
		.slot_size = kind == BPFTRACE_USER_RECORDS ? RECORD_SIZE : sizeof(uint64_t)};
	if (len < header + ret->slot_size)
		return false;
	if (kind != BPFTRACE_KERNEL) {
		pid = (int32_t)load_u32(bytes);
		probe = (int32_t)load_u32(bytes + 4);
	}
	uint64_t nr = load_u64(bytes + header - sizeof(nr));
	ret->room = (len - header) / ret->slot_size;
	if (pid < 0 || pid > PROCESS_ID_MAX || probe < 0 || probe > PROBE_MAX || nr > ret->room)
		return false;
	ret->pid = pid ? pid : -1;
	ret->slots = bytes + header;
	ret->nr = (size_t)nr;
	return true;
}

/* Checks a kernel stack. The unwinder verifies each address, so that none is a user address. */
static enum bpftrace_fit look_kernel(
	const struct address_halves *halves, const struct bpftrace_stack *stack)
{
	for (size_t i = 0; i < stack->nr; i++) {
		enum address_side side = bpftrace_side(halves, load_u64(stack->slots + 8 * i));

		if (side == SIDE_USER || (!i && side != SIDE_KERNEL))
			return BPFTRACE_UNFIT;
	}
	return BPFTRACE_FITS;
}

/*
 * Checks a user stack. Without frame pointers its slots may contain anything, even text and zeros.
 * Only the leaf is reliable, unless the process has just jumped to an invalid address.
 */
static enum bpftrace_fit look_user(
	const struct address_halves *halves, const struct bpftrace_stack *stack)
{
	return bpftrace_side(halves, load_u64(stack->slots)) == SIDE_USER ? BPFTRACE_FITS
									  : BPFTRACE_OPEN;
}

static enum bpftrace_fit look_records(
	const struct address_halves *halves, const struct bpftrace_stack *stack)
{
	enum bpftrace_fit fit = BPFTRACE_OPEN;

	for (size_t i = 0; i < stack->nr; i++) {
		const uint8_t *record = stack->slots + i * RECORD_SIZE;
		uint32_t status = load_u32(record);

		if (status != STATUS_VALID && status != STATUS_IP)
			return BPFTRACE_UNFIT;
		if (status == STATUS_VALID ||
			bpftrace_side(halves, load_u64(record + RECORD_SIZE - 8)) == SIDE_USER)
			fit = BPFTRACE_FITS;
	}
	return fit;
}

enum bpftrace_fit bpftrace_stack_read(enum bpftrace_kind kind, const struct address_halves *halves,
	const uint8_t *bytes, size_t len, struct bpftrace_stack *ret)
{
	struct bpftrace_stack stack;
	enum bpftrace_fit fit = BPFTRACE_OPEN;

	if (!read_header(kind, bytes, len, &stack))
		return BPFTRACE_UNFIT;
	if (stack.nr && kind == BPFTRACE_KERNEL)
		fit = look_kernel(halves, &stack);
	else if (stack.nr && kind == BPFTRACE_USER)
		fit = look_user(halves, &stack);
	else if (stack.nr)
		fit = look_records(halves, &stack);
	if (fit != BPFTRACE_UNFIT)
		*ret = stack;
	return fit;
}
