/*
 * mapped.c - code that is in no module: functions that are made at run time and
 * keep a frame pointer, and a function of the program at an address at which
 * the program has mapped its file once more
 *
 * Both call mark(), so its callers are known.
 */
#include <fcntl.h>
#include <link.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

typedef void function(void);

static volatile long marks;

__attribute__((noinline)) static void mark(void)
{
	marks++;
}

/* push %rbp; mov %rsp, %rbp; call *%rdi; pop %rbp; ret */
static const uint8_t inner_code[] = {0x55, 0x48, 0x89, 0xe5,
				     0xff, 0xd7, 0x5d, 0xc3};
/* The same, with a call of the first argument, which gets the second one. */
static const uint8_t outer_code[] = {0x55, 0x48, 0x89, 0xe5, 0x48, 0x89, 0xf8,
				     0x48, 0x89, 0xf7, 0xff, 0xd0, 0x5d, 0xc3};

__attribute__((noinline)) static void call_made(uint8_t *made)
{
	void (*outer)(void *, function *);
	void *at = made + 64;

	memcpy(&outer, &at, sizeof(at));
	outer(made, mark);
	__asm__ volatile("");
}

__attribute__((noinline)) static void again(function *called)
{
	called();
	__asm__ volatile("");
}

/* Map the code of the program once more, and set `*out` to where again() is
 * there. */
static int map_program(struct dl_phdr_info *info, size_t size, void *out)
{
	void *function = (void *)again, *at;

	(void)size;
	for (int i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *part = &info->dlpi_phdr[i];
		uintptr_t low = info->dlpi_addr + part->p_vaddr;

		if (part->p_type != PT_LOAD || !(part->p_flags & PF_X))
			continue;
		at = mmap(NULL, part->p_memsz, PROT_READ | PROT_EXEC,
			  MAP_PRIVATE, open("/proc/self/exe", O_RDONLY),
			  (off_t)part->p_offset);
		if (at == MAP_FAILED)
			return 1;
		at = (char *)at + ((uintptr_t)function - low);
		memcpy(out, &at, sizeof(at));
		return 1;
	}
	return 1;
}

__attribute__((noinline)) static void call_again(void (*second)(function *))
{
	second(mark);
	__asm__ volatile("");
}

int main(void)
{
	uint8_t *made = mmap(NULL, 4096, PROT_READ | PROT_WRITE | PROT_EXEC,
			     MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	void (*second)(function *) = NULL;

	if (made == MAP_FAILED)
		return 1;
	memcpy(made, inner_code, sizeof(inner_code));
	memcpy(made + 64, outer_code, sizeof(outer_code));
	call_made(made);
	dl_iterate_phdr(map_program, &second);
	if (!second || second == again)
		return 1;
	call_again(second);
	printf("marks %ld\n", marks);
	return 0;
}
