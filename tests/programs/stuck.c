/*
 * stuck.c - a thread that waits in the kernel and cannot be stopped there
 *
 * The thread writes a page into a pipe, but the page does not exist yet:
 * another thread (or process) must provide it, by userfaultfd(2).
 *
 * A line on standard input is a request, answered by a line on standard output:
 * `stuck` (the thread waits now), `free` (the thread has gone on), `work N`
 * (work() was called N times), `clone` (the thread waits now because clone3(2)
 * reads the page), `child` (the only thread of a child waits as after `stuck`),
 * `kill` (the child was killed). The first line of output is `ready`, or why
 * there can be no such page.
 *
 * Flags: -falign-functions=16
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/sched.h>
#include <linux/userfaultfd.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#define PAGE 4096

static char *page;
static long written;

__attribute__((noinline)) long work(long n)
{
	__asm__ volatile("" : "+r"(n));
	return n + 1;
}

static void *write_page(void *pipe_end)
{
	written = write(*(int *)pipe_end, page, PAGE);
	return NULL;
}

/* clone3(2) with arguments that are all zero creates a process whose end sends
 * no signal. */
static void *clone_by_page(void *unused)
{
	pid_t child = (pid_t)syscall(SYS_clone3, page, CLONE_ARGS_SIZE_VER0);

	(void)unused;
	if (child == 0)
		_exit(0);
	waitpid(child, NULL, __WCLONE);
	written = 0;
	return NULL;
}

/* Make the page. Returns the descriptor that tells of the page's faults, or -1
 * and errno. */
static int make_page(void)
{
	struct uffdio_api api = {.api = UFFD_API};
	struct uffdio_register range = {.mode = UFFDIO_REGISTER_MODE_MISSING};
	int faults = (int)syscall(SYS_userfaultfd, O_CLOEXEC);

	page = mmap(NULL, PAGE, PROT_READ | PROT_WRITE,
		    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	range.range.start = (unsigned long)page;
	range.range.len = PAGE;
	if (faults < 0 || ioctl(faults, UFFDIO_API, &api) < 0 ||
	    ioctl(faults, UFFDIO_REGISTER, &range) < 0)
		return -1;
	return faults;
}

static void get_stuck(int faults, void *(*access)(void *), int *pipe_end,
		      pthread_t *thread)
{
	struct uffd_msg message;

	pthread_create(thread, NULL, access, pipe_end);
	/* there is a message when the thread waits */
	if (read(faults, &message, sizeof(message)) != sizeof(message))
		exit(2);
}

static void get_free(int faults, pthread_t thread)
{
	struct uffdio_zeropage zero = {.range = {(unsigned long)page, PAGE}};

	ioctl(faults, UFFDIO_ZEROPAGE, &zero);
	pthread_join(thread, NULL);
	printf("written %ld\n", written);
}

/* The child has the descriptors of its parent, which hears from the child's
 * descriptor that the child waits. Its number comes by another pipe. */
static pid_t get_child_stuck(int pipe_end)
{
	struct uffd_msg message;
	int numbers[2], faults;
	struct pollfd ready;
	pid_t child;

	if (pipe(numbers) != 0)
		exit(2);
	child = (pid_t)syscall(SYS_clone, CLONE_FILES | SIGCHLD, NULL, NULL,
			       NULL, NULL);
	if (child == 0) {
		faults = make_page();
		if (write(numbers[1], &faults, sizeof(faults)) ==
		    sizeof(faults))
			write_page(&pipe_end);
		_exit(0);
	}
	if (read(numbers[0], &faults, sizeof(faults)) != sizeof(faults))
		exit(2);
	ready = (struct pollfd){.fd = faults, .events = POLLIN};
	if (fcntl(faults, F_SETFL, O_NONBLOCK) != 0 ||
	    poll(&ready, 1, 30000) != 1 ||
	    read(faults, &message, sizeof(message)) != sizeof(message))
		exit(2);
	puts("child");
	return child;
}

static void kill_child(pid_t child)
{
	kill(child, SIGKILL);
	waitpid(child, NULL, 0);
	puts("kill");
}

int main(void)
{
	int ends[2], faults = make_page();
	char line[64];
	pthread_t thread;
	pid_t child = 0;

	setvbuf(stdout, NULL, _IOLBF, 0);
	if (faults < 0 || pipe(ends) != 0)
		printf("no such page: %s\n", strerror(errno));
	else
		puts("ready");
	while (fgets(line, sizeof(line), stdin)) {
		long n = 0;

		if (strcmp(line, "stuck\n") == 0) {
			get_stuck(faults, write_page, &ends[1], &thread);
			puts("stuck");
		} else if (strcmp(line, "clone\n") == 0) {
			get_stuck(faults, clone_by_page, NULL, &thread);
			puts("clone");
		} else if (strcmp(line, "free\n") == 0)
			get_free(faults, thread);
		else if (strcmp(line, "child\n") == 0)
			child = get_child_stuck(ends[1]);
		else if (strcmp(line, "kill\n") == 0)
			kill_child(child);
		else if (sscanf(line, "work %ld", &n) == 1) {
			for (long i = 0; i < n; i++)
				work(i);
			printf("worked %ld\n", n);
		}
	}
	return 0;
}
