/*
 * test_target_refusal.c - why a process cannot be attached to, in words; and
 * what of its files the tool can open
 *
 * tier: core
 * covers: target/attach target/proc
 */
// clang-format off
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
// clang-format on

#include <elf.h>
#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/stat.h>
#include <sys/syscall.h>

#include "perftool/base/str.h"
#include "perftool/command_line.h"
#include "perftool/target/memory_maps.h"
#include "target/attach/attach.h"
#include "target_rig.h"

static void sleep_on(struct shared *shared)
{
	atomic_store(&shared->ready, 1);
	for (;;)
		pause();
}

/* The message has all the words, in this order; NULL ends them. */
static void assert_words(const char *message, const char *const *words)
{
	const char *at = message;

	for (; *words; words++) {
		at = strstr(at, *words);
		if (!at) {
			print_message("# \"%s\" lacks \"%s\"\n", message,
				      *words);
			fail();
		}
		at += strlen(*words);
	}
	assert_null(strchr(message, '\n'));
}

#define assert_refused(rig, pid, ...)                                          \
	do {                                                                   \
		struct process *process_;                                      \
		struct error *error_ =                                         \
			target_attach((rig)->target, (pid), &process_);        \
		assert_non_null(error_);                                       \
		assert_words(error_message(error_),                            \
			     (const char *const[]){__VA_ARGS__, NULL});        \
		error_destroy(error_);                                         \
		assert_true(rig_has_none((rig)));                              \
	} while (0)

static void test_missing_process_is_refused(void **state)
{
	struct rig rig;
	char number[16];

	(void)state;
	rig_start(&rig, sleep_on);
	assert_refused(&rig, 999999999, "process 999999999 does not exist");
	assert_refused(&rig, 0, "process 0 does not exist");
	assert_refused(&rig, -1, "process -1 does not exist");
	snprintf(number, sizeof(number), "%d", getpid());
	assert_refused(&rig, getpid(), number, "cannot measure itself");
	rig_end(&rig);
}

static void *sleep_in_thread(void *argument)
{
	struct shared *shared = argument;

	atomic_store(&shared->counters[1], (unsigned long)gettid());
	sleep_on(shared);
	return NULL;
}

static void two_threads(struct shared *shared)
{
	pthread_t thread;

	pthread_create(&thread, NULL, sleep_in_thread, shared);
	for (;;)
		pause();
}

static void test_number_of_a_thread_is_refused(void **state)
{
	struct rig rig;
	char option[32];
	pid_t tid;

	(void)state;
	rig_start(&rig, two_threads);
	assert_true(rig_until(rig_is_ready, &rig));
	tid = (pid_t)atomic_load(&rig.shared->counters[1]);
	snprintf(option, sizeof(option), "-p %d", rig.pid);
	assert_refused(&rig, tid, "is a thread of process", option);
	rig_end(&rig);
}

static void test_zombie_is_refused(void **state)
{
	struct rig rig;
	siginfo_t info;

	(void)state;
	rig_start(&rig, sleep_on);
	kill(rig.pid, SIGKILL);
	assert_int_equal(waitid(P_PID, (id_t)rig.pid, &info, WEXITED | WNOWAIT),
			 0);
	assert_refused(&rig, rig.pid, "has ended", "zombie", "test_target_ref");
	rig_end(&rig);
}

static void test_traced_process_is_refused(void **state)
{
	struct process *process;
	struct error *error;
	struct rig rig;
	char number[32];
	int go[2];
	char byte;
	pid_t tracer;

	(void)state;
	rig_start(&rig, sleep_on);
	assert_true(rig_until(rig_is_ready, &rig));
	assert_int_equal(pipe(go), 0);
	tracer = fork();
	if (tracer == 0) {
		ptrace(PTRACE_SEIZE, rig.pid, 0, 0);
		if (write(go[1], "", 1) != 1)
			_exit(1);
		for (;;)
			pause();
	}
	assert_int_equal(read(go[0], &byte, 1), 1);
	snprintf(number, sizeof(number), "traced by process %d (", tracer);
	assert_refused(&rig, rig.pid, number, "test_target_ref");
	kill(tracer, SIGKILL);
	waitpid(tracer, NULL, 0);
	assert_ok(target_attach(rig.target, rig.pid, &process));
	error = target_check_attach(rig.pid);
	assert_non_null(error);
	error_destroy(error);
	target_detach(process);
	assert_null(target_check_attach(rig.pid));
	close(go[0]);
	close(go[1]);
	rig_end(&rig);
}

/* Not every kernel executes programs of 32 bits; their files are told by all.
 */
