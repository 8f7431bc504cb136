// SPDX-License-Identifier: GPL-2.0-or-later
#include "kernel/btf_print.h"

#include <linux/btf.h>
#include <string.h>

/* Types that one prototype may visit, function pointers in function pointers, and its bytes. */
enum { TYPES_MAX = 2000, DEPTH_MAX = 8, BYTES_MAX = 4096, PARAMETER_SIZE = 8 };

struct printer {
	const struct btf *btf;
	unsigned int visited, depth;
};

/* The inside of a declaration, which grows on both sides: "*", "(*f)(int)", "f[3]". */
static void put_before(struct text *inner, const char *word)
{
	struct text all = {};

	text_add_string(&all, word);
	text_add(&all, inner->data, inner->len);
	text_deinit(inner);
	*inner = all;
}

/* A pointer binds less than what stands behind a name. */
static void close_pointer(struct text *inner)
{
	if (!inner->len || inner->data[0] != '*')
		return;
	put_before(inner, "(");
	text_add_char(inner, ')');
}

static void print_declaration(struct printer *printer, uint32_t id, struct text *inner);

/* "(struct file *file, ...)"; a last parameter without name and type stands for more. */
static void put_parameters(struct printer *printer, const struct btf_node *proto,
	struct text *inner)
{
	text_add_char(inner, '(');
	for (uint32_t i = 0; i < proto->vlen; i++) {
		const char *at = proto->rest + (size_t)i * PARAMETER_SIZE;
		uint32_t name = btf_word(proto->of, at), id = btf_word(proto->of, at + 4);
		struct text parameter = {};

		text_add_string(inner, i ? ", " : "");
		if (inner->len > BYTES_MAX || printer->visited > TYPES_MAX ||
			(!id && !name && i + 1 == proto->vlen)) {
			text_add_string(inner, "...");
			break;
		}
		text_add_string(&parameter, btf_string(proto->of, name));
		print_declaration(printer, id, &parameter);
		text_add(inner, parameter.data, parameter.len);
		text_deinit(&parameter);
	}
	text_add_string(inner, proto->vlen ? ")" : "void)");
}

static const char *qualifier(uint32_t kind)
{
	switch (kind) {
	case BTF_KIND_CONST:
		return "const";
	case BTF_KIND_VOLATILE:
		return "volatile";
	case BTF_KIND_RESTRICT:
		return "restrict";
	default:
		return NULL;
	}
}

/* What the words of the declaration start with: "const struct file", "void", "enum {...}". */
static void put_base(struct text *inner, const struct btf_node *type, struct text *words)
{
	static const char *const keywords[] = {[BTF_KIND_STRUCT] = "struct ",
		[BTF_KIND_UNION] = "union ", [BTF_KIND_ENUM] = "enum ",
		[BTF_KIND_FWD] = "struct ", [BTF_KIND_ENUM64] = "enum "};
	const char *name = type->of ? btf_string(type->of, type->name) : "", *keyword = NULL;

	if (type->kind < sizeof(keywords) / sizeof(keywords[0]))
		keyword = keywords[type->kind];
	if (type->kind == BTF_KIND_FWD && type->flag)
		keyword = "union ";
	text_add_string(words, keyword ? keyword : "");
	if (*name)
		text_add_string(words, name);
	else
		text_add_string(words, !type->kind ? "void" : keyword ? "{...}" : "...");
	if (inner->len && inner->data[0] != '[')
		text_add_char(words, ' ');
	put_before(inner, words->data);
}

/* "*const name": qualifiers of a pointer stand behind its star. */
static void put_pointer(struct text *inner, struct text *words)
{
	if (words->len && !inner->len)
		words->len--; /* the blank */
	put_before(inner, words->len ? words->data : "");
	put_before(inner, "*");
	text_clear(words);
}

/*
 * Wraps into INNER what TYPE adds to a declaration, and makes ID what TYPE is made of. False: TYPE
 * is made of nothing, its name is the declaration's.
 */
static bool put_derived(struct printer *printer, const struct btf_node *type, struct text *inner,
	struct text *words, uint32_t *id)
{
	const char *word = qualifier(type->kind);

	*id = type->ref;
	if (word) {
		text_printf(words, "%s ", word);
	} else if (type->kind == BTF_KIND_PTR) {
		put_pointer(inner, words);
	} else if (type->kind == BTF_KIND_ARRAY) {
		close_pointer(inner);
		text_printf(inner, "[%u]", btf_word(type->of, type->rest + 8));
		*id = btf_word(type->of, type->rest);
	} else if (type->kind == BTF_KIND_FUNC_PROTO) {
		close_pointer(inner);
		put_parameters(printer, type, inner);
	} else {
		return type->kind == BTF_KIND_TYPE_TAG;
	}
	return true;
}

/* Makes INNER, a name or nothing, the declaration of something of the type ID. */
static void print_declaration(struct printer *printer, uint32_t id, struct text *inner)
{
	static const struct btf_node unknown = {.of = NULL, .kind = UINT32_MAX};
	struct btf_node type = {};
	struct text words = {};

	printer->depth++;
	do {
		if (printer->depth > DEPTH_MAX || ++printer->visited > TYPES_MAX ||
			inner->len + words.len > BYTES_MAX ||
			!btf_type_at(printer->btf, id, &type)) {
			type = unknown;
			break;
		}
	} while (put_derived(printer, &type, inner, &words, &id));
	put_base(inner, &type, &words);
	text_deinit(&words);
	printer->depth--;
}

bool btf_print_function(const struct btf *btf, uint32_t id, struct text *text)
{
	struct printer printer = {.btf = btf};
	struct btf_node function, proto;
	struct text all = {};

	if (!btf_type_at(btf, id, &function) || function.kind != BTF_KIND_FUNC ||
		!btf_type_at(btf, function.ref, &proto) || proto.kind != BTF_KIND_FUNC_PROTO)
		return false;
	text_add_string(&all, btf_string(function.of, function.name));
	print_declaration(&printer, function.ref, &all);
	text_add(text, all.data, all.len);
	text_deinit(&all);
	return true;
}
