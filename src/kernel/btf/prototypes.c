// SPDX-License-Identifier: GPL-2.0-or-later
#include "kernel/btf/prototypes.h"

#include <fcntl.h>
#include <string.h>

#include "kernel/bpf/bpf_frame.h"
#include "util/cleanup.h"
#include "util/file.h"
#include "util/xalloc.h"

enum { BTF_FILE_MAX = 256 << 20, CANDIDATES_MAX = 16 };

void prototypes_deinit(struct prototypes *prototypes)
{
	/* in reverse order, because the kernel's BTF is the base of its modules' */
	for (size_t i = prototypes->sets.len; i-- > 0;) {
		struct prototype_set *set = prototypes->sets.data[i];

		free(set->module);
		btf_deinit(&set->btf);
		vec_deinit(&set->symbols);
		free(set);
	}
	vec_deinit(&prototypes->sets);
}

static struct prototype_set *find_set(const struct prototypes *prototypes, const char *module)
{
	vec_each_value(set, &prototypes->sets)
		if (!strcmp(set->module, module))
			return set;
	return NULL;
}

static struct prototype_set *add_set(struct prototypes *prototypes, const char *module, size_t len)
{
	struct prototype_set *set = xnew(set);

	set->module = xstrndup(module, len);
	vec_push(&prototypes->sets, set);
	return set;
}

/* ---- this system's BTF ---------------------------------------------------------------------- */

/*
 * Returns the set of MODULE ("" for the kernel). The first call reads this system's BTF, unless the
 * user gave BTF, because a module's BTF fits only the base of the same build. BTF of a foreign
 * kernel is read only if --sys names its directory.
 */
static struct prototype_set *set_of(
	struct prototypes *prototypes, struct kernel *kernel, const char *module)
{
	struct prototype_set *set = find_set(prototypes, module), *base = NULL;
	bool strange = prototypes->saved ||
		       (kernel_is_foreign(kernel) && !strcmp(kernel->sys_root, "/sys"));

	if (set)
		return set;
	if (*module)
		base = set_of(prototypes, kernel, "");
	set = add_set(prototypes, module, strlen(module));
	auto_free char *path =
		xasprintf("%s/kernel/btf/%s", kernel->sys_root, *module ? module : "vmlinux");
	auto_text struct text text = {};
	if (strange || strchr(module, '/') || (base && !base->found) ||
		file_read_regular(AT_FDCWD, path, BTF_FILE_MAX, &text))
		return set;
	size_t len = text.len;
	auto_error struct error *error =
		btf_init(text_take(&text), len, base ? &base->btf : NULL, &set->btf);
	set->found = !error;
	return set;
}

/* ---- saved BTF ------------------------------------------------------------------------------ */

/*
 * Returns when FILE can be read: BPF programs first (0), then a kernel (1), then modules (2), whose
 * base is the kernel's BTF.
 */
static int rank(const struct s2l_btf_file *file)
{
	return file->of_program ? 0 : btf_is_split(file->bytes.data, file->bytes.len) ? 2 : 1;
}

static struct error *take_saved(struct prototypes *prototypes, struct s2l_btf_file *file)
{
	struct prototype_set *base = find_set(prototypes, ""), *set;
	size_t len = file->bytes.len;
	bool split = rank(file) == 2;

	if (split && !base)
		return error_create(ERROR_USAGE,
			"--btf %s: BTF of a module requires --btf of its kernel too", file->path);
	if (file->of_program) {
		set = add_set(prototypes, "bpf", strlen("bpf"));
	} else if (!base) {
		set = add_set(prototypes, "", 0);
	} else {
		/* named after the file: "nf-tables.btf" is BTF of nf_tables */
		const char *name = file_base_name(file->path);

		set = add_set(prototypes, name, strcspn(name, "."));
		for (char *c = set->module; *c; c++)
			if (*c == '-')
				*c = '_';
	}
	struct error *error =
		btf_init(text_take(&file->bytes), len, split ? &base->btf : NULL, &set->btf);
	set->found = !error;
	return error_context(error, "--btf %s", file->path);
}

void btf_files_deinit(struct btf_files *files)
{
	vec_each(file, files)
		text_deinit(&file->bytes);
	vec_deinit(files);
}

struct error *prototypes_init(struct btf_files *files, struct prototypes *ret)
{
	struct error *error = NULL;

	vec_each(file, files)
		ret->saved |= !file->of_program;
	for (int now = 0; now < 3; now++)
		for (size_t i = 0; i < files->len && !error; i++)
			if (files->data[i].bytes.data && rank(&files->data[i]) == now)
				error = take_saved(ret, &files->data[i]);
	return error;
}

/* ---- symbols of kallsyms: how many each function has ----------------------------------------- */

/* Returns the length of the source name in SYMBOL, without suffixes such as .isra.0 and .cold. */
static size_t source_length(const char *symbol)
{
	return *symbol ? 1 + strcspn(symbol + 1, ".") : 0;
}

/* Counts SET's symbols, unless they are up to date with the kernel's symbols. */
static void count_symbols(struct prototype_set *set, struct kernel *kernel)
{
	const struct kallsyms *symbols = kernel_symbols(kernel);

	if (set->counted && set->generation == kernel->generation)
		return;
	set->counted = true;
	set->generation = kernel->generation;
	set->symbols.len = 0;
	vec_reserve(&set->symbols, set->btf.functions.len);
	set->symbols.len = set->btf.functions.len;
	if (set->symbols.len)
		memset(set->symbols.data, 0, set->symbols.len * sizeof(*set->symbols.data));
	vec_each(symbol, &symbols->symbols) {
		const char *name = symbols->text + symbol->name;

		if (!symbol->name || strcmp(symbols->text + symbol->module, set->module) != 0)
			continue;
		size_t len = source_length(name), first;
		/* parts of functions, such as "f.cold" or "f.part.0", have their own symbols */
		if (!strncmp(name + len, ".cold", 5) || !strncmp(name + len, ".part.", 6))
			continue;
		auto_free char *function = xstrndup(name, len);
		if (btf_functions_named(&set->btf, function, &first))
			set->symbols.data[first]++;
	}
}

