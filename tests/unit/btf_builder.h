/* SPDX-License-Identifier: GPL-2.0-or-later */
/* BTF by hand, in native byte order. */
#pragma once

#include <linux/btf.h>
#include <stdint.h>
#include <string.h>

#include "util/text.h"

struct btf_builder {
	struct text types, strings;
	uint32_t n_types;      /* also of the base */
	uint32_t first_string; /* of a split one: the base's length */
};

static inline uint32_t builder_string(struct btf_builder *builder, const char *s)
{
	if (!builder->strings.len && !builder->first_string)
		text_add_char(&builder->strings, '\0');
	if (!*s)
		return 0;
	uint32_t offset = builder->first_string + (uint32_t)builder->strings.len;
	text_add(&builder->strings, s, strlen(s) + 1);
	return offset;
}

static inline void builder_word(struct btf_builder *builder, uint32_t word)
{
	text_add(&builder->types, (const char *)&word, sizeof(word));
}

/* The ID of the new type, whose further words must follow. */
static inline uint32_t builder_type(
	struct btf_builder *builder, const char *name, uint32_t kind, uint32_t vlen, uint32_t ref)
{
	builder_word(builder, builder_string(builder, name));
	builder_word(builder, kind << 24 | vlen);
	builder_word(builder, ref);
	return ++builder->n_types;
}

static inline uint32_t builder_int(struct btf_builder *builder, const char *name)
{
	uint32_t id = builder_type(builder, name, BTF_KIND_INT, 0, 4);

	builder_word(builder, 32);
	return id;
}

struct builder_parameter {
	const char *name; /* NULL ends a list */
	uint32_t type;
};

static inline uint32_t builder_proto(
	struct btf_builder *builder, uint32_t result, const struct builder_parameter *parameters)
{
	uint32_t n = 0;

	while (parameters[n].name)
		n++;
	uint32_t id = builder_type(builder, "", BTF_KIND_FUNC_PROTO, n, result);
	for (uint32_t i = 0; i < n; i++) {
		builder_word(builder, builder_string(builder, parameters[i].name));
		builder_word(builder, parameters[i].type);
	}
	return id;
}

static inline uint32_t builder_tag(
	struct btf_builder *builder, const char *value, uint32_t function)
{
	uint32_t id = builder_type(builder, value, BTF_KIND_DECL_TAG, 0, function);

	builder_word(builder, UINT32_MAX);
	return id;
}

/* The bytes, malloc'ed; BUILDER is empty then. */
static inline char *builder_finish(struct btf_builder *builder, size_t *ret_len)
{
	const struct btf_header header = {
		.magic = BTF_MAGIC,
		.version = BTF_VERSION,
		.hdr_len = sizeof(header),
		.type_len = (uint32_t)builder->types.len,
		.str_off = (uint32_t)builder->types.len,
		.str_len = (uint32_t)builder->strings.len,
	};
	struct text all = {};

	text_add(&all, (const char *)&header, sizeof(header));
	text_add(&all, builder->types.data, builder->types.len);
	text_add(&all, builder->strings.data, builder->strings.len);
	text_deinit(&builder->types);
	text_deinit(&builder->strings);
	*ret_len = all.len;
	return text_take(&all);
}
