/*
 * pointers.c - functions whose arguments lead to numbers and to texts
 *
 *	pointers good N
 *		N calls of each, with what is in the data, on the heap, on the
 *		stack, and at the end of a mapping; some of the texts are NULL,
 *		or nowhere.
 *	pointers stale N
 *		N times: the memory that an argument leads to is there, then it
 *		is cut off, forbidden, and unmapped. The same in a thread that
 *		blocks the signals of faults, and in a child. If N is 0, the
 *		first thread goes on until there is a file `stop`.
 *	pointers unaligned N
 *		N calls, while unaligned accesses are faults (the flag AC).
 *	pointers wide N
 *		60 threads read N times in 20 mappings each, of 10,000. Prints
 *		how many milliseconds this took.
 *
 * `good` prints how often the thread was off its CPU because it waited, as it
 * does at each stop. `stale` prints whether the handler of faults was called,
 * and whether it still is the handler.
 */
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define SIZE 65536

struct inner {
	char kind;
	int number;
	unsigned low : 3, high : 5;
};

struct item {
	const char *name;
	struct inner *inner;
	char code[12];
};

static volatile long sink;

__attribute__((noinline)) void work(struct item *item)
{
	sink += item->code[0];
	__asm__ volatile("" : : : "memory");
}

__attribute__((noinline)) void spoken(const char *text)
{
	sink += text != NULL;
	__asm__ volatile("" : : : "memory");
}

__attribute__((noinline)) void seen(struct inner *inner)
{
	sink += inner != NULL;
	__asm__ volatile("" : : : "memory");
}

static void good(int rounds, char *name)
{
	static struct inner in_data = {'d', 7, 5, 1};
	struct inner *on_heap = malloc(sizeof(*on_heap));
	char text[32], on_stack[200] = "a text on the stack that is longer "
				       "than a label, which shows ninety-six "
				       "bytes of it, has room for";
	char *edge = mmap(NULL, 2 * SIZE, PROT_READ | PROT_WRITE,
			  MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	struct rusage usage;

	munmap(edge + SIZE, SIZE);
	edge += SIZE - 5;
	memcpy(edge, "edge", 5);
	*on_heap = (struct inner){'h', -3, 2, 30};
	for (int i = 0; i < rounds; i++) {
		struct item item = {i % 3 ? "odd" : NULL,
				    i % 2 ? on_heap : &in_data, "code"};

		item.code[4] = (char)('0' + i % 4);
		work(&item);
		snprintf(text, sizeof(text), "text %d", i % 5);
		spoken(text);
		spoken(on_stack);
		spoken(i % 100 ? NULL : edge);
		spoken(i % 100 == 1 ? (char *)16 : "\303\244\n");
		spoken(i % 100 ? "" : name);
	}
	getrusage(RUSAGE_SELF, &usage);
	printf("off %ld\n", usage.ru_nvcsw);
}

static volatile int handled;

static void on_fault(int signal)
{
	(void)signal;
	handled++;
	_exit(9);
}

static void block(void)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGSEGV);
	sigaddset(&set, SIGBUS);
	pthread_sigmask(SIG_BLOCK, &set, NULL);
}

static void call(char *page, char *file, int count)
{
	for (int i = 0; i < count; i++) {
		spoken(page);
		seen((struct inner *)(page + 64));
		spoken(file + 100);
	}
}