static void test_32_bit_process_is_refused(void **state)
{
	/* mov eax, 29 (pause); int 0x80; jmp back */
	static const struct {
		Elf32_Ehdr header;
		Elf32_Phdr segment;
		uint8_t code[12];
	} program = {
		.header = {.e_ident = {0x7f, 'E', 'L', 'F', ELFCLASS32,
				       ELFDATA2LSB, EV_CURRENT},
			   .e_type = ET_EXEC,
			   .e_machine = EM_386,
			   .e_version = EV_CURRENT,
			   .e_entry = 0x8048000 + sizeof(Elf32_Ehdr) +
				      sizeof(Elf32_Phdr),
			   .e_phoff = sizeof(Elf32_Ehdr),
			   .e_ehsize = sizeof(Elf32_Ehdr),
			   .e_phentsize = sizeof(Elf32_Phdr),
			   .e_phnum = 1},
		.segment = {.p_type = PT_LOAD,
			    .p_vaddr = 0x8048000,
			    .p_filesz = sizeof(program),
			    .p_memsz = sizeof(program),
			    .p_flags = PF_R | PF_X,
			    .p_align = 0x1000},
		.code = {0xb8, 29, 0, 0, 0, 0xcd, 0x80, 0xeb, 0xf7},
	};
	char path[] = "/tmp/perftool-32-XXXXXX";
	struct rig rig;
	pid_t pid;
	int fd = mkstemp(path), status[2];
	char byte;

	(void)state;
	rig_start(&rig, sleep_on);
	assert_int_equal(write(fd, &program, sizeof(program)), sizeof(program));
	fchmod(fd, 0755);
	close(fd);
	assert_true(is_32_bit(path));
	assert_false(is_32_bit("/proc/self/exe"));
	assert_false(is_32_bit("/proc/self/status"));
	assert_false(is_32_bit("/nowhere"));
	assert_int_equal(pipe2(status, O_CLOEXEC), 0);
	pid = fork();
	if (pid == 0) {
		execl(path, path, NULL);
		_exit(write(status[1], "", 1) == 1 ? 127 : 126);
	}
	close(status[1]);
	/* nothing to read: the exec has closed it */
	if (read(status[0], &byte, 1) == 0)
		assert_refused(&rig, pid, "32-bit program");
	kill(pid, SIGKILL);
	unlink(path);
	close(status[0]);
	rig_end(&rig);
}

static pid_t find_kernel_thread(void)
{
	char line[64] = "";
	FILE *file = fopen("/proc/2/comm", "re");

	if (file && !fgets(line, sizeof(line), file))
		line[0] = '\0';
	if (file)
		fclose(file);
	return str_equal(line, "kthreadd\n") ? 2 : 0;
}

static void test_thread_of_the_kernel_is_refused(void **state)
{
	struct rig rig;

	(void)state;
	rig_start(&rig, sleep_on);
	if (find_kernel_thread()) /* none is visible in a container */
		assert_refused(
			&rig, 2,
			"process 2 (kthreadd) is a thread of the kernel");
	rig_end(&rig);
}

/* As somebody who may not, in a child: the message comes by a pipe. */
static void refused_as_nobody(struct rig *rig, char *message, size_t size)
{
	ssize_t length;
	int result[2];
	pid_t pid;

	assert_int_equal(pipe(result), 0);
	pid = fork();
	if (pid == 0) {
		struct process *process;
		struct error *error;

		if (setgid(65534) || setuid(65534))
			_exit(2);
		error = target_attach(rig->target, rig->pid, &process);
		if (error && write(result[1], error_message(error),
				   strlen(error_message(error))) < 0)
			_exit(2);
		_exit(0);
	}
	close(result[1]);
	length = read(result[0], message, size - 1);
	assert_true(length >= 0);
	message[length] = '\0';
	close(result[0]);
	waitpid(pid, NULL, 0);
}

static void as_nobody(struct shared *shared)
{
	if (setgid(65534) || setuid(65534))
		_exit(2);
	prctl(PR_SET_DUMPABLE, 1);
	sleep_on(shared);
}

static void not_dumpable(struct shared *shared)
{
	if (setgid(65534) || setuid(65534))
		_exit(2);
	prctl(PR_SET_DUMPABLE, 0);
	sleep_on(shared);
}

static void set_user_id(struct shared *shared)
{
	if (setresgid(65534, 65534, 65534) || setresuid(65534, 65533, 65533))
		_exit(2);
	sleep_on(shared);
}

static void test_process_of_another_user_is_refused(void **state)
{
	struct rig rig;
	char message[512];

	(void)state;
	/* only root can be somebody else */
	assert_int_equal(geteuid(), 0);
	rig_start(&rig, sleep_on);
	assert_true(rig_until(rig_is_ready, &rig));
	refused_as_nobody(&rig, message, sizeof(message));
	assert_words(message,
		     (const char *const[]){"belongs to user 0 (root)", NULL});
	rig_end(&rig);

	rig_start(&rig, not_dumpable);
	assert_true(rig_until(rig_is_ready, &rig));
	refused_as_nobody(&rig, message, sizeof(message));
	assert_words(message, (const char *const[]){"is not dumpable", NULL});
	rig_end(&rig);

	rig_start(&rig, set_user_id);
	assert_true(rig_until(rig_is_ready, &rig));
	refused_as_nobody(&rig, message, sizeof(message));
	assert_words(message, (const char *const[]){"set-user-ID", NULL});
	rig_end(&rig);

	rig_start(&rig, as_nobody);
	assert_true(rig_until(rig_is_ready, &rig));
	refused_as_nobody(&rig, message, sizeof(message));
	assert_string_equal(message, "");
	rig_end(&rig);
}

