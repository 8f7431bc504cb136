// SPDX-License-Identifier: GPL-2.0-or-later
#include "kernel/btf/btf.h"

#include <byteswap.h>
#include <linux/btf.h>
#include <stdlib.h>
#include <string.h>

#include "model/declaration.h"
#include "util/sort.h"

enum { TYPE_SIZE = 12, HEADER_SIZE = 24 };

void btf_deinit(struct btf *btf)
{
	free(btf->bytes);
	vec_deinit(&btf->offsets);
	vec_deinit(&btf->functions);
	*btf = (struct btf){};
}

/* Returns the 32-bit word at AT, in the byte order of BTF. */
static uint32_t btf_word(const struct btf *btf, const char *at)
{
	uint32_t word;

	memcpy(&word, at, sizeof(word));
	return btf->swapped ? bswap_32(word) : word;
}

/*
 * Reads and checks the header of BTF:
 *
 *	9f eb 01 00 18 00 00 00 | 00 00 00 00 | 94 0b 00 00 | 94 0b 00 00 | 70 0c 00 00
 *
 * This is magic, version, flags, header length; then offset and length of types and strings.
 */
static bool read_header(const char *bytes, size_t len, struct btf *ret)
{
	uint16_t magic;

	if (len < HEADER_SIZE)
		return false;
	memcpy(&magic, bytes, sizeof(magic));
	ret->swapped = magic == bswap_16(BTF_MAGIC);
	if ((magic != BTF_MAGIC && !ret->swapped) || bytes[2] != BTF_VERSION)
		return false;
	uint64_t header_len = btf_word(ret, bytes + 4);
	uint64_t types = btf_word(ret, bytes + 8), types_len = btf_word(ret, bytes + 12);
	uint64_t strings = btf_word(ret, bytes + 16), strings_len = btf_word(ret, bytes + 20);

	if (header_len < HEADER_SIZE || header_len > len || types + types_len > len - header_len ||
		strings + strings_len > len - header_len)
		return false;
	ret->types = bytes + header_len + types;
	ret->types_end = ret->types + types_len;
	ret->strings = bytes + header_len + strings;
	ret->strings_len = strings_len;
	return !strings_len || !ret->strings[strings_len - 1];
}

bool btf_is_split(const char *bytes, size_t len)
{
	struct btf btf = {};

	return read_header(bytes, len, &btf) && btf.strings_len && *btf.strings;
}

static void decode_type(const struct btf *btf, const char *at, struct s2l_btf_node *ret)
{
	uint32_t info = btf_word(btf, at + 4);

	*ret = (struct s2l_btf_node){
		.of = btf,
		.name = btf_word(btf, at),
		.kind = BTF_INFO_KIND(info),
		.vlen = BTF_INFO_VLEN(info),
		.flag = BTF_INFO_KFLAG(info),
		.ref = btf_word(btf, at + 8),
		.rest = at + TYPE_SIZE,
	};
}

bool btf_type_at(const struct btf *btf, uint32_t id, struct s2l_btf_node *ret)
{
	if (!id) {
		*ret = (struct s2l_btf_node){.of = btf};
		return true;
	}
	if (btf->base && id < btf->first_id)
		btf = btf->base;
	if (id < btf->first_id || id - btf->first_id >= btf->offsets.len)
		return false;
	decode_type(btf, btf->types + btf->offsets.data[id - btf->first_id], ret);
	return true;
}

const char *btf_string(const struct btf *btf, uint32_t offset)
{
	if (btf->base && offset < btf->first_string)
		btf = btf->base;
	if (offset < btf->first_string || offset - btf->first_string >= btf->strings_len)
		return "";
	const char *string = btf->strings + (offset - btf->first_string);
	return strnlen(string, S2L_BTF_NAME_MAX) < S2L_BTF_NAME_MAX ? string : "";
}

static const char *name_of(const struct btf *btf, uint32_t id)
{
	struct s2l_btf_node type;

	return btf_type_at(btf, id, &type) ? btf_string(btf, type.name) : "";
}

static int compare_functions(const void *a_ptr, const void *b_ptr, void *btf)
{
	uint32_t a = *(const uint32_t *)a_ptr, b = *(const uint32_t *)b_ptr;

	return strcmp(name_of(btf, a), name_of(btf, b)) ?: order_of(a, b);
}

static void index_types(struct btf *btf)
{
	/* bytes after struct btf_type, by kind: in any case, and for each member */
	static const uint8_t fixed[] = {[BTF_KIND_INT] = 4,
		[BTF_KIND_ARRAY] = 12,
		[BTF_KIND_VAR] = 4,
		[BTF_KIND_DECL_TAG] = 4,
		[BTF_KIND_ENUM64] = 0};
	static const uint8_t each[] = {[BTF_KIND_STRUCT] = 12,
		[BTF_KIND_UNION] = 12,
		[BTF_KIND_ENUM] = 8,
		[BTF_KIND_FUNC_PROTO] = 8,
		[BTF_KIND_DATASEC] = 12,
		[BTF_KIND_ENUM64] = 12};
	const char *at = btf->types;
	struct s2l_btf_node type;

	while (btf->types_end - at >= TYPE_SIZE) {
		uint32_t id = btf->first_id + (uint32_t)btf->offsets.len;

		decode_type(btf, at, &type);
		/* a type of an unknown kind cannot be skipped */
		if (!type.kind || type.kind > BTF_KIND_ENUM64)
			break;
		uint64_t rest = fixed[type.kind] + (uint64_t)each[type.kind] * type.vlen;
		if (rest > (uint64_t)(btf->types_end - type.rest))
			break;
		vec_push(&btf->offsets, (uint32_t)(at - btf->types));
		if (type.kind == BTF_KIND_FUNC)
			vec_push(&btf->functions, id);
		at = type.rest + rest;
	}
	if (btf->functions.len)
		qsort_r(btf->functions.data, btf->functions.len, sizeof(*btf->functions.data),
			compare_functions, btf);
}

struct error *btf_init(char *bytes, size_t len, const struct btf *base, struct btf *ret)
{
	struct btf btf = {.bytes = bytes, .base = base};

	if (!read_header(bytes, len, &btf) || (base && base->swapped != btf.swapped)) {
		free(bytes);
		return error_create(ERROR_INPUT, "not readable as BTF");
	}
	btf.first_id = base ? base->first_id + (uint32_t)base->offsets.len : 1;
	btf.first_string = base ? (uint32_t)base->strings_len : 0;
	*ret = btf;
	index_types(ret);
	return NULL;
}

size_t btf_functions_named(const struct btf *btf, const char *name, size_t *ret)
{
	const uint32_t *functions = btf->functions.data;
	size_t n = btf->functions.len;

	*ret = partition_point(i, 0, n, strcmp(name_of(btf, functions[i]), name) < 0);
	return *name ? partition_point(i, *ret, n, strcmp(name_of(btf, functions[i]), name) <= 0) -
			       *ret
		     : 0;
}

/* ---- prototypes ----------------------------------------------------------------------------- */

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
	if (type.kind < array_len(kinds))
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
	auto_text struct text all = {};

	if (!btf_type_at(btf, id, &function) || function.kind != BTF_KIND_FUNC ||
		!btf_type_at(btf, function.ref, &proto) || proto.kind != BTF_KIND_FUNC_PROTO)
		return false;
	text_add_string(&all, btf_string(function.of, function.name));
	(void)declaration_print(&source, function.ref, &all);
	text_add(text, all.data, all.len);
	return true;
}
