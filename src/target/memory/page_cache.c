/*
 * page_cache.c - keeps pages of one process in the tool; see page_cache.h
 *
 * Thousands of breakpoint sites are in only a few pages. While no thread of a
 * process executes anything, the tool reads each page once, and keeps the bytes
 * that it writes to the page here until target_settle(). A page is divided into
 * 64 lines. A write that covers whole lines does not need the page to be read.
 *
 * The tool may die at any moment, so the caller decides in which order the
 * pages are written (page_rank_fn). The tool writes lines that follow one
 * another with one system call, and the kernel writes them in one go, too.
 *
 * At the first write to a page the tool finds out whether the page can be
 * written. At target_settle() it would be too late: the code that made the
 * write could not get the error any more.
 */
#include "page_cache.h"
#include "memory.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "memory_access.h"
#include "perftool/arch.h"
#include "perftool/base/alloc.h"
#include "target/target_state.h"

#define LINE (ARCH_PAGE / 64)

struct kept_page {
	uint64_t address;
	unsigned rank;
	uint64_t known, written; /* bit i stands for line i */
	uint8_t bytes[ARCH_PAGE];
};
VEC_STRUCT(page_list, struct kept_page *);

/* ---- pages ------------------------------------------------------------- */

static void drop_pages(struct kept *kept)
{
	struct kept_page *page;
	size_t cursor = 0;

	while ((page = map_next(&kept->pages, &cursor, NULL)))
		free(page);
	map_deinit(&kept->pages);
}

static struct kept_page *find_page(struct kept *kept, uint64_t address)
{
	struct kept_page *page = map_get(&kept->pages, address);

	if (page)
		return page;
	page = xmalloc(sizeof(*page));
	page->address = address;
	page->known = page->written = 0;
	map_set(&kept->pages, address, page);
	return page;
}

/* Return the bits of the lines that contain the `count` bytes from offset
 * `into` of a page on; `count` is not 0. */
static uint64_t lines_of(size_t into, size_t count)
{
	size_t first = into / LINE, last = (into + count - 1) / LINE;

	return UINT64_MAX << first & UINT64_MAX >> (63 - last);
}

/* Read the page if some of these lines are not known yet. False: the memory
 * cannot be read. */
static bool know(const struct kept *kept, struct kept_page *page,
		 uint64_t lines)
{
	uint8_t bytes[ARCH_PAGE];

	if (!(lines & ~page->known))
		return true;
	if (access_read(kept->process, page->address, bytes, ARCH_PAGE) !=
	    ARCH_PAGE)
		return false;
	for (size_t i = 0; i < 64; i++)
		if (!(page->known >> i & 1))
			memcpy(page->bytes + i * LINE, bytes + i * LINE, LINE);
	page->known = UINT64_MAX;
	return true;
}

/* How many of the `size` bytes at `address` are in the page of `address`. */
static size_t clip(uint64_t address, size_t size)
{
	size_t left = ARCH_PAGE - address % ARCH_PAGE;

	return size < left ? size : left;
}

static ssize_t read_page(struct kept *kept, uint64_t address, void *buffer,
			 size_t size)
{
	uint64_t into = address % ARCH_PAGE;
	struct kept_page *page = find_page(kept, address - into);

	if (!know(kept, page, lines_of(into, size)))
		return access_read(kept->process, address, buffer, size);
	memcpy(buffer, page->bytes + into, size);
	return (ssize_t)size;
}

/* Can the page be written? A page that was written before can. Else the
 * function writes a byte that the page already has. */
static bool is_writable(const struct kept *kept, const struct kept_page *page,
			uint64_t into)
{
	return page->written ||
	       access_write(kept->process, page->address + into,
			    page->bytes + into, 1) == 1;
}

static bool are_lines(size_t into, size_t size)
{
	return into % LINE == 0 && size % LINE == 0;
}

static ssize_t write_page(struct kept *kept, uint64_t address,
			  const void *buffer, size_t size)
{
	uint64_t into = address % ARCH_PAGE;
	struct kept_page *page = find_page(kept, address - into);
	uint64_t lines = lines_of(into, size);

	if (!are_lines(into, size) &&
	    (!know(kept, page, lines) || !is_writable(kept, page, into))) {
		ssize_t put =
			access_write(kept->process, address, buffer, size);

		/* target_settle() may write these bytes later together with
		 * other bytes of their line, so the page must have them, too */
		if (put > 0)
			memcpy(page->bytes + into, buffer, (size_t)put);
		return put;
	}
	memcpy(page->bytes + into, buffer, size);
	page->known |= lines;
	page->written |= lines;
	return (ssize_t)size;
}

