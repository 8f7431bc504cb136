// SPDX-License-Identifier: GPL-2.0-or-later
#include "kernel/bpf/bpf_trampoline.h"

#include <linux/bpf.h>
#include <linux/btf.h>
#include <string.h>

#include "kernel/bpf/bpf_frame.h"
#include "kernel/bpf/prog.h"
#include "util/cleanup.h"
#include "util/scan.h"

/* the kernel's own BTF has the first ID */
enum { VMLINUX_ID = 1, MODULE_NAME_MAX = 64 };

/* Also accepts the count in names before Linux 5.18: bpf_trampoline_6442494949_1. */
bool bpf_trampoline_key(const char *symbol, struct s2l_bpf_trampoline_key *ret)
{
	struct scan s = scan_of(symbol);
	uint64_t key, count;

	if (!scan_literal(&s, "bpf_trampoline_") || !scan_decimal(&s, &key) ||
		(scan_char(&s, '_') && !scan_decimal(&s, &count)) || scan_left(&s))
		return false;
	*ret = (struct s2l_bpf_trampoline_key){
		.of_program = !(key & 1U << 31),
		.object = (uint32_t)(key >> 32),
		.type = (uint32_t)key & ~(1U << 31),
	};
	return ret->object && ret->type;
}

/* Returns function ID of BTF in parentheses, malloc'ed, or NULL. */
static char *qualifier_of(const struct btf *btf, uint32_t id)
{
	struct s2l_btf_node type;

	if (!btf_type_at(btf, id, &type) || type.kind != BTF_KIND_FUNC)
		return NULL;
	const char *name = btf_string(type.of, type.name);
	return *name ? xasprintf("(%s)", name) : NULL;
}

/*
 * Finds the module whose BTF has this ID; "" for the kernel itself. Without permission, or on
 * another system's data, only the kernel's own ID is known.
 */
static bool module_of_btf(struct kernel *kernel, uint32_t id, char (*ret)[MODULE_NAME_MAX])
{
	auto_fd int fd = bpf_frame_programs(kernel) ? bpf_open(BPF_BTF_GET_FD_BY_ID, id) : -1;
	struct bpf_btf_info info = {.name = (uintptr_t)*ret, .name_len = sizeof(*ret)};

	(*ret)[0] = '\0';
	if (fd < 0)
		return id == VMLINUX_ID;
	if (bpf_object_info(fd, &info, sizeof(info)) || !info.kernel_btf)
		return false;
	(*ret)[sizeof(*ret) - 1] = '\0';
	if (!strcmp(*ret, "vmlinux"))
		(*ret)[0] = '\0';
	return true;
}

void bpf_trampoline_describe(
	struct prototypes *prototypes, struct kernel *kernel, struct frame *frame)
{
	struct s2l_bpf_trampoline_key key;
	char module[MODULE_NAME_MAX];
	auto_free char *qualifier = NULL;

	if (kernel->qualify == QUALIFY_NEVER || !frame->linkage ||
		!bpf_trampoline_key(frame->linkage, &key))
		return;
	if (key.of_program) {
		scope_guard(btf_deinit) struct btf btf = {};

		if (bpf_frame_programs(kernel) && bpf_program_btf(key.object, &btf))
			qualifier = qualifier_of(&btf, key.type);
	} else if (module_of_btf(kernel, key.object, &module)) {
		const struct btf *btf = prototypes_btf(prototypes, kernel, module);

		qualifier = btf ? qualifier_of(btf, key.type) : NULL;
	}
	if (qualifier)
		frame->qualifier = kernel_string(kernel, qualifier);
}
