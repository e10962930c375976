/*
 * page_cache.c - keeps pages of one process in the tool; see page_cache.h
 *
 * Thousands of breakpoint sites are in only a few pages. While no thread of a
 * process executes anything, the tool reads each page once, and keeps the bytes
 * that it writes to the page here until target_write_kept(). A page is divided
 * into 64 lines. A write that covers whole lines does not need the page to be
 * read.
 *
 * The tool may die at any moment, so the caller decides in which order the
 * pages are written (page_rank_fn). The tool writes lines that follow one
 * another with one system call, and the kernel writes them in one go, too.
 *
 * A process may need hundreds of new mappings, each of which is a remote call.
 * They are collected, too, and are all made with few remote calls before the
 * pages are written. Until then the tool has their pages here alone.
 *
 * At the first write to a page the tool finds out whether the page can be
 * written. At target_write_kept() it would be too late: the code that made the
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
	bool is_writable;        /* as far as the tool knows */
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
	vec_free(&kept->written);
	vec_free(&kept->mappings);
}

static bool is_to_be_mapped(const struct kept *kept, uint64_t address)
{
	for (size_t i = 0; i < kept->mappings.count; i++)
		if (address - kept->mappings.data[i].address <
		    kept->mappings.data[i].size)
			return true;
	return false;
}

static struct kept_page *find_page(struct kept *kept, uint64_t address)
{
	struct kept_page *page = map_get(&kept->pages, address);

	if (page && page->known)
		return page;
	if (!page) {
		page = xmalloc(sizeof(*page));
		page->address = address;
		page->known = page->written = 0;
		map_set(&kept->pages, address, page);
	}
	page->is_writable = is_to_be_mapped(kept, address);
	if (page->is_writable) {
		memset(page->bytes, 0, sizeof(page->bytes));
		page->known = UINT64_MAX;
	}
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

/* Can the page be written? A page that was written before can, and so can a new
 * one. Else the function writes a byte that the page already has. */
static bool is_writable(const struct kept *kept, struct kept_page *page,
			uint64_t into)
{
	page->is_writable = page->is_writable ||
			    access_write(kept->process, page->address + into,
					 page->bytes + into, 1) == 1;
	return page->is_writable;
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

		/* target_write_kept() may write these bytes later together with
		 * other bytes of their line, so the page must have them, too */
		if (put > 0)
			memcpy(page->bytes + into, buffer, (size_t)put);
		return put;
	}
	memcpy(page->bytes + into, buffer, size);
	page->known |= lines;
	if (!page->written)
		vec_push(&kept->written, page);
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

/* Put the pages that must be written into the order in which they are. */
static void sort_written(struct kept *kept)
{
	for (size_t i = 0; i < kept->written.count; i++)
		kept->written.data[i]->rank = kept->rank(
			kept->context, kept->written.data[i]->address);
	if (kept->written.count)
		qsort(kept->written.data, kept->written.count,
		      sizeof(struct kept_page *), compare);
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

/* While memory is mapped, the tool writes scripts into the process and lets a
 * thread execute them, so no pages are kept then. */
static struct error *map_deferred(struct target *target)
{
	struct kept kept = target->kept;
	struct error *error;

	if (!kept.mappings.count)
		return NULL;
	target->kept = (struct kept){0};
	error = kept.map(kept.caller, kept.mappings.data, kept.mappings.count,
			 kept.name);
	target->kept = kept;
	return error;
}

/* Write the pages, as far as the memory for them is there. If it is not, jumps
 * may lead there. No thread goes on before they are taken out: who gets the
 * error takes everything out, and for that the memory must be as the tool
 * believes it is. */
static struct error *write_pages(struct kept *kept, bool is_mapped)
{
	for (size_t i = 0; i < kept->written.count; i++) {
		struct kept_page *page = kept->written.data[i];
		struct error *error = write_back(kept->process, page);

		page->written = 0;
		if (error && !is_mapped &&
		    is_to_be_mapped(kept, page->address)) {
			error_destroy(error);
			error = NULL;
		}
		TRY(error);
	}
	return NULL;
}

struct error *target_write_kept(struct target *target)
{
	struct kept *kept = &target->kept;
	struct error *error;

	if (!kept->written.count && !kept->mappings.count)
		return NULL;
	error = map_deferred(target);
	sort_written(kept);
	error = error_first(error, write_pages(kept, !error));
	vec_clear(&kept->written);
	vec_clear(&kept->mappings);
	if (error)
		drop_pages(kept);
	return error;
}

struct error *target_settle(struct target *target)
{
	struct error *error = target_write_kept(target);

	drop_pages(&target->kept);
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

bool kept_is_on(const struct process *process)
{
	const struct kept *kept = &process->target->kept;

	return kept->process &&
	       (kept->process == process ||
		(process->owner && kept->process->owner == process->owner));
}

void kept_defer_mapping(struct thread *thread,
			const struct kept_mapping *mapping, const char *name,
			kept_map_fn map)
{
	struct kept *kept = &thread->process->target->kept;

	vec_push(&kept->mappings, *mapping);
	kept->caller = thread;
	kept->name = name;
	kept->map = map;
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
