// SPDX-License-Identifier: GPL-2.0-or-later
#include <locale.h>
#include <string.h>

#include "config.h"
#include "destination.h"
#include "job.h"
#include "options.h"
#include "util/limits.h"
#include "util/text.h"

const char *argp_program_bug_address = "<" PACKAGE_BUGREPORT ">";

/* Returns true if the program is called addr2line or has the option --format=addr2line. */
static bool is_addr2line(int argc, char **argv)
{
	if (argc > 0 && text_ends_with(argv[0], "addr2line"))
		return true;
	for (int i = 1; i < argc && strcmp(argv[i], "--"); i++)
		if (!strcmp(argv[i], "--format=addr2line") ||
			(!strcmp(argv[i], "--format") && i + 1 < argc &&
				!strcmp(argv[i + 1], "addr2line")))
			return true;
	return false;
}

int main(int argc, char **argv)
{
	static struct options options; /* what it points to lives as long as the program */

	setlocale(LC_CTYPE, "");
	const uint64_t files = limits_raise_files();
	if (is_addr2line(argc, argv))
		return command_addr2line(argc, argv);
	if (command_is_record(argc, argv))
		return command_record(argc - 1, argv + 1, files);
	if (argc > 1 && !strcmp(argv[1], "inspect"))
		return command_inspect(argc - 1, argv + 1);
	bool diff = argc > 1 && !strcmp(argv[1], "diff");
	if (diff)
		argv[1] = (char *)"stack2line diff";
	options_parse(diff ? &diff_command : NULL, argc - diff, argv + diff, &options);
	int (*command)(const struct options *) = diff		     ? command_diff
						 : options.list_maps ? command_list_maps
						 : options.filter    ? command_filter
						 : options.addresses ? command_addresses
								     : command_dumps;
	struct error *error = destination_open(&options);

	return destination_close(error ? job_fail(error) : command(&options));
}