static void stale(int rounds)
{
	int memfd = memfd_create("pointers", 0);

	for (int i = 0; i < rounds; i++) {
		char *page = mmap(NULL, SIZE, PROT_READ | PROT_WRITE,
				  MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
		char *file;

		if (ftruncate(memfd, SIZE) < 0)
			abort();
		file = mmap(NULL, SIZE, PROT_READ | PROT_WRITE, MAP_SHARED,
			    memfd, 0);
		strcpy(page, "page");
		strcpy(file + 100, "file");
		((struct inner *)(page + 64))->number = 5;
		call(page, file, 10);
		if (ftruncate(memfd, 0) < 0)
			abort();
		spoken(file + 100);
		mprotect(page, SIZE, PROT_NONE);
		spoken(page);
		munmap(page, SIZE);
		munmap(file, SIZE);
		call(page, file, 10);
	}
	close(memfd);
}

static void *blocking(void *rounds)
{
	block();
	stale(*(int *)rounds);
	return NULL;
}

/* The child has what its maker has found out, and other memory. */
static int child(int rounds)
{
	char *page = mmap(NULL, SIZE, PROT_READ | PROT_WRITE,
			  MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	int status;
	pid_t pid;

	strcpy(page, "both");
	for (int i = 0; i < 10; i++)
		spoken(page);
	pid = fork();
	if (pid == 0) {
		munmap(page, SIZE);
		for (int i = 0; i < 10; i++)
			spoken(page);
		stale(rounds);
		_exit(handled);
	}
	for (int i = 0; i < 10; i++)
		spoken(page);
	waitpid(pid, &status, 0);
	munmap(page, SIZE);
	return status;
}

static void unaligned(int rounds)
{
	static char text[] = "xunaligned";

	spoken(text);
	for (int i = 0; i < rounds; i++) {
		__asm__ volatile(
			"sub $128, %%rsp; pushfq; orl $0x40000, (%%rsp);"
			"popfq; add $128, %%rsp"
			:
			:
			: "memory", "cc");
		spoken(text + 1);
		__asm__ volatile("sub $128, %%rsp; pushfq;"
				 "andl $~0x40000, (%%rsp); popfq;"
				 "add $128, %%rsp"
				 :
				 :
				 : "memory", "cc");
	}
	printf("done\n");
}

enum { READERS = 60, PLACES = 20, MAPPINGS = 10000, PAGE = 4096 };

struct reader {
	pthread_t thread;
	char *places[PLACES];
	int rounds;
};

static void *reads(void *argument)
{
	const struct reader *reader = argument;

	for (int i = 0; i < reader->rounds * PLACES; i++)
		spoken(reader->places[i % PLACES]);
	return NULL;
}

static void wide(int rounds)
{
	static struct reader readers[READERS];
	struct timespec from, to;
	char *all = mmap(NULL, 2UL * MAPPINGS * PAGE, PROT_NONE,
			 MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	for (size_t i = 0; i < MAPPINGS; i++)
		mprotect(all + 2 * i * PAGE, PAGE, PROT_READ | PROT_WRITE);
	clock_gettime(CLOCK_MONOTONIC, &from);
	for (size_t i = 0; i < READERS; i++) {
		readers[i].rounds = rounds;
		for (size_t j = 0; j < PLACES; j++)
			readers[i].places[j] =
				all + 2 * (i * PLACES + j) * PAGE;
		pthread_create(&readers[i].thread, NULL, reads, &readers[i]);
	}
	for (size_t i = 0; i < READERS; i++)
		pthread_join(readers[i].thread, NULL);
	clock_gettime(CLOCK_MONOTONIC, &to);
	printf("took %ld\n", (to.tv_sec - from.tv_sec) * 1000 +
				     (to.tv_nsec - from.tv_nsec) / 1000000);
}

int main(int argc, char **argv)
{
	struct sigaction action = {.sa_handler = on_fault}, now;
	int rounds = argc > 2 ? atoi(argv[2]) : 1, status;
	pthread_t thread;

	if (argc > 1 && strcmp(argv[1], "good") == 0) {
		good(rounds, argv[1]);
		return 0;
	}
	if (argc > 1 && strcmp(argv[1], "unaligned") == 0) {
		unaligned(rounds);
		return 0;
	}
	if (argc > 1 && strcmp(argv[1], "wide") == 0) {
		wide(rounds);
		return 0;
	}
	sigaction(SIGSEGV, &action, NULL);
	sigaction(SIGBUS, &action, NULL);
	printf("ready\n");
	fflush(stdout);
	while (!rounds && access("stop", F_OK) < 0)
		stale(1);
	rounds += !rounds;
	stale(rounds);
	pthread_create(&thread, NULL, blocking, &rounds);
	pthread_join(thread, NULL);
	status = child(rounds);
	sigaction(SIGSEGV, NULL, &now);
	printf("faults %d child %d handler %s\n", handled, status,
	       now.sa_handler == on_fault ? "right" : "wrong");
	return 0;
}