/* ---- writing the pages ------------------------------------------------- */

static int compare(const void *a, const void *b)
{
	const struct kept_page *const *x = a, *const *y = b;

	if ((*x)->rank != (*y)->rank)
		return (*x)->rank < (*y)->rank ? -1 : 1;
	return (*x)->address > (*y)->address ? -1 : 1;
}

static void find_written(struct kept *kept, struct page_list *out)
{
	struct kept_page *page;
	size_t cursor = 0;

	while ((page = map_next(&kept->pages, &cursor, NULL))) {
		if (!page->written)
			continue;
		page->rank = kept->rank(kept->context, page->address);
		vec_push(out, page);
	}
	if (out->count)
		qsort(out->data, out->count, sizeof(struct kept_page *),
		      compare);
}

static struct error *write_lines(const struct process *process,
				 const struct kept_page *page, size_t first,
				 size_t end)
{
	size_t size = (end - first) * LINE;
	uint64_t address = page->address + first * LINE;
	ssize_t put = access_write(process, address, page->bytes + first * LINE,
				   size);

	return put == (ssize_t)size ? NULL
				    : cannot_write(process, address, put);
}

static struct error *write_back(const struct process *process,
				const struct kept_page *page)
{
	size_t first = 0, end;

	for (; first < 64; first = end) {
		end = first + 1;
		if (!(page->written >> first & 1))
			continue;
		while (end < 64 && page->written >> end & 1)
			end++;
		TRY(write_lines(process, page, first, end));
	}
	return NULL;
}

struct error *target_settle(struct target *target)
{
	struct kept *kept = &target->kept;
	struct page_list written = {0};
	struct error *error = NULL;

	if (!kept->pages.count)
		return NULL;
	find_written(kept, &written);
	for (size_t i = 0; !error && i < written.count; i++)
		error = write_back(kept->process, written.data[i]);
	vec_free(&written);
	drop_pages(kept);
	return error;
}

void target_keep(struct process *process, page_rank_fn rank, void *context)
{
	struct kept *kept = &process->target->kept;

	kept->process = process;
	kept->rank = rank;
	kept->context = context;
}

struct error *target_keep_no_more(struct process *process)
{
	struct target *target = process->target;
	struct error *error = target_settle(target);

	target->kept = (struct kept){0};
	return error;
}

void kept_forget(struct process *process)
{
	struct kept *kept = &process->target->kept;

	if (kept->process != process)
		return;
	drop_pages(kept);
	*kept = (struct kept){0};
}

/* ---- reading and writing ----------------------------------------------- */

/* Write the kept data before another process is accessed, because this process
 * may have the same memory. */
static bool settle_for_another(struct target *target)
{
	struct error *error = target_settle(target);
	bool done = !error;

	error_destroy(error);
	return done;
}

ssize_t kept_read(struct process *process, uint64_t address, void *buffer,
		  size_t size)
{
	struct kept *kept = &process->target->kept;
	size_t done = 0;

	if (kept->process != process)
		return settle_for_another(process->target)
			       ? access_read(process, address, buffer, size)
			       : -1;
	while (done < size) {
		size_t part = clip(address + done, size - done);
		ssize_t got = read_page(kept, address + done,
					(uint8_t *)buffer + done, part);

		if (got > 0)
			done += (size_t)got;
		if (got != (ssize_t)part)
			return done ? (ssize_t)done : got;
	}
	return (ssize_t)done;
}

ssize_t kept_write(struct process *process, uint64_t address,
		   const void *buffer, size_t size)
{
	struct kept *kept = &process->target->kept;
	size_t done = 0;

	if (kept->process != process)
		return settle_for_another(process->target)
			       ? access_write(process, address, buffer, size)
			       : -1;
	while (done < size) {
		size_t part = clip(address + done, size - done);
		ssize_t put = write_page(kept, address + done,
					 (const uint8_t *)buffer + done, part);

		if (put > 0)
			done += (size_t)put;
		if (put != (ssize_t)part)
			return done ? (ssize_t)done : put;
	}
	return (ssize_t)done;
}
