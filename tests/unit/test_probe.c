/*
 * test_probe.c - places as they are written, and where functions are left
 *
 * What a program does with breakpoints is tested end to end (tests/e2e); here
 * are the parts that need no process.
 *
 * tier: core
 * covers: probe/request probe/arrival
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "perftool/base/alloc.h"
#include "perftool/base/str.h"
#include "probe/probe_state.h"

/* ---- LOC ------------------------------------------------------------------
 */

struct written {
	const char *text;
	enum location_kind kind;
	const char *name;
	uint32_t line;
	uint64_t number;
	const char *module;
};

static void assert_text(const char *got, const char *expected)
{
	if (expected)
		assert_string_equal(got, expected);
	else
		assert_null(got);
}

static void test_places_are_parsed(void **state)
{
	static const struct written table[] = {
		{"main", LOCATION_FUNCTION, "main", 0, 0, NULL},
		{"malloc@libc.so.6", LOCATION_FUNCTION, "malloc", 0, 0,
		 "libc.so.6"},
		{"PyDict_*", LOCATION_FUNCTION, "PyDict_*", 0, 0, NULL},
		{"*alloc*", LOCATION_FUNCTION, "*alloc*", 0, 0, NULL},
		{"**sleep@libc.so.6", LOCATION_FUNCTION, "**sleep", 0, 0,
		 "libc.so.6"},
		/* an entry of a procedure linkage table, of all modules, of one
		 */
		{"strdup@plt", LOCATION_FUNCTION, "strdup@plt", 0, 0, NULL},
		{"strdup@plt@libc.so.6", LOCATION_FUNCTION, "strdup@plt", 0, 0,
		 "libc.so.6"},
		{"*strdup@plt", LOCATION_OFFSET, "strdup@plt", 0, 0, NULL},
		{"f@plt.so", LOCATION_FUNCTION, "f", 0, 0, "plt.so"},
		/* an address, as in gdb */
		{"*main", LOCATION_OFFSET, "main", 0, 0, NULL},
		{"*main+4", LOCATION_OFFSET, "main", 0, 4, NULL},
		{"*& main", LOCATION_OFFSET, "main", 0, 0, NULL},
		{"*sleep@libc.so.6", LOCATION_OFFSET, "sleep", 0, 0,
		 "libc.so.6"},
		/* stars that are no globs */
		{"f(char *, int [3])", LOCATION_FUNCTION, "f(char *, int [3])",
		 0, 0, NULL},
		{"f+0x10", LOCATION_OFFSET, "f", 0, 16, NULL},
		{"f+12@libx.so", LOCATION_OFFSET, "f", 0, 12, "libx.so"},
		{"x.c:7", LOCATION_LINE, "x.c", 7, 0, NULL},
		{"dir/x.c:7@m", LOCATION_LINE, "dir/x.c", 7, 0, "m"},
		{"42", LOCATION_LINE, NULL, 42, 0, NULL},
		{"*0x401136", LOCATION_ADDRESS, NULL, 0, 0x401136, NULL},
		{"* 4198710", LOCATION_ADDRESS, NULL, 0, 4198710, NULL},
		{"*0x1136@prog", LOCATION_ADDRESS, NULL, 0, 0x1136, "prog"},
		{"*0x1136+4@prog", LOCATION_ADDRESS, NULL, 0, 0x113a, "prog"},
		{"ns::Class::method", LOCATION_FUNCTION, "ns::Class::method", 0,
		 0, NULL},
		{"operator+", LOCATION_FUNCTION, "operator+", 0, 0, NULL},
		{"operator++", LOCATION_FUNCTION, "operator++", 0, 0, NULL},
		{"f(int, char const*)", LOCATION_FUNCTION,
		 "f(int, char const*)", 0, 0, NULL},
		{"memcpy@@GLIBC_2.14", LOCATION_FUNCTION, "memcpy", 0, 0,
		 "GLIBC_2.14"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(table) / sizeof(*table); i++) {
		struct location location;

		assert_null(location_parse(table[i].text, &location));
		assert_string_equal(location.text, table[i].text);
		assert_int_equal(location.kind, table[i].kind);
		assert_text(location.name, table[i].name);
		assert_int_equal(location.line, table[i].line);
		assert_int_equal(location.number, table[i].number);
		assert_text(location.module, table[i].module);
		location_deinit(&location);
	}
}

/* FILE:FUNC, with an offset, too; a scope is no file. */
static void test_places_may_name_a_file(void **state)
{
	static const struct {
		const char *text;
		enum location_kind kind;
		const char *source, *name;
		uint64_t number;
	} table[] = {
		{"x.c:f", LOCATION_FUNCTION, "x.c", "f", 0},
		{"x.c:*", LOCATION_FUNCTION, "x.c", "*", 0},
		{"x.c:f+4", LOCATION_OFFSET, "x.c", "f", 4},
		{"x.cc:ns::f+0", LOCATION_OFFSET, "x.cc", "ns::f", 0},
		{"ns::f+4", LOCATION_OFFSET, NULL, "ns::f", 4},
		{"f+4", LOCATION_OFFSET, NULL, "f", 4},
		{"*f", LOCATION_OFFSET, NULL, "f", 0},
		{"probe:python:gc__*", LOCATION_PROBE, "python", "gc__*", 0},
		{"probe:a-b:c+1", LOCATION_PROBE, "a-b", "c+1", 0},
		{"probe.c:f", LOCATION_FUNCTION, "probe.c", "f", 0},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(table) / sizeof(*table); i++) {
		struct location location;

		assert_null(location_parse(table[i].text, &location));
		assert_int_equal(location.kind, table[i].kind);
		assert_text(location.source, table[i].source);
		assert_text(location.name, table[i].name);
		assert_int_equal(location.number, table[i].number);
		location_deinit(&location);
	}
}

static void test_wrong_places_are_refused(void **state)
{
	static const char *const table[] = {"",
					    "x.c:0",
					    "* 0x",
					    "99999999999",
					    "main@",
					    "0",
					    "*0x",
					    "x.c:7q",
					    "*0x1136q",
					    "probe:",
					    "*0x1136+",
					    "*0x1136+q",
					    "*0xffffffffffffffff+1",

					    "probe:x",
					    "probe::x",
					    "probe:x:",
					    "probe:x:y:z"};

	(void)state;
	for (size_t i = 0; i < sizeof(table) / sizeof(*table); i++) {
		struct location location = {0};
		struct error *error = location_parse(table[i], &location);

		if (!error)
			print_message("accepted: %s\n", table[i]);
		assert_non_null(error);
		assert_int_equal(error_code(error), ERROR_USAGE);
		error_destroy(error);
	}
}

/* ---- exits -----------------------------------------------------------------
 */

/*
 * Each function is written in assembler, so that its exits are known; the
 * call frame information is what a compiler would have written.
 */
static const char source[] =
	".text\n"
	/* one return */
	".type plain,@function\nplain: .cfi_startproc\n"
	" nop\n ret\n .cfi_endproc\n.size plain,.-plain\n"
	/* three ways out: two returns and a tail jump taken on a condition */
	".type three,@function\nthree: .cfi_startproc\n"
	" test %edi,%edi\n js plain\n je 1f\n ret\n1: ret $8\n"
	" .cfi_endproc\n.size three,.-three\n"
	/* a loop to within and one to the entry; the latter is a call of
	 * itself, as its entry is reached again */
	".type loops,@function\nloops: .cfi_startproc\n"
	" dec %edi\n1: dec %esi\n jne 1b\n jns loops\n jmp plain\n"
	" .cfi_endproc\n.size loops,.-loops\n"
	/* with its frame in place it jumps to what no symbol names: a cold
	 * part, which is no exit */
	".type cold,@function\ncold: .cfi_startproc\n"
	" push %rbx\n .cfi_def_cfa_offset 16\n test %edi,%edi\n"
	" je elsewhere\n pop %rbx\n .cfi_def_cfa_offset 8\n ret\n"
	" .cfi_endproc\n.size cold,.-cold\n"
	/* a switch in its frame, and a tail call through a register after it */
	".type table,@function\ntable: .cfi_startproc\n"
	" push %rbx\n .cfi_def_cfa_offset 16\n jmp *%rax\n"
	" pop %rbx\n .cfi_def_cfa_offset 8\n jmp *%rdx\n"
	" .cfi_endproc\n.size table,.-table\n"
	/* never left */
	".type never,@function\nnever: .cfi_startproc\n"
	" nop\n1: jmp 1b\n .cfi_endproc\n.size never,.-never\n"
	"elsewhere: hlt\n"
	".globl _start\n.type _start,@function\n_start: hlt\n"
	".size _start,.-_start\n"
	".section .note.GNU-stack,\"\",@progbits\n";

static char *assemble(void)
{
	char directory[] = "/tmp/perftool-test-XXXXXX";
	char *program, *command;
	FILE *pipe;

	assert_non_null(mkdtemp(directory));
	program = xasprintf("%s/exits", directory);
	command = xasprintf("gcc -nostdlib -x assembler - -o %s", program);
	pipe = popen(command, "w");
	assert_non_null(pipe);
	fputs(source, pipe);
	assert_int_equal(pclose(pipe), 0);
	free(command);
	return program;
}

static void remove_program(char *program)
{
	unlink(program);
	*strrchr(program, '/') = '\0';
	rmdir(program);
	free(program);
}

static void roles_of(struct debugfile *file, const char *name, char *roles)
{
	static const char letters[] = {[ROLE_RETURN] = 'r',
				       [ROLE_JUMP] = 'j',
				       [ROLE_JUMP_IF] = 'c',
				       [ROLE_JUMP_INDIRECT] = 'i'};
	struct function_list functions = {0};
	struct spot_list spots = {0};
	size_t i;

	assert_null(debugfile_find_functions(file, name, &functions));
	assert_int_equal(functions.count, 1);
	assert_null(find_exits(file, &functions.data[0], &spots));
	assert_true(spots.count < 16);
	for (i = 0; i < spots.count; i++)
		roles[i] = letters[spots.data[i].role];
	roles[i] = '\0';
	vec_free(&functions);
	vec_free(&spots);
}

static void test_exits_of_functions_are_found(void **state)
{
	static const char *const table[][2] = {
		{"plain", "r"}, {"three", "crr"}, {"loops", "cj"},
		{"cold", "r"},  {"table", "i"},   {"never", ""}};
	char *program = assemble(), roles[16];
	struct debugfile *file;

	(void)state;
	assert_null(debugfile_open(program, &file));
	for (size_t i = 0; i < sizeof(table) / sizeof(*table); i++) {
		roles_of(file, table[i][0], roles);
		assert_string_equal(roles, table[i][1]);
	}
	debugfile_close(file);
	remove_program(program);
}

/* The exits that were found once are those that would be found again, for each
 * name of the function. */
static void test_exits_are_found_once(void **state)
{
	struct probe probe = {0};
	struct function_list functions = {0};
	struct spot_list found = {0}, known = {0};
	char *program = assemble();
	struct debugfile *file;
	struct function alias;

	(void)state;
	assert_null(debugfile_open(program, &file));
	assert_null(debugfile_find_functions(file, "three", &functions));
	assert_int_equal(functions.count, 1);
	assert_null(find_exits(file, &functions.data[0], &found));
	assert_null(known_exits_find(&probe, file, &functions.data[0], &known));
	assert_int_equal(probe.known_exits.count, 1);
	alias = functions.data[0];
	alias.name = "alias";
	assert_null(known_exits_find(&probe, file, &alias, &known));
	assert_int_equal(probe.known_exits.count, 1);
	assert_int_equal(known.count, 2 * found.count);
	for (size_t i = 0; i < known.count; i++) {
		const struct spot *of = &found.data[i % found.count];

		assert_int_equal(known.data[i].address, of->address);
		assert_int_equal(known.data[i].role, of->role);
		assert_int_equal(known.data[i].target, of->target);
		assert_string_equal(known.data[i].function.name,
				    i < found.count ? "three" : "alias");
	}
	/* a function of another length is another one */
	alias.size = 1;
	vec_clear(&known);
	assert_null(known_exits_find(&probe, file, &alias, &known));
	assert_true(known.count < found.count);
	known_exits_forget(&probe);
	assert_int_equal(probe.known_exits.count, 0);
	vec_free(&functions);
	vec_free(&found);
	vec_free(&known);
	debugfile_close(file);
	remove_program(program);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_places_are_parsed),
		cmocka_unit_test(test_places_may_name_a_file),
		cmocka_unit_test(test_wrong_places_are_refused),
		cmocka_unit_test(test_exits_of_functions_are_found),
		cmocka_unit_test(test_exits_are_found_once),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
