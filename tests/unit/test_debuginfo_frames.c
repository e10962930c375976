/*
 * test_debuginfo_frames.c - call frame information against readelf, and
 * callers found in a running program
 *
 * tier: core full
 * covers: debuginfo/frames debuginfo/dwarf
 */
#include "debuginfo_samples.h"
#include "perftool/debuginfo/frame_rules.h"
#include "sampling.h"

static const char source[] =
	"volatile long sink;\n"
	"#define NOINLINE __attribute__((noinline, noclone))\n"
	"NOINLINE void bottom(int n) { sink = n; }\n"
	"NOINLINE int third(int n)\n"
	"{ long many[40]; for (int i = 0; i < 40; i++) many[i] = n + sink;\n"
	"  bottom(n); return (int)many[n]; }\n"
	"NOINLINE int second(int a, int b, int c, int d, int e, int f, int g)\n"
	"{ int s = third(a) * b; for (int i = 0; i < c; i++) s += third(d) * "
	"e;\n"
	"  return s + f * g; }\n"
	"NOINLINE int first(int n)\n"
	"{ char space[n + 100]; space[n] = (char)n; sink = (long)space;\n"
	"  return second(n, 2, 3, 4, 5, 6, 7) + space[n]; }\n"
	"int main(int argc, char **argv)\n"
	"{\n"
	"  (void)argv;\n"
	"  return first(argc) == 77;\n"
	"}\n";

static const char *const flags[] = {
	"-O0 -g",
	"-O2 -g",
	"-O2",
	"-O2 -fno-omit-frame-pointer",
	"-O2 -s",
	"-O1 -g -fno-asynchronous-unwind-tables -fno-unwind-tables",
	"-O2 -no-pie",
	"-Os -mavx2 -mstackrealign",
};

#define COUNT(array) (sizeof(array) / sizeof(*(array)))

/* "rsp+8" of readelf as a rule; false: an expression. */
static bool parse_rule(const char *text, struct cfa_rule *out)
{
	static const char *const names[] = {
		"rax", "rdx", "rcx", "rbx", "rsi", "rdi", "rbp", "rsp", "r8",
		"r9",  "r10", "r11", "r12", "r13", "r14", "r15", "rip"};

	for (unsigned i = 0; i < COUNT(names); i++) {
		size_t length = strlen(names[i]);

		if (strncmp(text, names[i], length) == 0 &&
		    (text[length] == '+' || text[length] == '-')) {
			out->reg = i;
			out->offset = strtol(text + length, NULL, 10);
			return true;
		}
	}
	return false;
}

/* All rows that readelf finds in a file. */
static unsigned check_rows(const char *path)
{
	struct debugfile *file = open_sample(path);
	char *text = output_of("readelf -wNF %s", path);
	uint64_t low = 0, high = 0;
	unsigned checked = 0;

	for (char *save, *line = strtok_r(text, "\n", &save); line;
	     line = strtok_r(NULL, "\n", &save)) {
		struct cfa_rule wanted, found = {0};
		char *range = strstr(line, "pc="), rule[64];
		uint64_t address;

		if (range) {
			if (sscanf(range, "pc=%lx..%lx", &low, &high) != 2)
				low = high = 0;
			continue;
		}
		if (sscanf(line, "%lx %63s", &address, rule) != 2 ||
		    strspn(line, "0123456789abcdef") != 16 || address < low ||
		    address >= high)
			continue;
		if (!parse_rule(rule, &wanted)) {
			assert_string_equal(rule, "exp");
			assert_false(debugfile_cfa_rule(file, address, &found));
			continue;
		}
		if (!debugfile_cfa_rule(file, address, &found) ||
		    found.reg != wanted.reg || found.offset != wanted.offset)
			fail_msg("%s: %#lx: %u%+ld and not %s", path, address,
				 found.reg, found.offset, rule);
		checked++;
	}
	assert_false(debugfile_cfa_rule(file, debugfile_facts(file)->high + 1,
					&(struct cfa_rule){0}));
	debugfile_close(file);
	free(text);
	return checked;
}

static void test_frame_rows_agree_with_readelf(void **state)
{
	(void)state;
	for (size_t i = 0; i < COUNT(flags); i++) {
		if (!one_in(COUNT(flags), i))
			continue;
		char *command = xasprintf("gcc -w %s", flags[i]);
		char *path = compile(command, "rows", "c", source);

		assert_true(check_rows(path) >= 10);
		free(path);
		free(command);
	}
	/* code that was not written by a compiler, too */
	assert_true(check_rows("/lib64/ld-linux-x86-64.so.2") > 500);
}

/* Go up from `regs` and name the functions on the way. */
static char *backtrace(struct running *running, struct debugfile *file)
{
	struct user_regs_struct regs = running->regs, caller;
	struct frame_reader reader = running->reader;
	struct str names = {0};

	reader.regs = &regs;
	for (int depth = 0; depth < 20; depth++) {
		struct function function;
		struct error *error;

		if (!debugfile_function_at(file, regs.rip - running->bias,
					   &function))
			break;
		str_printf(&names, "%s ", function.name ? function.name : "?");
		error = debugfile_unwind(file, &reader, &caller);
		if (error) {
			error_destroy(error);
			break;
		}
		assert_true(caller.rsp > regs.rsp);
		regs = caller;
		regs.rip--; /* the call may be the function's last insn */
	}
	return str_take(&names);
}

static void check_backtrace(const char *compiler, const char *build)
{
	char *command = xasprintf("%s -w %s", compiler, build);
	char *path = compile(command, "unwind", "c", source);
	struct debugfile *file = open_sample(path);
	struct running running;
	struct function bottom = function_named(file, "bottom");
	char *names;

	run_to(&running, path, file, bottom.address);
	names = backtrace(&running, file);
	if (!str_starts(names, "bottom third second first main "))
		fail_msg("%s: %s", command, names);
	running_stop(&running);
	debugfile_close(file);
	free(names);
	free(path);
	free(command);
}

