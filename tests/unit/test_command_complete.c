/*
 * test_command_complete.c - what Tab offers for the word at the end of a line
 *
 * tier: core
 * covers: command/question
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <sys/stat.h>
#include <unistd.h>

#include "perftool/command.h"

#include "fake_session.h"

static struct interpreter *interpreter;

/* Check the candidates for the last word of the line, and where in the line
 * this word begins. */
#define offers(line, start, words) offers_(line, start, words, __LINE__)
static void offers_(const char *line, size_t start, const char *expected,
		    int at)
{
	struct completion completion;
	struct str words_ = {0};

	interpreter_complete(interpreter, line, &completion);
	for (size_t i = 0; i < completion.count; i++)
		str_printf(&words_, "%s%s", i ? " " : "", completion.words[i]);
	assert_null(completion.words[completion.count]);
	if (!str_equal(str_text(&words_), expected))
		fail_msg("line %d: `%s' offers `%s'", at, line,
			 str_text(&words_));
	if (completion.count && completion.start != start)
		fail_msg("line %d: `%s' begins at %zu", at, line,
			 completion.start);
	str_deinit(&words_);
	completion_deinit(&completion);
}

static void test_tab_offers_words_of_commands(void **state)
{
	(void)state;
	offers("pr", 0, "print proceed process: profile");
	offers("> add le", 6, "leg");
	offers("From", 0, "From Node:");
	offers("from n", 0, "from node:");
	offers("Histogram ", 0, "Histogram Leg: Histogram Node:");
	offers("Add: ", 5, "none successor");
	offers("  PROCE", 2, "Process: proceed");
	offers("xyzzy", 0, "");
	offers("add ", 4, "histogram leg none successor");
	offers("print ta", 6, "tables");
	offers("p sl", 2, "slowest");
	offers("pr t", 3, "tables");
	offers("delete b", 7, "break breaks");
	offers("add leg", 4, "leg");
	offers("list b", 5, "breakpoints breaks");
}

static void test_tab_offers_places(void **state)
{
	(void)state;
	offers("break m", 6, "main malloc");
	offers("break en", 6, "entry");
	offers("break entry All", 12, "AllocVM");
	offers("break malloc@libc", 13, "libc.so.6");
	offers("break main i", 11, "if");
	offers("break main if pa", 14, "pages parent");
	offers("break main if x+pag", 16, "pages");
	offers("time main mal", 10, "malloc");
	offers("time main i", 10, "if");
	offers("time main 'a*' if x == pag", 23, "pages");
	offers("break f(int, char) if pag", 22, "pages");
	offers("break ", 6,
	       "AllocVM allocations blocks calls entry exit main malloc "
	       "return sync xit");
	/* nodes alone, because the names of all functions would be too many */
	offers("add leg 1 ", 10, "* 1 2");
	offers("list source ma", 12, "main malloc");
	offers("set module context ", 19, "none segments.c swapper.c");
	offers("SEt Module context: s", 20, "segments.c swapper.c");
	offers("set module c", 11, "context");
	offers("SEt Root configuration: f", 24, "fake");
	offers("SEt Root configuration: ", 24, "fake");
	offers("set root ", 9, "configuration fake");
	offers("set root configuration f", 23, "fake");
}

static void test_tab_offers_numbers(void **state)
{
	(void)state;
	offers("delete break 1", 13, "1 12");
	offers("enable ", 7, "1 12 2");
	offers("add leg 1 ", 10, "* 1 2");
	offers("print histogram node ", 21, "1 2");
	offers("print histogram leg ", 20, "0");
	offers("delete histogram l", 17, "leg");
	offers("delete leg ", 11, "0");
	offers("thread 10", 7, "100 101");
	offers("set thread ", 11, "100 101 all");
	offers("condition 1 pag", 12, "pages");
}

static void test_tab_offers_fields_of_the_memo(void **state)
{
	(void)state;
	offers("Add Leg! From Node: ", 20, "* 1 2");
	offers("Add Leg! From Node: 1 To Node: ", 31, "* 1 2");
	offers("Break Entry procedure: Allo", 23, "AllocVM");
	offers("Add Histogram! Node 1 Class: ", 29, "hdr linear log");
	offers("From Node: ", 11, "* 1 2");
	offers("  to node:", 10, "* 1 2");
	offers("Class: l", 7, "linear log");
	offers("Type: leg  Histogram Leg: ", 26, "0");
	offers("Base: ", 6, "");
}

static void test_tab_offers_keywords(void **state)
{
	(void)state;
	offers("monitor o", 8, "off on");
	offers("track s", 6, "successor");
	offers("continue f", 9, "for");
	offers("add leg 1 2 match=", 12,
	       "match=first match=last match=nested match=outermost");
	offers("add leg 1 2 owner=leg k", 22, "key=");
	offers("add histogram node 1 l", 21, "linear log");
	offers("add histogram node 1 log b", 25, "base= buckets=");
	offers("set form", 4, "format");
	offers("set format ", 11, "csv json text");
	offers("set follow ", 11, "exec fork");
	offers("set follow fork o", 16, "off on");
	offers("print legs columns=m", 11,
	       "columns=match columns=max columns=mean columns=memo "
	       "columns=min");
	offers("print legs columns=id,NAME,p9", 11,
	       "columns=id,NAME,p90 columns=id,NAME,p99 columns=id,NAME,p999");
	offers("print legs co", 11, "columns=auto columns=memo");
	offers("set columns name,tota", 12, "name,total");
	offers("set columns me", 12, "mean memo");
	offers("set process ", 12, "100 200 all");
	offers("set exit-kill ", 14, "off on");
	offers("det", 0, "detach");
	offers("set p", 4, "placement process");
	offers("show co", 5, "compensation conditions");
	offers("help add h", 9, "histogram");
	offers("help add le", 9, "leg");
	offers("log o", 4, "off");
	offers("kill ", 5, "");
}

static void test_tab_offers_files(void **state)
{
	char directory[] = "/tmp/perftool-test-XXXXXX";
	char *file, *inner, *line, *expected;
	FILE *made;

	(void)state;
	assert_non_null(mkdtemp(directory));
	file = xasprintf("%s/some.pt", directory);
	inner = xasprintf("%s/sub", directory);
	made = fopen(file, "w");
	assert_non_null(made);
	fclose(made);
	assert_int_equal(mkdir(inner, 0700), 0);
	line = xasprintf("source %s/s", directory);
	expected = xasprintf("%s %s/", file, inner);
	offers(line, 7, expected);
	free(line);
	line = xasprintf("print tables > %s/so", directory);
	offers(line, 15, file);
	free(line);
	line = xasprintf("where >%s/so", directory);
	offers(line, 7, file);
	unlink(file);
	rmdir(inner);
	rmdir(directory);
	free(expected);
	free(line);
	free(inner);
	free(file);
}

static int create(void **state)
{
	struct interpreter_options options = {.session = &fake_session,
					      .output = stdout};

	(void)state;
	interpreter = interpreter_create(&options);
	return 0;
}

static int destroy(void **state)
{
	(void)state;
	interpreter_destroy(interpreter);
	fake_reset();
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_tab_offers_words_of_commands),
		cmocka_unit_test(test_tab_offers_places),
		cmocka_unit_test(test_tab_offers_numbers),
		cmocka_unit_test(test_tab_offers_fields_of_the_memo),
		cmocka_unit_test(test_tab_offers_keywords),
		cmocka_unit_test(test_tab_offers_files),
	};

	return cmocka_run_group_tests(tests, create, destroy);
}
