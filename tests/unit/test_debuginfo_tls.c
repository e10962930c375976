/*
 * test_debuginfo_tls.c - thread-local variables: of programs, of libraries
 * loaded with them and later, in several threads
 *
 * The program says where its variables are: the addresses are in plain globals.
 *
 * tier: core
 * covers: debuginfo/locations debuginfo/variables
 */
#include "debuginfo_values.h"
#include "perftool/debuginfo/debug_variables.h"
#include "perftool/debuginfo/frame_rules.h"

#include <elf.h>
#include <link.h>

static const char library_source[] =
	"__thread int before = 5;\n"
	"__thread long shared_tls = 21;\n"
	"static __thread short hidden_tls = 22;\n"
	"__thread char large_tls[5000];\n"
	"int library_count;\n"
	"void library_use(long n, void **where)\n"
	"{ shared_tls += n; hidden_tls += (short)n; large_tls[3] = (char)n;\n"
	"  where[0] = &shared_tls; where[1] = &hidden_tls;\n"
	"  where[2] = &large_tls; library_count++; }\n"
	"void library_look(void) { library_count++; }\n"
	"void library_stop(void) { library_count++; }\n";

static const char program_source[] =
	"#include <dlfcn.h>\n"
	"#include <pthread.h>\n"
	"#include <stdlib.h>\n"
	"#ifndef BLOCK\n"
	"#define BLOCK 1\n"
	"#endif\n"
	"__thread _Alignas(64) char aligned_tls = 11;\n"
	"__thread int own_tls = 12;\n"
	"static __thread double bss_tls;\n"
	"__thread char block_tls[BLOCK];\n"
	"void *own_where, *bss_where, *library_where[3];\n"
	"volatile int sink;\n"
	"__attribute__((noinline)) void stop(int thread) { sink = thread; }\n"
	"static void (*use)(long, void **), (*look)(void), (*ready)(void);\n"
	"static void *run(void *arg)\n"
	"{\n"
	"  own_tls += (int)(long)arg; bss_tls = 0.5 + (double)(long)arg;\n"
	"  own_where = &own_tls; bss_where = &bss_tls;\n"
	"  block_tls[0] = 3;\n"
	"  if (look) look();\n"
	"  if (use) use((long)arg, library_where);\n"
	"  if (ready) ready();\n"
	"  stop((int)(long)arg);\n"
	"  return NULL;\n"
	"}\n"
	"#ifdef LIBRARY\n"
	"void library_use(long, void **); void library_look(void);\n"
	"void library_stop(void);\n"
	"#endif\n"
	"int main(void)\n"
	"{\n"
	"  pthread_t thread;\n"
	"#ifdef LIBRARY\n"
	"  use = library_use; look = library_look; ready = library_stop;\n"
	"#elif defined OPENED\n"
	"  void *opened = dlopen(OPENED, RTLD_NOW);\n"
	"  if (!opened) abort();\n"
	"  *(void **)&use = dlsym(opened, \"library_use\");\n"
	"  *(void **)&look = dlsym(opened, \"library_look\");\n"
	"  *(void **)&ready = dlsym(opened, \"library_stop\");\n"
	"#endif\n"
	"  run((void *)1L);\n"
	"#ifndef ALONE\n"
	"  pthread_create(&thread, NULL, run, (void *)7L);\n"
	"  pthread_join(thread, NULL);\n"
	"#endif\n"
	"  return 0;\n"
	"}\n";

/* ---- threads that stop ------------------------------------------------- */