/* ---- frames --------------------------------------------------------------------------------- */

/* The different prototypes of one frame. */
struct prototype_list {
	const char *texts[CANDIDATES_MAX];
	uint32_t n;
};

static void add_candidate(
	struct prototype_list *candidates, const struct btf *btf, uint32_t id, struct arena *arena)
{
	auto_text struct text text = {};

	if (candidates->n == CANDIDATES_MAX || !btf_print_function(btf, id, &text))
		return;
	uint32_t i = 0;
	while (i < candidates->n && strcmp(candidates->texts[i], text.data) != 0)
		i++;
	if (i == candidates->n)
		candidates->texts[candidates->n++] = arena_string(arena, text.data);
}

/* Adds the prototypes of the functions [FIRST, FIRST + N) of BTF. */
static void add_candidates(struct prototype_list *candidates, const struct btf *btf, size_t first,
	size_t n, struct arena *arena)
{
	for (size_t i = first; i < first + n; i++)
		add_candidate(candidates, btf, btf->functions.data[i], arena);
}

static void hand_over(const struct prototype_list *candidates, bool sure, struct arena *arena,
	struct frame *frame)
{
	frame->prototypes =
		arena_clone(arena, candidates->texts, candidates->n * sizeof(*candidates->texts));
	frame->n_prototypes = candidates->n;
	frame->prototype_sure = sure;
}

static void add_of_program(const struct prototypes *prototypes, struct kernel *kernel,
	const struct location *location, struct arena *arena, struct frame *frame)
{
	struct prototype_list candidates = {};
	const char *symbol = frame->linkage, *name = NULL;
	size_t tag = strlen(S2L_BPF_SYMBOL_PREFIX), end = tag + (size_t)2 * BPF_TAG_SIZE;
	const struct btf *btf;
	uint32_t id = bpf_frame_type(kernel, location->address - frame->offset, symbol, &btf);

	/*
	 * else the BPF object files that the user gave may have programs of the same NAME, as in
	 * "bpf_prog_TAG_NAME"
	 */
	if (!id && !strncmp(symbol, S2L_BPF_SYMBOL_PREFIX, tag) &&
		strspn(symbol + tag, "0123456789abcdef") >= end - tag && symbol[end] == '_')
		name = symbol + end + 1;

	if (id)
		add_candidate(&candidates, btf, id, arena);
	for (size_t i = 0; name && i < prototypes->sets.len; i++) {
		const struct prototype_set *set = prototypes->sets.data[i];
		size_t first, n;

		if (strcmp(set->module, "bpf") != 0)
			continue;
		n = btf_functions_named(&set->btf, name, &first);
		add_candidates(&candidates, &set->btf, first, n, arena);
	}
	if (candidates.n)
		hand_over(&candidates, id != 0, arena, frame);
}

void prototypes_add(struct prototypes *prototypes, struct kernel *kernel, struct arena *arena,
	const struct prototype_evidence *evidence, struct location *location)
{
	size_t n = location->n_frames;

	prototypes->wanted = true;
	if (location->status != FRAME_NAMED)
		return;
	struct frame *frames = arena_clone(arena, location->frames, n * sizeof(*frames));
	location->frames = frames;
	if (location->kind == LOCATION_BPF) {
		add_of_program(prototypes, kernel, location, arena, &frames[n - 1]);
		return;
	}
	const struct frame_object *owner = location->object;
	const char *module = owner && owner->module ? owner->module : "";
	struct prototype_set *set = set_of(prototypes, kernel, module);
	if (!set->found)
		return;
	count_symbols(set, kernel);
	for (size_t i = 0; i < n; i++) {
		struct prototype_list candidates = {};
		const char *symbol = frames[i].linkage ? frames[i].linkage : frames[i].function;

		if (!symbol)
			continue;
		auto_free char *name = xstrndup(symbol, source_length(symbol));
		size_t first, known = btf_functions_named(&set->btf, name, &first);
		if (!known)
			continue;
		/*
		 * Ask even if only one function has this name in BTF and symbols: the frame's function
		 * may be another one, which has no symbol because all its calls were inlined.
		 */
		auto_free char *text = evidence->read(evidence->context, i, name);
		if (text)
			candidates = (struct prototype_list){{arena_string(arena, text)}, 1};
		else
			add_candidates(&candidates, &set->btf, first, known, arena);
		bool single = candidates.n == 1 && set->symbols.data[first] <= known;
		if (candidates.n)
			hand_over(&candidates, text || single, arena, &frames[i]);
	}
}

const struct btf *prototypes_btf(
	struct prototypes *prototypes, struct kernel *kernel, const char *module)
{
	const struct prototype_set *set = set_of(prototypes, kernel, module);

	return set->found ? &set->btf : NULL;
}

void prototypes_notes(const struct prototypes *prototypes, struct log *log)
{
	vec_each_value(set, &prototypes->sets)
		if (!set->found && prototypes->wanted)
			log_add(log, LOG_WARNING, 1,
				"no prototypes of [%s]: it has no BTF "
				"here; pass it with --btf FILE",
				*set->module ? set->module : "kernel");
}
