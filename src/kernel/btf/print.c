// SPDX-License-Identifier: GPL-2.0-or-later
#include "kernel/btf/print.h"

#include <linux/btf.h>

#include "model/declaration.h"

enum { PARAMETER_SIZE = 8 };

/* How C declares each BTF kind. Kinds without an entry cannot be declared. */
static const struct declared_type kinds[] = {
	[BTF_KIND_UNKN] = {DECLARED_NAME, .word = ""},
	[BTF_KIND_INT] = {DECLARED_NAME, .word = ""},
	[BTF_KIND_FLOAT] = {DECLARED_NAME, .word = ""},
	[BTF_KIND_TYPEDEF] = {DECLARED_NAME, .word = ""},
	[BTF_KIND_STRUCT] = {DECLARED_NAME, .word = "struct "},
	[BTF_KIND_UNION] = {DECLARED_NAME, .word = "union "},
	[BTF_KIND_FWD] = {DECLARED_NAME, .word = "struct "},
	[BTF_KIND_ENUM] = {DECLARED_NAME, .word = "enum "},
	[BTF_KIND_ENUM64] = {DECLARED_NAME, .word = "enum "},
	[BTF_KIND_CONST] = {DECLARED_QUALIFIER, .word = "const "},
	[BTF_KIND_VOLATILE] = {DECLARED_QUALIFIER, .word = "volatile "},
	[BTF_KIND_RESTRICT] = {DECLARED_QUALIFIER, .word = "restrict "},
	[BTF_KIND_PTR] = {.kind = DECLARED_POINTER},
	[BTF_KIND_ARRAY] = {.kind = DECLARED_ARRAY},
	[BTF_KIND_FUNC_PROTO] = {.kind = DECLARED_FUNCTION},
	[BTF_KIND_TYPE_TAG] = {.kind = DECLARED_UNSEEN},
};

static bool read_type(void *context, uint64_t id, struct declared_type *ret)
{
	struct s2l_btf_node type;

	if (!btf_type_at(context, (uint32_t)id, &type))
		return false;
	if (type.kind < sizeof(kinds) / sizeof(kinds[0]))
		*ret = kinds[type.kind];
	if (type.kind == BTF_KIND_FWD && type.flag)
		ret->word = "union ";
	ret->name = type.kind ? btf_string(type.of, type.name) : "void";
	ret->inner = type.ref;
	ret->next = id << 32;
	if (type.kind != BTF_KIND_ARRAY)
		return true;
	ret->inner = btf_word(type.of, type.rest);
	ret->count = btf_word(type.of, type.rest + 8);
	return true;
}

/*
 * Reads the next parameter. function->next holds the type ID in its upper half, and the index of
 * the parameter in its lower half.
 */
static bool read_parameter(
	void *context, struct declared_type *function, struct declared_parameter *ret)
{
	uint32_t i = (uint32_t)function->next++;
	struct s2l_btf_node proto;

	if (!btf_type_at(context, (uint32_t)(function->next >> 32), &proto) || i >= proto.vlen)
		return false;
	const char *at = proto.rest + (size_t)i * PARAMETER_SIZE;
	uint32_t name = btf_word(proto.of, at);
	ret->type = btf_word(proto.of, at + 4);
	ret->name = btf_string(proto.of, name);
	/* a last parameter without name and type is "..." */
	ret->more = !ret->type && !name && i + 1 == proto.vlen;
	return true;
}

bool btf_print_function(const struct btf *btf, uint32_t id, struct text *text)
{
	const struct declaration_source source = {(void *)btf, read_type, read_parameter};
	struct s2l_btf_node function, proto;
	struct text all = {};

	if (!btf_type_at(btf, id, &function) || function.kind != BTF_KIND_FUNC ||
		!btf_type_at(btf, function.ref, &proto) || proto.kind != BTF_KIND_FUNC_PROTO)
		return false;
	text_add_string(&all, btf_string(function.of, function.name));
	(void)declaration_print(&source, function.ref, &all);
	text_add(text, all.data, all.len);
	text_deinit(&all);
	return true;
}