static void test_backtraces_have_all_callers(void **state)
{
	(void)state;
	for (size_t i = 0; i < COUNT(flags); i++) {
		if (!one_in(COUNT(flags), i))
			continue;
		if (strstr(flags[i], "-s"))
			continue; /* no names to look at */
		check_backtrace("gcc", flags[i]);
		check_backtrace("clang", flags[i]);
	}
}

/* _start has no caller: its call frame information says so. */
static void test_start_has_no_caller(void **state)
{
	char *path = compile("gcc -g", "outermost", "c", source);
	struct debugfile *file = open_sample(path);
	struct running running;
	struct user_regs_struct caller;
	struct error *error;

	(void)state;
	run_to(&running, path, file, debugfile_facts(file)->entry);
	error = debugfile_unwind(file, &running.reader, &caller);
	assert_non_null(error);
	assert_int_equal(error_code(error), ERROR_NOT_FOUND);
	error_destroy(error);
	running_stop(&running);
	debugfile_close(file);
	free(path);
}

/* The registers that a callee saves are those of the caller again. */
static void test_unwinding_restores_saved_registers(void **state)
{
	char *path = compile("gcc -O2 -g", "registers", "c", source);
	struct debugfile *file = open_sample(path);
	struct function second = function_named(file, "second");
	struct function third = function_named(file, "third");
	struct function bottom = function_named(file, "bottom");
	struct user_regs_struct inside, caller;
	struct running running;

	(void)state;
	run_to(&running, path, file, third.address);
	inside = running.regs;
	running_stop(&running);
	run_to(&running, path, file, bottom.address);
	assert_null(debugfile_unwind(file, &running.reader, &caller));
	running.regs = caller; /* in third */
	running.regs.rip--;
	assert_null(debugfile_unwind(file, &running.reader, &caller));
	assert_true(caller.rip - running.bias > second.address);
	assert_true(caller.rip - running.bias < second.address + second.size);
	assert_int_equal(caller.rbx, inside.rbx);
	assert_int_equal(caller.r12, inside.r12);
	assert_int_equal(caller.rbp, inside.rbp);
	running_stop(&running);
	debugfile_close(file);
	free(path);
}

static const char throwing[] =
	"void leaf();\n"
	"struct guard { ~guard(); };\n"
	"extern \"C\" int plain(int x) { leaf(); return x; }\n"
	"extern \"C\" int catching() { try { leaf(); } catch (...) { return 1; "
	"}"
	" return 0; }\n"
	"extern \"C\" void cleaning() { guard it; leaf(); }\n"
	"void leaf() { throw 1; }\n"
	"guard::~guard() { __asm__(\"\"); }\n"
	"int main() { return plain(catching()); }\n";

/* Only functions that something is done in for an exception have a table. */
static void test_only_functions_with_handlers_have_pads(void **state)
{
	static const char *const compilers[] = {"g++ -O1", "clang++ -O1",
						"g++ -O2 -static"};

	(void)state;
	for (size_t i = 0; i < COUNT(compilers); i++) {
		char *path = compile(compilers[i], "throwing", "cc", throwing);
		struct debugfile *file = open_sample(path);

		assert_false(debugfile_has_pads(
			file, function_named(file, "plain").address));
		assert_true(debugfile_has_pads(
			file, function_named(file, "catching").address));
		assert_true(debugfile_has_pads(
			file, function_named(file, "cleaning").address + 1));
		assert_false(debugfile_has_pads(file, 0));
		debugfile_close(file);
		free(path);
	}
}

/* The code is what readelf calls executable: all of .text is in it. */
static void test_code_has_all_of_text(void **state)
{
	char *path = compile("gcc -O1", "code", "c", source);
	struct debugfile *file = open_sample(path);
	uint64_t at = function_named(file, "bottom").address;
	struct range range;
	size_t count = 0;
	bool found = false;

	(void)state;
	for (; debugfile_code(file, count, &range); count++) {
		assert_true(range.low < range.high);
		found |= at >= range.low && at < range.high;
	}
	assert_int_equal(count, 1);
	assert_true(found);
	debugfile_close(file);
	free(path);
}

/* Unreadable memory is an error and no crash. */
static bool read_nothing(void *context, uint64_t address, void *buffer,
			 size_t size)
{
	(void)context;
	(void)address;
	memset(buffer, 0, size);
	return false;
}

static void test_unreadable_stack_is_an_error(void **state)
{
	char *path = compile("gcc -O0", "unreadable", "c", source);
	struct debugfile *file = open_sample(path);
	struct function bottom = function_named(file, "bottom");
	struct user_regs_struct regs = {.rip = bottom.address, .rsp = 64},
				caller;
	struct frame_reader reader = {.read = read_nothing, .regs = &regs};
	struct error *error;

	(void)state;
	error = debugfile_unwind(file, &reader, &caller);
	assert_non_null(error);
	assert_int_equal(error_code(error), ERROR_EVALUATE);
	error_destroy(error);
	debugfile_close(file);
	free(path);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_frame_rows_agree_with_readelf),
		cmocka_unit_test(test_backtraces_have_all_callers),
		cmocka_unit_test(test_start_has_no_caller),
		cmocka_unit_test(test_unwinding_restores_saved_registers),
		cmocka_unit_test(test_only_functions_with_handlers_have_pads),
		cmocka_unit_test(test_code_has_all_of_text),
		cmocka_unit_test(test_unreadable_stack_is_an_error),
	};

	return cmocka_run_group_tests(tests, samples_setup, samples_teardown);
}
