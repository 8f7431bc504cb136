// SPDX-License-Identifier: GPL-2.0-or-later
#include "model/declaration.h"

/* Limits of one declaration: types visited, nested function pointers, bytes. */
enum { TYPES_MAX = 2000, DEPTH_MAX = 8, BYTES_MAX = 4096 };

struct printer {
	const struct declaration_source *source;
	unsigned int visited, depth;
	bool cut; /* part of the type was left out */
};

/* The declarator, which grows on both sides: "*", "(*f)(int)", "f[3]". */
static void put_before(struct text *inner, const char *word)
{
	struct text all = {};

	text_add_string(&all, word);
	text_add(&all, inner->data, inner->len);
	text_deinit(inner);
	*inner = all;
}

/* Adds parentheses: a pointer binds less than a suffix. */
static void close_pointer(struct text *inner)
{
	if (!inner->len || inner->data[0] != '*')
		return;
	put_before(inner, "(");
	text_add_char(inner, ')');
}

static void print_declaration(struct printer *printer, uint64_t id, struct text *inner);

/* "(struct file *file, ...)" */
static void put_parameters(
	struct printer *printer, struct declared_type *function, struct text *inner)
{
	const struct declaration_source *source = printer->source;
	struct declared_parameter parameter = {};
	const char *before = "(";

	while (source->parameter(source->context, function, &parameter)) {
		auto_text struct text declared = {};
		text_add_string(inner, before);
		before = ", ";
		bool cut = inner->len > BYTES_MAX || printer->visited > TYPES_MAX;
		printer->cut |= cut;
		if (cut || parameter.more) {
			text_add_string(inner, "...");
			break;
		}
		text_add_string(&declared, parameter.name);
		print_declaration(printer, parameter.type, &declared);
		text_add(inner, declared.data, declared.len);
		parameter = (struct declared_parameter){};
	}
	text_add_string(inner, *before == '(' ? "(void)" : ")");
}

/* Wraps INNER in what TYPE adds to the declarator. Returns false if TYPE is the specifier. */
static bool put_derived(
	struct printer *printer, struct declared_type *type, struct text *inner, struct text *words)
{
	switch (type->kind) {
	case DECLARED_QUALIFIER:
		text_add_string(words, type->word);
		return true;
	case DECLARED_POINTER:
		/* "*const name": qualifiers of a pointer follow its star */
		if (words->len && !inner->len)
			words->data[--words->len] = '\0'; /* the blank */
		put_before(inner, words->data ?: "");
		put_before(inner, "*");
		text_clear(words);
		return true;
	case DECLARED_ARRAY:
		close_pointer(inner);
		text_printf(inner, "[%llu]", (unsigned long long)type->count);
		return true;
	case DECLARED_FUNCTION:
		close_pointer(inner);
		put_parameters(printer, type, inner);
		return true;
	default:
		return type->kind == DECLARED_UNSEEN;
	}
}

/* Turns INNER, a name or nothing, into a declaration with the type ID. */
static void print_declaration(struct printer *printer, uint64_t id, struct text *inner)
{
	const struct declaration_source *source = printer->source;
	auto_text struct text words = {};
	struct declared_type type;

	printer->depth++;
	do {
		type = (struct declared_type){};
		if (printer->depth > DEPTH_MAX || ++printer->visited > TYPES_MAX ||
			inner->len + words.len > BYTES_MAX ||
			!source->type(source->context, id, &type)) {
			type.kind = DECLARED_UNKNOWN;
			break;
		}
		id = type.inner;
	} while (put_derived(printer, &type, inner, &words));
	printer->cut |= type.kind == DECLARED_UNKNOWN;
	/* the specifiers: "const struct file", "void", "enum {...}" */
	bool named = type.kind == DECLARED_NAME;
	text_add_string(&words, named ? type.word : "");
	if (named && *type.name)
		text_add_string(&words, type.name);
	else
		text_add_string(&words, named && *type.word ? "{...}" : "...");
	if (inner->len && inner->data[0] != '[')
		text_add_char(&words, ' ');
	put_before(inner, words.data);
	printer->depth--;
}

bool declaration_print(const struct declaration_source *source, uint64_t id, struct text *name)
{
	struct printer printer = {.source = source};

	print_declaration(&printer, id, name);
	return !printer.cut;
}
