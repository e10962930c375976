/*
 * robust_word.c - words in shared memory that the kernel changes when the tool
 * dies
 *
 * A robust futex is a word that contains the number of the thread that holds
 * it. Each thread may register one list of such words with the kernel. When the
 * thread ends, however it ends, the kernel takes its number out of these words
 * (set_robust_list(2)). It does so before it lets go of the processes that the
 * thread traces, so a traced process that goes on without the tool finds the
 * words changed already.
 *
 * The words are in memory that the traced process can write, too. The elements
 * of the list must not be there, because the kernel and the tool follow their
 * pointers. But the distance between an element and its word is the same for
 * the whole list. So the tool reserves two arrays of pages. An element is in a
 * page of the first array, and its word in the page of the second array that
 * has the same index: that page is the shared memory.
 *
 * The C library has registered an empty list for its own robust mutexes, which
 * perftool does not use. That list is registered again at the end.
 */
#include <errno.h>
#include <linux/futex.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "perftool/base/alloc.h"
#include "perftool/target/remote_calls.h"
#include "target_state.h"

#define PAGE 4096UL
#define MOST_WORDS 256

struct robust_words {
	struct robust_list_head head;
	uint8_t *elements, *words; /* MOST_WORDS pages each */
	bool is_used[MOST_WORDS];
	/* the list of the C library */
	struct robust_list_head *replaced;
	size_t replaced_size;
};

_Static_assert(TARGET_LIFE_MASK == FUTEX_TID_MASK,
	       "the kernel clears these bits");

static struct robust_list *element(const struct robust_words *robust,
				   unsigned index)
{
	return (struct robust_list *)(robust->elements + index * PAGE);
}

static struct error *reserve(struct robust_words *robust)
{
	uint8_t *pages =
		mmap(NULL, 2 * MOST_WORDS * PAGE, PROT_NONE,
		     MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	if (pages == MAP_FAILED)
		return error_system(errno, "cannot reserve addresses");
	robust->elements = pages;
	robust->words = pages + MOST_WORDS * PAGE;
	robust->head.list.next = &robust->head.list;
	robust->head.futex_offset = robust->words - robust->elements;
	return NULL;
}

static struct error *register_list(struct robust_words *robust)
{
	if (syscall(SYS_get_robust_list, 0, &robust->replaced,
		    &robust->replaced_size) < 0 ||
	    syscall(SYS_set_robust_list, &robust->head, sizeof(robust->head)) <
		    0)
		return error_system(errno, "set_robust_list");
	return NULL;
}

static void words_destroy(struct robust_words *robust)
{
	if (robust->elements)
		munmap(robust->elements, 2 * MOST_WORDS * PAGE);
	free(robust);
}

static struct error *words_create(struct target *target)
{
	struct robust_words *robust = xcalloc(1, sizeof(*robust));
	struct error *error = reserve(robust);

	if (!error)
		error = register_list(robust);
	if (error)
		words_destroy(robust);
	else
		target->robust = robust;
	return error;
}

static struct error *find_free(const struct robust_words *robust,
			       unsigned *index)
{
	for (*index = 0; *index < MOST_WORDS; (*index)++)
		if (!robust->is_used[*index])
			return NULL;
	return error_create(ERROR_OTHER, "more than %d processes", MOST_WORDS);
}

/* Map the page of the shared memory a second time, as the page of the word, and
 * memory for the element. (mremap(2) of nothing maps shared memory again.) */
static struct error *map_pages(struct robust_words *robust, unsigned index,
			       uint8_t *page)
{
	uint8_t *word = robust->words + index * PAGE;
	uint8_t *elements = robust->elements + index * PAGE;

	if (mremap(page, 0, PAGE, MREMAP_MAYMOVE | MREMAP_FIXED, word) ==
		    MAP_FAILED ||
	    mprotect(elements, PAGE, PROT_READ | PROT_WRITE) < 0)
		return error_system(errno, "cannot map a page again");
	return NULL;
}

/* Give the addresses of the pages back to the reserve. */
static void unmap_pages(struct robust_words *robust, unsigned index)
{
	(void)mmap(robust->words + index * PAGE, PAGE, PROT_NONE,
		   MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1,
		   0);
	madvise(robust->elements + index * PAGE, PAGE, MADV_DONTNEED);
}

struct error *target_show_life(struct target *target,
			       const struct shared_memory *shared,
			       size_t offset, unsigned *number)
{
	struct robust_words *robust;
	struct error *error;
	unsigned index;

	if (!target->robust)
		TRY(words_create(target));
	robust = target->robust;
	TRY(find_free(robust, &index));
	error = map_pages(robust, index, shared->memory + offset);
	if (error) {
		unmap_pages(robust, index);
		return error;
	}
	robust->is_used[index] = true;
	__atomic_store_n((uint32_t *)(robust->words + index * PAGE),
			 (uint32_t)gettid(), __ATOMIC_RELEASE);
	element(robust, index)->next = robust->head.list.next;
	robust->head.list.next = element(robust, index);
	*number = index + 1;
	return NULL;
}

void target_hide_life(struct target *target, unsigned number)
{
	struct robust_words *robust = target->robust;
	const struct robust_list *gone;
	struct robust_list *at;

	if (!number)
		return;
	at = &robust->head.list;
	gone = element(robust, number - 1);
	while (at->next != gone)
		at = at->next;
	at->next = gone->next;
	__atomic_store_n((uint32_t *)(robust->words + (number - 1) * PAGE), 0,
			 __ATOMIC_RELEASE);
	unmap_pages(robust, number - 1);
	robust->is_used[number - 1] = false;
}

void robust_words_deinit(struct target *target)
{
	struct robust_words *robust = target->robust;

	if (!robust)
		return;
	syscall(SYS_set_robust_list, robust->replaced, robust->replaced_size);
	words_destroy(robust);
	target->robust = NULL;
}
