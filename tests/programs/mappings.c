/*
 * mappings.c - mappings that are made, deleted, grown and shrunk
 *
 * It prints for each function how many mappings it created, how many of these
 * were deleted, by whomever, and how often one of them was grown or shrunk.
 */
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/shm.h>
#include <unistd.h>

#define KEPT __attribute__((noinline, noclone))
#define PAGE 4096

static KEPT char *map(size_t pages)
{
	char *memory = mmap(NULL, pages * PAGE, PROT_READ | PROT_WRITE,
			    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (memory == MAP_FAILED)
		abort();
	return memory;
}

/* Two of three stay. */
static KEPT char *leaky(void)
{
	char *last = NULL;

	for (int i = 0; i < 3; i++)
		last = map(4);
	return last;
}

static KEPT void tidy(void)
{
	for (int i = 0; i < 5; i++)
		munmap(map(2), 2 * PAGE);
}

/* One end, then the middle, then the rest. */
static KEPT void partly(void)
{
	char *memory = map(16);

	munmap(memory, PAGE);
	munmap(memory + 8 * PAGE, PAGE);
	munmap(memory + PAGE, 7 * PAGE);
	munmap(memory + 9 * PAGE, 7 * PAGE);
}

static KEPT void resized(void)
{
	char *memory = map(4);

	memory = mremap(memory, 4 * PAGE, 64 * PAGE, MREMAP_MAYMOVE);
	memory = mremap(memory, 64 * PAGE, 2 * PAGE, MREMAP_MAYMOVE);
	munmap(memory, 2 * PAGE);
}

static KEPT void shared(void)
{
	const int id = shmget(IPC_PRIVATE, 3 * PAGE, 0600 | IPC_CREAT);
	void *memory = shmat(id, NULL, 0);

	shmctl(id, IPC_RMID, NULL);
	shmdt(memory);
}

static KEPT void heap(void)
{
	if (sbrk(8 * PAGE) == (void *)-1 || sbrk(-4 * PAGE) == (void *)-1)
		abort();
}

static KEPT void failing(void)
{
	if (mmap(NULL, 0, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) !=
		    MAP_FAILED ||
	    munmap((char *)1, PAGE) == 0)
		abort();
}

static KEPT void deleter(char *memory)
{
	munmap(memory, 4 * PAGE);
}

int main(void)
{
	char *last = leaky();

	tidy();
	partly();
	resized();
	shared();
	heap();
	failing();
	deleter(last);
	puts("leaky 3 1 0 0\ntidy 5 5 0 0\npartly 1 1 0 3\nresized 1 1 1 1\n"
	     "shared 1 1 0 0\nheap 0 0 1 1\nfailing 0 0 0 0\n"
	     "deleter 0 0 0 0");
	return 0;
}
