/*
 * lazy_pages.c - memory whose pages a thread of the program provides when they
 * are accessed for the first time (userfaultfd(2))
 *
 * Usage: lazy_pages [PAGES]
 *
 * The program calls work() twice for each page, and work() reads the page. The
 * page is missing when the first of these calls begins, and is there when the
 * second one begins. The thread that provides the page calls handle().
 *
 * Then a line on standard input is a request, answered by a line on standard
 * output: `pass N` (pass() was called N times with a page that is missing and
 * that it does not read). The first line of output is `ready`, or why there can
 * be no such pages; if there are pages, what is true of the calls follows.
 *
 * Flags: -O1 -falign-functions=16
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/userfaultfd.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#define PAGE 4096UL

struct item {
	long number;
	char name[32];
};

static int faults;
static long handled;

__attribute__((noipa)) long handle(long n)
{
	return n * 3 + 1;
}

__attribute__((noipa)) long work(const struct item *item)
{
	return item->number;
}

__attribute__((noipa)) long pass(const struct item *item)
{
	return (long)item;
}

static void provide(uint64_t address)
{
	static union {
		struct item item;
		char bytes[PAGE];
	} page;
	struct uffdio_copy copy = {.dst = address / PAGE * PAGE,
				   .src = (unsigned long)&page,
				   .len = PAGE};

	page.item.number = handled++;
	strcpy(page.item.name, page.item.number % 2 ? "odd" : "even");
	handle(page.item.number);
	if (ioctl(faults, UFFDIO_COPY, &copy) < 0)
		exit(2);
}

static void *serve(void *unused)
{
	struct uffd_msg message;

	(void)unused;
	while (read(faults, &message, sizeof(message)) == sizeof(message))
		provide(message.arg.pagefault.address);
	return NULL;
}

/* Make memory without pages. NULL: errno says why there can be none. A user
 * without rights may only make memory of which the kernel's own accesses fail;
 * nobody would wait for a page of that. */
static char *make_pages(size_t size)
{
	struct uffdio_api api = {.api = UFFD_API};
	struct uffdio_register range = {.mode = UFFDIO_REGISTER_MODE_MISSING};
	char *memory = mmap(NULL, size, PROT_READ | PROT_WRITE,
			    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	range.range.start = (unsigned long)memory;
	range.range.len = size;
	faults = (int)syscall(SYS_userfaultfd, O_CLOEXEC);
	if (faults < 0 || ioctl(faults, UFFDIO_API, &api) < 0 ||
	    ioctl(faults, UFFDIO_REGISTER, &range) < 0)
		return NULL;
	return memory;
}

int main(int argc, char **argv)
{
	long pages = argc > 1 ? atol(argv[1]) : 0, sum = 0, n;
	/* nothing reads the page behind the others */
	char *memory = make_pages((size_t)(pages + 1) * PAGE);
	pthread_t thread;

	setvbuf(stdout, NULL, _IOLBF, 0);
	if (!memory) {
		printf("no such pages: %s\n", strerror(errno));
		return 3;
	}
	pthread_create(&thread, NULL, serve, NULL);
	for (long i = 0; i < 2 * pages; i++)
		sum += work((const struct item *)(memory + i / 2 * PAGE));
	puts("ready");
	if (pages)
		printf("work %ld\nhandle %ld\nsum %ld\n", 2 * pages, handled,
		       sum);
	while (scanf(" pass %ld", &n) == 1) {
		for (long i = 0; i < n; i++)
			sum += pass((struct item *)(memory + pages * PAGE));
		printf("passed %ld\n", n);
	}
	return 0;
}
