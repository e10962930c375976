/*
 * test_report_gprof.c - the listing of a call graph against GNU gprof's of the
 * same calls: the same entries, cycles, parents, children and counts
 *
 * build/tests/programs/callers makes random calls, and says which. It is run
 * for gprof, and what it says becomes a listing of ours. One parser reads both
 * listings.
 *
 * tier: core
 * covers: report/listings profile
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "perftool/base/alloc.h"
#include "perftool/base/str.h"
#include "perftool/report/graph_listing.h"

#define SEEDS 40
#define MOST_LINES 1000

/* ---- reading a listing --------------------------------------------------- */

/* A line about a function: "5/317 f3", "58+16 f5", "7 f4". */
struct listed {
	char calls[32];
	char name[64];
};

struct lines {
	char *text[MOST_LINES];
	size_t count;
};

static void lines_deinit(struct lines *lines)
{
	while (lines->count)
		free(lines->text[--lines->count]);
}

static void lines_add(struct lines *lines, char *text)
{
	assert_true(lines->count < MOST_LINES);
	lines->text[lines->count++] = text;
}

static int text_order(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

static void lines_sort(struct lines *lines, size_t from)
{
	qsort(lines->text + from, lines->count - from, sizeof(*lines->text),
	      text_order);
}

/* Does the word consist of these characters? */
static bool is_made_of(const char *word, const char *characters)
{
	return *word && !word[strspn(word, characters)];
}

/*
 * Read a line: times and the percentage are passed over. A name ends before its
 * number in brackets. The numbers of cycles are those of the listing, so they
 * are left out; the members of a cycle tell which one it is.
 */
static struct listed read_line(const char *line)
{
	struct listed listed = {.calls = "-"};
	CLEANUP(free_pointer) char *copy = xstrdup(line);
	char *save = NULL;
	bool is_in_name = false;

	for (char *word = strtok_r(copy, " ", &save); word;
	     word = strtok_r(NULL, " ", &save)) {
		if (word[0] == '[' || is_made_of(word, "0123456789>") ||
		    (!is_in_name && is_made_of(word, "0123456789."))) {
			if (!is_in_name && !strchr(word, '.') && word[0] != '[')
				snprintf(listed.calls, sizeof(listed.calls),
					 "%s", word);
			continue;
		}
		if (!is_in_name && is_made_of(word, "0123456789/+")) {
			snprintf(listed.calls, sizeof(listed.calls), "%s",
				 word);
			continue;
		}
		is_in_name = true;
		if (listed.name[0])
			strncat(listed.name, " ",
				sizeof(listed.name) - strlen(listed.name) - 1);
		strncat(listed.name, word,
			sizeof(listed.name) - strlen(listed.name) - 1);
	}
	return listed;
}

/* Neither listing knows of a call of main. So it is no entry of gprof's unless
 * a sample hits it, and that is not compared. */
static bool is_about_main(const struct listed *listed)
{
	return strcmp(listed->name, "main") == 0;
}

/* Is the block about a cycle as a whole? GNU gprof names no parents of one,
 * against its manual; ours are not compared. */
static bool is_about_cycle(char *const *block, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (block[i][0] == '[' && strstr(block[i], "as a whole"))
			return true;
	return false;
}

/* Add a block of the listing, from one dashed line to the next: its own line,
 * and then its parents and children in the order of the alphabet. */
static void read_entry(char *const *block, size_t count, struct lines *out)
{
	struct lines others = {0};
	const bool is_cycle = is_about_cycle(block, count);
	struct str text = {0};
	bool is_below = false, is_main = false;

	for (size_t i = 0; i < count; i++) {
		const struct listed listed = read_line(block[i]);
		const char *side = is_below ? "child" : "parent";

		if (block[i][0] == '[') {
			is_below = true;
			is_main = is_about_main(&listed);
			str_printf(&text, "%s called %s:", listed.name,
				   listed.calls);
			continue;
		}
		if (strncmp(listed.name, "<spontaneous>", 13) == 0 ||
		    strcmp(listed.name, "<open>") == 0 ||
		    (is_cycle && !is_below))
			continue;
		lines_add(&others, xasprintf(" %s %s %s;", side, listed.calls,
					     listed.name));
	}
	lines_sort(&others, 0);
	for (size_t i = 0; i < others.count; i++)
		str_append(&text, others.text[i]);
	lines_deinit(&others);
	if (!is_main)
		lines_add(out, str_take(&text));
	str_deinit(&text);
}

static bool starts_with_dashes(const char *line)
{
	return strncmp(line, "-----", 5) == 0;
}

static bool has_entry(char *const *block, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (block[i][0] == '[')
			return true;
	return false;
}

/* Read the entries of a listing, in the order of their names. */
static void read_listing(const char *listing, struct lines *out)
{
	CLEANUP(free_pointer) char *copy = xstrdup(listing);
	struct lines block = {0};
	char *save = NULL;

	for (char *line = strtok_r(copy, "\n", &save); line;
	     line = strtok_r(NULL, "\n", &save)) {
		if (strstr(line, "index")) {
			block.count = 0;
		} else if (!starts_with_dashes(line)) {
			lines_add(&block, line);
		} else {
			if (has_entry(block.text, block.count))
				read_entry(block.text, block.count, out);
			block.count = 0;
		}
	}
	lines_sort(out, 0);
}

/* ---- the two listings ---------------------------------------------------- */

static void read_pipe(const char *command, struct str *out)
{
	FILE *pipe = popen(command, "re");
	char block[4096];
	size_t length;

	assert_non_null(pipe);
	while ((length = fread(block, 1, sizeof(block), pipe)) > 0)
		str_append_n(out, block, length);
	assert_int_equal(pclose(pipe), 0);
}

static uint32_t number_of(struct procedures *procedures, const char *name)
{
	return procedures_number(
		procedures,
		&(struct procedure){.name = name, .module = "callers"});
}

/* Make our listing of what the program says: lines "CALLER CALLEE COUNT". */
static void our_listing(char *told, struct str *out)
{
	struct procedures procedures = {0};
	struct call_arcs arcs = {0};
	struct call_graph graph = {0};
	char *save = NULL;

	for (char *line = strtok_r(told, "\n", &save); line;
	     line = strtok_r(NULL, "\n", &save)) {
		char *rest = line;
		const char *caller = strsep(&rest, " ");
		const char *callee = strsep(&rest, " ");

		call_arcs_add(
			&arcs,
			&(struct call_arc){
				.caller = number_of(&procedures, caller),
				.callee = number_of(&procedures, callee),
				.times = {.count = strtoul(rest, NULL, 10)}});
	}
	call_graph_make(&(struct call_graph_source){.procedures = &procedures,
						    .arcs = &arcs},
			&graph);
	report_graph_text(&(struct graph_report){.graph = &graph,
						 .procedures = &procedures},
			  &(struct report_options){.columns = 0}, out);
	call_graph_deinit(&graph);
	call_arcs_deinit(&arcs);
	procedures_deinit(&procedures);
}

static void compare(const char *ours, const char *gprofs)
{
	struct lines mine = {0}, theirs = {0};

	read_listing(ours, &mine);
	read_listing(gprofs, &theirs);
	assert_true(mine.count > 1);
	for (size_t i = 0; i < mine.count && i < theirs.count; i++)
		assert_string_equal(mine.text[i], theirs.text[i]);
	assert_int_equal(mine.count, theirs.count);
	lines_deinit(&mine);
	lines_deinit(&theirs);
}

static void gprof_lists_the_same(void **state)
{
	const char *build = getenv("PERFTOOL_BUILD");
	char folder[] = "/tmp/perftool-gprof-XXXXXX";
	char *program;

	(void)state;
	program = realpath(build ? build : "build", NULL);
	assert_non_null(program);
	assert_non_null(mkdtemp(folder));
	for (int seed = 0; seed < SEEDS; seed++) {
		struct str told = {0}, ours = {0}, gprofs = {0};
		char *run = xasprintf("cd %s && %s/tests/programs/callers %d",
				      folder, program, seed);
		char *list = xasprintf(
			"gprof -b -q %s/tests/programs/callers %s/gmon.out",
			program, folder);

		read_pipe(run, &told);
		read_pipe(list, &gprofs);
		our_listing(told.data, &ours);
		compare(str_text(&ours), str_text(&gprofs));
		str_deinit(&told);
		str_deinit(&ours);
		str_deinit(&gprofs);
		free(run);
		free(list);
	}
	free(program);
	program = xasprintf("%s/gmon.out", folder);
	unlink(program);
	rmdir(folder);
	free(program);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(gprof_lists_the_same),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