/* Let everything run until some thread is at `at`; that is then looked at. */
static void run_thread_to(struct running *running, uint64_t at)
{
	pid_t program = running->pid, thread;
	long word;
	int status;

	if (running->regs.rip == at) {
		ptrace(PTRACE_SINGLESTEP, program, NULL, NULL);
		assert_int_equal(waitpid(program, &status, __WALL), program);
	}
	errno = 0;
	word = ptrace(PTRACE_PEEKTEXT, program, at, NULL);
	assert_int_equal(errno, 0);
	ptrace(PTRACE_POKETEXT, program, at, (word & ~0xffL) | 0xcc);
	ptrace(PTRACE_CONT, program, NULL, NULL);
	for (;;) {
		thread = waitpid(-1, &status, __WALL);
		assert_true(thread > 0);
		if (!WIFSTOPPED(status))
			fail_msg("the program ended before it was at %#lx", at);
		if (WSTOPSIG(status) == SIGTRAP && status >> 16 == 0)
			break;
		/* a thread that is new, or its parent */
		if (WSTOPSIG(status) != SIGSTOP && WSTOPSIG(status) != SIGTRAP)
			fail_msg("signal %d on the way to %#lx",
				 WSTOPSIG(status), at);
		ptrace(PTRACE_CONT, thread, NULL, NULL);
	}
	running->pid = thread;
	assert_int_equal(ptrace(PTRACE_GETREGS, thread, NULL, &running->regs),
			 0);
	running->regs.rip--;
	assert_int_equal(running->regs.rip, at);
	ptrace(PTRACE_POKETEXT, thread, at, word);
	ptrace(PTRACE_SETREGS, thread, NULL, &running->regs);
	running->scratch.used = 0;
	running->reader = (struct frame_reader){
		.read = running_read,
		.context = running,
		.regs = &running->regs,
		.read_vectors = running_vectors,
		.bias = running->bias,
		.scratch = &running->scratch,
	};
}

/* Where a file was loaded that the program has mapped. */
static uint64_t bias_of(const struct running *running, const char *path,
			const struct debugfile *file)
{
	char *maps = output_of("grep -F '%s' /proc/%d/maps || true", path,
			       running->pid);
	unsigned long low = 0;

	if (sscanf(maps, "%lx", &low) != 1)
		fail_msg("%s is not loaded", path);
	free(maps);
	return low - debugfile_facts(file)->low;
}

/* The address that a pointer of the program holds. */
static uint64_t pointer(struct trial *trial, const char *name, unsigned index)
{
	uint64_t address = 0, value = 0;
	struct variable *variable = find(trial, name);

	assert_null(
		variable_address(variable, &trial->running.reader, &address));
	variable_destroy(variable);
	assert_true(frame_read(&trial->running.reader, address + index * 8,
			       &value, sizeof(value)));
	return value;
}

static void expect_address(struct trial *trial, const char *name,
			   uint64_t expected)
{
	struct variable *variable = find(trial, name);
	uint64_t address = 0;
	struct error *error =
		variable_address(variable, &trial->running.reader, &address);

	if (error)
		fail_msg("%s: %s", name, error_message(error));
	assert_int_equal(address, expected);
	variable_destroy(variable);
}

static pid_t started; /* the program that runs, or 0 */

static int stop_started(void **state)
{
	(void)state;
	if (started)
		kill(started, SIGKILL);
	while (started && waitpid(-1, NULL, __WALL) > 0)
		;
	started = 0;
	return 0;
}

/* ---- the program's own --------------------------------------------------- */

static void start_threads(struct trial *trial)
{
	run_start(&trial->running, trial->path, trial->file);
	started = trial->running.pid;
	trial->running.bias = bias_of(&trial->running, "/threads", trial->file);
	ptrace(PTRACE_SETOPTIONS, started, NULL,
	       PTRACE_O_EXITKILL | PTRACE_O_TRACECLONE);
}

static void check_own(struct trial *trial, int thread)
{
	struct function stop = function_named(trial->file, "stop");

	trial->address = stop.address;
	trial->at_entry = true;
	run_thread_to(&trial->running, stop.address + trial->running.bias);
	expect_signed(trial, "thread", thread);
	expect_signed(trial, "own_tls", 12 + thread);
	expect_signed(trial, "aligned_tls", 11);
	expect(trial, "bss_tls", value_float(0.5 + thread));
	expect_address(trial, "own_tls", pointer(trial, "own_where", 0));
	expect_address(trial, "bss_tls", pointer(trial, "bss_where", 0));
}

static void check_program(const char *flags, bool two)
{
	char *command = xasprintf("gcc -g -w %s -pthread", flags);
	struct trial trial = {
		.path = compile(command, "threads", "c", program_source)};

	trial.file = open_sample(trial.path);
	start_threads(&trial);
	check_own(&trial, 1);
	if (two)
		check_own(&trial, 7);
	stop_started(NULL);
	debugfile_close(trial.file);
	free(trial.path);
	free(command);
}

static void test_tls_of_a_program_is_found(void **state)
{
	(void)state;
	check_program("-O0", true);
	check_program("-O2 -gdwarf-4", true);
	check_program("-O0 -no-pie -fno-pie", true);
	check_program("-O0 -DBLOCK=77777", true);
	check_program("-O0 -static", true);
	check_program("-O0 -static-pie", true);
}

