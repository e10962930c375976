/*
 * pages.c - what happens to the pages of code, and beside them
 *
 * usage: pages
 *
 * The program says "ready FIRST SECOND OFFSET": the addresses of first() and
 * second(), and where first() is in the program's file. Then it obeys lines:
 *
 *	N	call first() and second() N times
 *	beside	map the page of second() once more, behind a page of data
 *	drop	drop the private copy of the page of first()
 *	map	map that page of the file anew, at its place
 *	copy	put an anonymous copy of that page, as the file has it, there
 *	fill	put a page full of int3s there
 *	share	make a function in shared memory that has no file
 *	share FILE	the same in that file
 *	call	call the shared function once
 *
 * The program answers "done FIRST SECOND CHANGED": how often each of the two
 * was called, and how many bytes of the data, the full page or the shared
 * function differ from what the program wrote there. The program ends with 1 at
 * a wrong result.
 */
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define PAGE 4096
#define SHARED ((unsigned char *)0x7000100000)

/* The first instruction of each function has five bytes, so there is room for a
 * jump. */
__asm__(".text\n"
	".p2align 12\n"
	".globl first\n"
	".type first, @function\n"
	"first: lea 1(%rdi,%rdi,2), %rax\n"
	"ret\n"
	".size first, . - first\n"
	".p2align 12\n"
	".globl second\n"
	".type second, @function\n"
	"second: lea 1(%rdi,%rdi,4), %rax\n"
	"ret\n"
	".size second, . - second\n"
	".p2align 12\n");
long first(long n);
long second(long n);

/* mov %rdi, %rax; add $5, %rax; ret */
static const unsigned char code[] = {0x48, 0x89, 0xf8, 0x48, 0x05,
				     5,    0,    0,    0,    0xc3};

static unsigned long first_calls, second_calls;
static unsigned char *watched, *expected;
static size_t watched_size;

static void check(int failed, const char *what)
{
	if (failed) {
		printf("cannot %s\n", what);
		exit(1);
	}
}

static void *page_of(long (*function)(long))
{
	return (void *)(uintptr_t)function;
}

/* The offset in the program's file from which an address is mapped. */
static unsigned long offset_of(const void *address)
{
	unsigned long at = (unsigned long)(uintptr_t)address;
	unsigned long low, high, offset, found = 0;
	FILE *maps = fopen("/proc/self/maps", "r");
	char line[512];

	while (maps && fgets(line, sizeof(line), maps))
		if (sscanf(line, "%lx-%lx %*s %lx", &low, &high, &offset) ==
			    3 &&
		    at >= low && at < high)
			found = offset + (at - low);
	check(!found, "find the code in the file");
	fclose(maps);
	return found;
}

static int open_own(void)
{
	int fd = open("/proc/self/exe", O_RDONLY);

	check(fd < 0, "open the program");
	return fd;
}

static void watch(unsigned char *at, size_t size)
{
	watched = at;
	watched_size = size;
	expected = malloc(size);
	check(!expected, "remember what is there");
	memcpy(expected, at, size);
}

static unsigned long changed(void)
{
	unsigned long count = 0;

	for (size_t i = 0; i < watched_size; i++)
		count += watched[i] != expected[i];
	return count;
}

static void map_own(void *at, unsigned long offset)
{
	int fd = open_own();

	check(mmap(at, PAGE, PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_FIXED, fd,
		   (off_t)offset) != at,
	      "map the program");
	close(fd);
}

static void map_beside(void)
{
	unsigned char *data =
		mmap(NULL, 2 * PAGE, PROT_READ | PROT_WRITE | PROT_EXEC,
		     MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	check(data == MAP_FAILED, "map data");
	memset(data, 0x5a, PAGE);
	map_own(data + PAGE, offset_of(page_of(second)));
	watch(data, PAGE);
}

static void map_other(const unsigned char *bytes)
{
	void *page = page_of(first);

	check(mmap(page, PAGE, PROT_READ | PROT_WRITE | PROT_EXEC,
		   MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) != page,
	      "map other memory");
	memcpy(page, bytes, PAGE);
	watch(page, PAGE);
}

static void map_copy(void)
{
	unsigned char bytes[PAGE];
	int fd = open_own();

	check(pread(fd, bytes, PAGE, (off_t)offset_of(page_of(first))) != PAGE,
	      "read the program");
	close(fd);
	map_other(bytes);
}

static void map_full(void)
{
	unsigned char bytes[PAGE];

	memset(bytes, 0xcc, PAGE);
	map_other(bytes);
}

static void share(const char *path)
{
	int flags = MAP_SHARED | MAP_FIXED_NOREPLACE, fd = -1;

	if (*path) {
		fd = open(path, O_RDWR | O_CREAT | O_TRUNC, 0700);
		check(fd < 0 || ftruncate(fd, PAGE) != 0, "make the file");
	} else {
		flags |= MAP_ANONYMOUS;
	}
	check(mmap(SHARED, PAGE, PROT_READ | PROT_WRITE | PROT_EXEC, flags, fd,
		   0) != SHARED,
	      "map shared memory");
	memcpy(SHARED, code, sizeof(code));
	watch(SHARED, sizeof(code));
}

static void call_both(long count)
{
	for (long i = 0; i < count; i++) {
		check(first(i) != 3 * i + 1, "compute first");
		check(second(i) != 5 * i + 1, "compute second");
		first_calls++;
		second_calls++;
	}
}

static void call_shared(void)
{
	long (*made)(long) = (long (*)(long))(uintptr_t)SHARED;

	check(made(2) != 7, "compute what is shared");
}

static void obey(char *line)
{
	if (strcmp(line, "beside") == 0)
		map_beside();
	else if (strcmp(line, "drop") == 0)
		check(madvise(page_of(first), PAGE, MADV_DONTNEED) != 0,
		      "drop");
	else if (strcmp(line, "map") == 0)
		map_own(page_of(first), offset_of(page_of(first)));
	else if (strcmp(line, "copy") == 0)
		map_copy();
	else if (strcmp(line, "fill") == 0)
		map_full();
	else if (strncmp(line, "share", 5) == 0)
		share(line[5] ? line + 6 : "");
	else if (strcmp(line, "call") == 0)
		call_shared();
	else
		call_both(atol(line));
}

int main(void)
{
	char line[512];

	setvbuf(stdout, NULL, _IOLBF, 0);
	printf("ready %lu %lu %lu\n", (unsigned long)(uintptr_t)first,
	       (unsigned long)(uintptr_t)second, offset_of(page_of(first)));
	while (fgets(line, sizeof(line), stdin)) {
		line[strcspn(line, "\n")] = '\0';
		obey(line);
		printf("done %lu %lu %lu\n", first_calls, second_calls,
		       changed());
	}
	return 0;
}
