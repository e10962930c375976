/*
 * seccomp.c - a program that gives up most system calls, and then works
 *
 * usage: seccomp strict | kill | errno | thread | wrap PROGRAM [ARG...]
 *        seccomp unheard PROGRAM [ARG...]
 *        seccomp asked [strict]
 *
 * strict: the program keeps only read, write and exit. kill: a call that would
 * map, protect or create memory, change a signal or trace a process ends the
 * program. errno: the same calls fail. thread: like kill, and a thread that is
 * born under the filter calls work(). wrap: PROGRAM is executed under a filter
 * that refuses executable memory without a file with EPERM, as SELinux can.
 * unheard: PROGRAM is executed under a filter that refuses perf_event_open(2),
 * as the filters of containers do. asked: the program ends if it calls
 * rt_sigreturn, or anything that strict mode forbids; for each byte of input it
 * calls work() once, and says so.
 */
#include <errno.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#define LOAD(field)                                                            \
	BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, field))
#define IF_EQUAL(value, yes, no)                                               \
	BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (value), (yes), (no))
#define IF_SET(bits, yes, no)                                                  \
	BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, (bits), (yes), (no))
#define RETURN(what) BPF_STMT(BPF_RET | BPF_K, (what))
#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static volatile int work_calls;

__attribute__((noinline)) void work(void)
{
	work_calls++;
}

static void install(struct sock_filter *filter, size_t count)
{
	struct sock_fprog program = {(unsigned short)count, filter};

	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) ||
	    prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program)) {
		perror("seccomp");
		exit(2);
	}
}

static void forbid(unsigned answer)
{
	struct sock_filter filter[] = {
		LOAD(nr),
		IF_EQUAL(SYS_mmap, 9, 0),
		IF_EQUAL(SYS_mprotect, 8, 0),
		IF_EQUAL(SYS_munmap, 7, 0),
		IF_EQUAL(SYS_memfd_create, 6, 0),
		IF_EQUAL(SYS_rt_sigaction, 5, 0),
		IF_EQUAL(SYS_rt_sigprocmask, 4, 0),
		IF_EQUAL(SYS_close, 3, 0),
		IF_EQUAL(SYS_arch_prctl, 2, 0),
		IF_EQUAL(SYS_ptrace, 1, 0),
		RETURN(SECCOMP_RET_ALLOW),
		RETURN(answer),
	};

	install(filter, COUNT(filter));
}

/* The filter forbids anonymous executable mappings, memory that is made
 * executable afterwards, and files that exist only in memory. */
static void forbid_executable_memory(void)
{
	struct sock_filter filter[] = {
		LOAD(nr),
		IF_EQUAL(SYS_memfd_create, 8, 0),
		IF_EQUAL(SYS_mprotect, 5, 0),
		IF_EQUAL(SYS_mmap, 0, 7),
		LOAD(args[3]),
		IF_SET(MAP_ANONYMOUS, 0, 5),
		LOAD(args[2]),
		IF_SET(PROT_EXEC, 2, 3),
		LOAD(args[2]),
		IF_SET(PROT_EXEC, 0, 1),
		RETURN(SECCOMP_RET_ERRNO | EPERM),
		RETURN(SECCOMP_RET_ALLOW),
	};

	install(filter, COUNT(filter));
}

static void forbid_events(void)
{
	struct sock_filter filter[] = {
		LOAD(nr),
		IF_EQUAL(SYS_perf_event_open, 0, 1),
		RETURN(SECCOMP_RET_ERRNO | EPERM),
		RETURN(SECCOMP_RET_ALLOW),
	};

	install(filter, COUNT(filter));
}

static void call_work(int calls)
{
	for (int i = 0; i < calls; i++)
		work();
}

static void say(void)
{
	char line[64];
	int length = snprintf(line, sizeof(line), "work %d\n", work_calls);

	if (write(1, line, (size_t)length) != length)
		_exit(3);
}

static void forbid_return(void)
{
	struct sock_filter filter[] = {
		LOAD(nr),
		IF_EQUAL(SYS_rt_sigreturn, 0, 1),
		RETURN(SECCOMP_RET_KILL_PROCESS),
		RETURN(SECCOMP_RET_ALLOW),
	};

	install(filter, COUNT(filter));
}

static void serve(void)
{
	char byte;

	say();
	while (read(0, &byte, 1) == 1) {
		work();
		say();
	}
}

static void *thread(void *unused)
{
	call_work(100);
	return unused;
}

static pthread_t born;
static pthread_barrier_t filtered;

static void *wait_and_work(void *unused)
{
	pthread_barrier_wait(&filtered);
	return thread(unused);
}

int main(int argc, char **argv)
{
	const char *how = argc > 1 ? argv[1] : "kill";

	call_work(10);
	if (strcmp(how, "strict") == 0) {
		prctl(PR_SET_SECCOMP, SECCOMP_MODE_STRICT);
	} else if (strcmp(how, "kill") == 0) {
		forbid(SECCOMP_RET_KILL_PROCESS);
	} else if (strcmp(how, "errno") == 0) {
		forbid(SECCOMP_RET_ERRNO | EPERM);
	} else if (strcmp(how, "thread") == 0) {
		pthread_barrier_init(&filtered, NULL, 2);
		pthread_create(&born, NULL, wait_and_work, NULL);
		forbid(SECCOMP_RET_KILL_THREAD);
		pthread_barrier_wait(&filtered);
		pthread_join(born, NULL);
	} else if (strcmp(how, "asked") == 0) {
		if (argc > 2)
			prctl(PR_SET_SECCOMP, SECCOMP_MODE_STRICT);
		else
			forbid_return();
		serve();
	} else if (strcmp(how, "wrap") == 0 && argc > 2) {
		forbid_executable_memory();
		execv(argv[2], argv + 2);
		return 99;
	} else if (strcmp(how, "unheard") == 0 && argc > 2) {
		forbid_events();
		execvp(argv[2], argv + 2);
		return 99;
	}
	call_work(100);
	say();
	syscall(SYS_exit, 5);
	return 99;
}
