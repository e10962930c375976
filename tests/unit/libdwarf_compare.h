/*
 * libdwarf_compare.h - compare real files with libdwarf's reading of them
 *
 * The files are small programs of all compilers that are there
 * (libdwarf_programs.h), the very program that runs, and the C library where
 * its debug information is installed. What of them is compared is for each
 * test program to say.
 */
#ifndef LIBDWARF_COMPARE_H
#define LIBDWARF_COMPARE_H

#include <link.h>

#include "libdwarf_oracle.h"
#include "libdwarf_programs.h"
#include "sampling.h"

#define COUNT(array) (sizeof(array) / sizeof(*(array)))

#define MAX_CATEGORIES 8

/* How many things of each category have been compared. */
typedef size_t totals[MAX_CATEGORIES];

struct comparison {
	const char *what; /* is compared */
	struct debugfile *file;
	struct oracle oracle;
	totals compared;
	size_t wrong;
};

/* What a test program compares. */
struct subject {
	void (*compare)(struct comparison *comparison);
	const char *categories[MAX_CATEGORIES]; /* their names */
	/* The least there is to compare; of programs: in gcc's builds. */
	totals least_c, least_c_plus_plus, least_stripped, least_self,
		least_libc;
};

#define MAX_TOLD 20

/* Count one comparison; true: it is to be told about. */
static inline bool count(struct comparison *comparison, size_t category,
			 bool same)
{
	comparison->compared[category]++;
	return !same && comparison->wrong++ < MAX_TOLD;
}

/* Compare all of a file; what was compared is added up. */
static inline void compare_file(const struct subject *subject, const char *what,
				const char *path, const char *debug_path,
				totals total)
{
	struct comparison comparison = {.what = what};

	comparison.file = open_sample(path);
	oracle_read(&comparison.oracle, path, debug_path);
	subject->compare(&comparison);
	print_message("# compared");
	for (size_t i = 0; i < MAX_CATEGORIES && subject->categories[i]; i++) {
		print_message(" %zu %s,", comparison.compared[i],
			      subject->categories[i]);
		total[i] += comparison.compared[i];
	}
	print_message(" %zu differ: %s\n", comparison.wrong, what);
	debugfile_close(comparison.file);
	oracle_deinit(&comparison.oracle);
	if (comparison.wrong)
		fail_msg("%zu of %s are not as libdwarf has them",
			 comparison.wrong, what);
}

/* To have compared nothing is no success. */
static inline void check_totals(const struct subject *subject,
				const totals total, const totals least)
{
	for (size_t i = 0; i < MAX_CATEGORIES && subject->categories[i]; i++)
		if (!total[i] || (in_full() && total[i] < least[i]))
			fail_msg("only %zu %s were compared, not %zu", total[i],
				 subject->categories[i], least[i]);
}

/* Builds of a compiler that is not there are said to be left out. */
static inline void compare_builds(const struct subject *subject,
				  const char *source, const char *suffix,
				  const char *const *builds, size_t build_count,
				  totals total)
{
	for (size_t i = 0; i < build_count; i++) {
		char *compiler = xstrndup(builds[i], strcspn(builds[i], " "));

		if (!one_in(3, i)) {
			free(compiler);
			continue;
		}
		if (has_tool(compiler)) {
			char *command = xasprintf("%s -w", builds[i]);
			char *path = compile(command, "sample", suffix, source);

			compare_file(subject, builds[i], path, path, total);
			free(path);
			free(command);
		} else {
			print_message("# there is no %s: without '%s'\n",
				      compiler, builds[i]);
		}
		free(compiler);
	}
}

/* ---- the tests --------------------------------------------------------- */

static inline void test_c(void **state)
{
	const struct subject *subject = *state;
	totals total = {0};

	compare_builds(subject, c_source, "c", c_builds, COUNT(c_builds),
		       total);
	check_totals(subject, total, subject->least_c);
}

static inline void test_c_plus_plus(void **state)
{
	const struct subject *subject = *state;
	totals total = {0};

	compare_builds(subject, c_plus_plus_source, "cc", c_plus_plus_builds,
		       COUNT(c_plus_plus_builds), total);
	check_totals(subject, total, subject->least_c_plus_plus);
}

/* Functions by their debug information alone. */
static inline void test_stripped(void **state)
{
	const struct subject *subject = *state;
	char *path = compile("gcc -O2 -w -g", "sample", "c", c_source);
	totals total = {0};

	free(output_of("strip --strip-all --keep-section='.debug*' %s 2>&1",
		       path));
	compare_file(subject, "gcc -O2 -g, stripped", path, path, total);
	check_totals(subject, total, subject->least_stripped);
	free(path);
}

/* This program: all of our library. */
static inline void test_self(void **state)
{
	static const char path[] = "/proc/self/exe";
	const struct subject *subject = *state;
	totals total = {0};

	if (!in_full())
		return;
	compare_file(subject, path, path, path, total);
	check_totals(subject, total, subject->least_self);
}

struct library {
	char *path, *debug_path;
};

/* Where the debug information of a library is, by its build id. */
static inline char *debug_path_of(const struct dl_phdr_info *info)
{
	for (int i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *header = &info->dlpi_phdr[i];
		const char *at =
			(const char *)info->dlpi_addr + header->p_vaddr;
		const char *end = at + header->p_memsz;
		struct str path = {0};

		while (header->p_type == PT_NOTE &&
		       at + sizeof(ElfW(Nhdr)) <= end) {
			const ElfW(Nhdr) *note = (const void *)at;
			const char *id = at + sizeof(*note) +
					 ((note->n_namesz + 3) & ~3U);

			at = id + ((note->n_descsz + 3) & ~3U);
			if (note->n_type != NT_GNU_BUILD_ID)
				continue;
			str_append(&path, "/usr/lib/debug/.build-id/");
			for (unsigned j = 0; j < note->n_descsz; j++)
				str_printf(&path, j == 1 ? "/%02x" : "%02x",
					   (unsigned char)id[j]);
			str_append(&path, ".debug");
			return str_take(&path);
		}
	}
	return NULL;
}

static inline int find_library(struct dl_phdr_info *info, size_t size,
			       void *context)
{
	struct library *library = context;

	(void)size;
	if (!strstr(info->dlpi_name, "/libc.so"))
		return 0;
	library->path = xstrdup(info->dlpi_name);
	library->debug_path = debug_path_of(info);
	return 1;
}

/* Large, and with code of all kinds; where its debug information is. */
static inline void test_libc(void **state)
{
	const struct subject *subject = *state;
	struct library library = {0};
	totals total = {0};
	bool there;

	if (!in_full())
		return;
	dl_iterate_phdr(find_library, &library);
	there = library.debug_path && access(library.debug_path, R_OK) == 0;
	if (there) {
		compare_file(subject, library.path, library.path,
			     library.debug_path, total);
		check_totals(subject, total, subject->least_libc);
	}
	free(library.path);
	free(library.debug_path);
	if (!there)
		fail_msg("libc6-dbg is needed: tests/setup.sh check");
}

/* All of them; returns what main() returns. */
static inline int compare_with_libdwarf(struct subject *subject)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_prestate(test_c, subject),
		cmocka_unit_test_prestate(test_c_plus_plus, subject),
		cmocka_unit_test_prestate(test_stripped, subject),
		cmocka_unit_test_prestate(test_self, subject),
		cmocka_unit_test_prestate(test_libc, subject),
	};

	return cmocka_run_group_tests(tests, samples_setup, samples_teardown);
}

#endif