/* A process in a pid namespace of its own, where it is number 1. */
static void test_number_inside_a_container_is_explained(void **state)
{
	struct rig rig;
	struct error *error;
	pid_t pid;

	(void)state;
	rig_start(&rig, sleep_on);
	assert_true(rig_until(rig_is_ready, &rig));
	atomic_store(&rig.shared->ready, 0);
	pid = (pid_t)syscall(SYS_clone, CLONE_NEWPID | SIGCHLD, 0, 0, 0, 0);
	assert_true(pid >= 0);
	if (pid == 0) {
		/* its third child is number 4 there */
		for (int i = 0; i < 3; i++) {
			pid_t child = fork();

			if (child == 0 && i == 2) {
				prctl(PR_SET_NAME, "number four");
				sleep_on(rig.shared);
			}
			if (child == 0)
				_exit(0);
		}
		for (;;)
			pause();
	}
	assert_true(rig_until(rig_is_ready, &rig));
	/* out here it is mostly nobody, or a thread of the kernel; somebody who
	 * can be attached to may be who was meant */
	error = target_check_attach(4);
	if (error)
		assert_words(error_message(error),
			     (const char *const[]){"process 4 ",
						   "(number four) has the "
						   "number 4 in its "
						   "container: use -p ",
						   NULL});
	error_destroy(error);
	kill(pid, SIGKILL);
	rig_end(&rig);
}

/* ---- files -----------------------------------------------------------------
 */

static void run_file(struct rig *rig, const char *path)
{
	int status[2];
	char byte;

	assert_int_equal(pipe2(status, O_CLOEXEC), 0);
	rig->pid = fork();
	if (rig->pid == 0) {
		execl(path, "a name", "1000", "0", NULL);
		_exit(127);
	}
	close(status[1]);
	assert_int_equal(read(status[0], &byte, 1), 0);
	close(status[0]);
}

static const struct mapping *find_mapping(const struct mapping_list *maps,
					  const char *part)
{
	for (size_t i = 0; i < maps->count; i++)
		if (strstr(maps->data[i].path, part))
			return &maps->data[i];
	return NULL;
}

static void test_files_of_a_process_are_found(void **state)
{
	char path[] = "/tmp/perftool-file-XXXXXX", command[128];
	struct mapping_list maps;
	const struct mapping *mapping;
	struct stat file, found;
	char *program, **args, *problem, *open_path;
	struct rig rig;

	(void)state;
	rig_start(&rig, sleep_on);
	kill(rig.pid, SIGKILL);
	rig_reap(&rig);
	close(mkstemp(path));
	snprintf(command, sizeof(command), "cp /bin/sleep %s; chmod +x %s",
		 path, path);
	assert_int_equal(system(command), 0);
	run_file(&rig, path);

	program = target_program_name(rig.pid);
	args = target_arguments(rig.pid);
	assert_string_equal(program, path);
	assert_string_equal(args[0], "1000");
	assert_string_equal(args[1], "0");
	assert_null(args[2]);
	for (size_t i = 0; args[i]; i++)
		free(args[i]);
	free(args);
	free(program);

	assert_ok(target_read_maps(rig.pid, &maps));
	mapping = find_mapping(&maps, "perftool-file");
	assert_non_null(mapping);
	open_path = target_file_of_mapping(rig.pid, mapping, &problem);
	assert_string_equal(open_path, path);
	assert_null(problem);
	free(open_path);
	mapping = find_mapping(&maps, "[");
	assert_null(target_file_of_mapping(rig.pid, mapping, &problem));
	assert_non_null(strstr(problem, "is not a file"));
	free(problem);
	mapping_list_deinit(&maps);

	/* replaced: another file has its name, but exe is still it */
	assert_int_equal(stat(path, &file), 0);
	snprintf(command, sizeof(command), "cp /bin/true %s.new; mv %s.new %s",
		 path, path, path);
	assert_int_equal(system(command), 0);
	assert_ok(target_read_maps(rig.pid, &maps));
	mapping = find_mapping(&maps, "perftool-file");
	open_path = target_file_of_mapping(rig.pid, mapping, &problem);
	assert_non_null(open_path);
	assert_null(problem);
	assert_int_equal(stat(open_path, &found), 0);
	assert_int_equal(found.st_ino, file.st_ino);
	free(open_path);
	mapping_list_deinit(&maps);
	unlink(path);
	rig_end(&rig);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_missing_process_is_refused),
		cmocka_unit_test(test_number_of_a_thread_is_refused),
		cmocka_unit_test(test_zombie_is_refused),
		cmocka_unit_test(test_traced_process_is_refused),
		cmocka_unit_test(test_32_bit_process_is_refused),
		cmocka_unit_test(test_thread_of_the_kernel_is_refused),
		cmocka_unit_test(test_process_of_another_user_is_refused),
		cmocka_unit_test(test_number_inside_a_container_is_explained),
		cmocka_unit_test(test_files_of_a_process_are_found),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