/* ---- a library's --------------------------------------------------------- */

static void check_library_in(struct trial *library, struct trial *program,
			     int thread, bool late)
{
	struct function function;
	struct running *running = &library->running;

	/* before it has used any of them */
	function = function_named(library->file, "library_look");
	library->address = function.address;
	run_thread_to(running, function.address + running->bias);
	if (late)
		expect_failure(library, "shared_tls", ERROR_EVALUATE,
			       "has not used");
	else
		expect_signed(library, "shared_tls", 21);
	function = function_named(library->file, "library_stop");
	library->address = function.address;
	run_thread_to(running, function.address + running->bias);
	expect_signed(library, "before", 5);
	expect_signed(library, "shared_tls", 21 + thread);
	expect_signed(library, "hidden_tls", 22 + thread);
	program->running = library->running;
	program->running.bias = program->running.reader.bias =
		bias_of(&program->running, "/threads", program->file);
	program->running.reader.context = &program->running;
	program->running.reader.regs = &program->running.regs;
	program->address = function_named(program->file, "stop").address;
	expect_address(library, "shared_tls",
		       pointer(program, "library_where", 0));
	expect_address(library, "hidden_tls",
		       pointer(program, "library_where", 1));
	expect_address(library, "large_tls",
		       pointer(program, "library_where", 2));
	expect_signed(program, "own_tls", 12 + thread);
}

/* Threads that a library is loaded into; of its own or another block. */
static void check_library(const char *library_flags, const char *program_flags,
			  const char *libc_flags, bool late)
{
	char *command = xasprintf("%s -g -w -shared -fPIC %s", libc_flags,
				  library_flags);
	struct trial library = {
		.path = compile(command, "libtls.so", "c", library_source)};
	struct trial program = {0};
	struct function main_function;

	free(command);
	library.file = open_sample(library.path);
	command = xasprintf("%s -g -w %s -pthread -DOPENED='\"%s\"' "
			    "-Wl,-rpath,%s -L%s",
			    libc_flags, program_flags, library.path,
			    sample_directory, sample_directory);
	if (!late)
		command = (free(command),
			   xasprintf("%s -g -w %s -pthread -DLIBRARY "
				     "-Wl,--no-as-needed "
				     "-Wl,-rpath,%s %s",
				     libc_flags, program_flags,
				     sample_directory, library.path));
	program.path = compile(command, "threads", "c", program_source);
	program.file = open_sample(program.path);
	start_threads(&program);
	main_function = function_named(program.file, "run");
	run_thread_to(&program.running,
		      main_function.address + program.running.bias);
	library.running = program.running;
	library.running.bias =
		bias_of(&program.running, "libtls.so", library.file);
	check_library_in(&library, &program, 1, late);
	check_library_in(&library, &program, 7, late);
	stop_started(NULL);
	debugfile_close(program.file);
	debugfile_close(library.file);
	free(program.path);
	free(library.path);
	free(command);
}

static void test_tls_of_a_library_is_found(void **state)
{
	(void)state;
	/* loaded with the program: its block may be made when first used */
	check_library("-O0", "-O0", "gcc", true);
	check_library("-O2", "-O0 -DBLOCK=999", "gcc", true);
	check_library("-O1 -ftls-model=initial-exec", "-O0", "gcc", false);
	check_library("-O1 -mtls-dialect=gnu2", "-O0", "gcc", true);
	check_library(
		"-O2 -fvisibility=hidden -Dlibrary_use="
		"'__attribute__((visibility(\"default\"))) library_use' "
		"-Dlibrary_look='__attribute__((visibility(\"default\"))) "
		"library_look' -Dlibrary_stop='__attribute__(("
		"visibility(\"default\"))) library_stop'",
		"-O0", "gcc", true);
}

static void test_tls_of_a_musl_library_is_found(void **state)
{
	(void)state;
	check_library("-O0", "-O0", "musl-gcc", false);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_teardown(test_tls_of_a_program_is_found,
					  stop_started),
		cmocka_unit_test_teardown(test_tls_of_a_library_is_found,
					  stop_started),
		cmocka_unit_test_teardown(test_tls_of_a_musl_library_is_found,
					  stop_started),
	};

	return cmocka_run_group_tests(tests, samples_setup, samples_teardown);
}
