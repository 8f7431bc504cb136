// SPDX-License-Identifier: GPL-2.0-or-later
#include "input/text/patterns.h"

#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>
#include <stdlib.h>

#include "util/text.h"
#include "util/xalloc.h"

enum {
	STEPS_MAX = 1 << 18, /* steps of a match, as counted by PCRE2 */
	HEAP_MAX = 4096,     /* KiB of memory for a match without JIT */
	STACK_MIN = 32 << 10,
	STACK_MAX = 1 << 20, /* bytes of stack for a match with JIT */
	PAIRS_MAX = 32,	     /* groups of a pattern, including group 0 */
};

struct matcher {
	pcre2_match_data *data;
	pcre2_match_context *context;
	pcre2_jit_stack *stack;
	/* pcre2_jit_match(), or pcre2_match() if JIT compilation failed */
	int (*match)(const pcre2_code *, PCRE2_SPTR, PCRE2_SIZE, PCRE2_SIZE, uint32_t,
		pcre2_match_data *, pcre2_match_context *);
	uint64_t given_up;
};

static const char *const group_names[] = {
#define X(id, name) name,
	PATTERN_GROUPS_X(X)
#undef X
};

const char *patterns_missing(void)
{
	return NULL;
}

struct matcher *matcher_create(void)
{
	struct matcher *matcher = xnew(matcher);

	matcher->match = pcre2_jit_match;
	matcher->data = pcre2_match_data_create(PAIRS_MAX, NULL);
	matcher->context = pcre2_match_context_create(NULL);
	matcher->stack = pcre2_jit_stack_create(STACK_MIN, STACK_MAX, NULL);
	if (!matcher->data || !matcher->context || !matcher->stack)
		xalloc_failed();
	pcre2_set_match_limit(matcher->context, STEPS_MAX);
	pcre2_set_heap_limit(matcher->context, HEAP_MAX);
	pcre2_jit_stack_assign(matcher->context, NULL, matcher->stack);
	return matcher;
}

void matcher_destroy(struct matcher *matcher)
{
	if (!matcher)
		return;
	pcre2_match_data_free(matcher->data);
	pcre2_match_context_free(matcher->context);
	pcre2_jit_stack_free(matcher->stack);
	free(matcher);
}

uint64_t matcher_given_up(const struct matcher *matcher)
{
	return matcher->given_up;
}

static struct error *compile(struct matcher *matcher, const char *where, struct pattern *pattern)
{
	PCRE2_SIZE at = 0;
	int number = 0;

	pattern->code = pcre2_compile((PCRE2_SPTR)pattern->text, PCRE2_ZERO_TERMINATED,
		PCRE2_NO_AUTO_CAPTURE | PCRE2_NEVER_UTF, &number, &at, NULL);
	if (number == PCRE2_ERROR_HEAP_FAILED)
		xalloc_failed();
	if (!pattern->code) {
		char message[256];

		(void)pcre2_get_error_message(number, (PCRE2_UCHAR *)message, sizeof(message));
		return error_create(
			ERROR_USAGE, "%s: byte %zu of the pattern: %s", where, at, message);
	}
	/* if JIT fails, e.g. because memory cannot be made executable, patterns are interpreted */
	if (pcre2_jit_compile(pattern->code, PCRE2_JIT_COMPLETE))
		matcher->match = pcre2_match;
	for (size_t i = 0; i < PATTERN_GROUPS; i++) {
		number =
			pcre2_substring_number_from_name(pattern->code, (PCRE2_SPTR)group_names[i]);
		pattern->groups[i] = number > 0 ? (uint32_t)number : 0;
	}
	return NULL;
}

struct error *pattern_compile(struct matcher *matcher, const char *where, struct pattern *pattern)
{
	auto_text struct text names = {};
	uint32_t n = 0, size = 0;
	PCRE2_SPTR entry;

	try(compile(matcher, where, pattern));
	(void)pcre2_pattern_info(pattern->code, PCRE2_INFO_NAMECOUNT, &n);
	(void)pcre2_pattern_info(pattern->code, PCRE2_INFO_NAMEENTRYSIZE, &size);
	(void)pcre2_pattern_info(pattern->code, PCRE2_INFO_NAMETABLE, &entry);
	for (size_t i = 0; i < PATTERN_FRAME_GROUPS; i++)
		text_printf(&names, i ? ", %s" : "%s", group_names[i]);
	/* unknown groups may be misspelled */
	for (uint32_t i = 0; i < n; i++, entry += size) {
		const char *name = (const char *)entry + 2; /* after the group number */
		size_t known = 0;

		while (known < PATTERN_FRAME_GROUPS && strcmp(group_names[known], name) != 0)
			known++;
		if (known == PATTERN_FRAME_GROUPS)
			return error_create(ERROR_USAGE,
				"%s: no group is called '%s': there are %s", where, name,
				names.data);
	}
	return NULL;
}

void pattern_deinit(struct pattern *pattern)
{
	pcre2_code_free(pattern->code);
}

static struct scan pair(const struct matcher *matcher, struct scan text, uint32_t i, int n)
{
	const PCRE2_SIZE *pairs = pcre2_get_ovector_pointer(matcher->data);

	if (i >= (uint32_t)n || pairs[2 * i] == PCRE2_UNSET)
		return (struct scan){};
	return (struct scan){text.at + pairs[2 * i], text.at + pairs[2 * i + 1]};
}

bool pattern_find(struct matcher *matcher, struct pattern *pattern, struct scan text,
	const char *at, struct pattern_match *ret)
{
	if (!pattern->code && compile(matcher, pattern->text, pattern))
		abort();
	int n = matcher->match(pattern->code, (PCRE2_SPTR)text.at, scan_left(&text),
		(size_t)(at - text.at), 0, matcher->data, matcher->context);

	matcher->given_up += n < PCRE2_ERROR_NOMATCH;
	if (n <= 0)
		return false;
	ret->all = pair(matcher, text, 0, n);
	for (size_t i = 0; i < PATTERN_GROUPS; i++)
		ret->groups[i] = pattern->groups[i] ? pair(matcher, text, pattern->groups[i], n)
						    : (struct scan){};
	return true;
}
