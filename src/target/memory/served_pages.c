/*
 * served_pages.c - waits, for a limited time, for pages of files that another
 * process (FUSE) or another machine (NFS) provides
 *
 * If such a page is not in memory, an access to it waits for the file system.
 * The process that serves the file system may be one whose threads the tool
 * holds, or the machine may not answer. The wait for an access through
 * /proc/PID/mem cannot be ended even by SIGKILL. So the tool looks at
 * /proc/PID/pagemap first. If a page is missing and belongs to such a file, a
 * thread of the tool's own, the fetcher, reads a byte of it by
 * process_vm_readv(2), and the page is in memory afterwards. The tool stops
 * waiting for the fetcher when the time is over or the user asks for it. The
 * fetcher then stays behind, and ends with its read or with the tool.
 *
 * A hit must not take longer because of this. So the tool remembers to which
 * mappings an access is safe, for a time that is long against the time that it
 * takes to find out (TRUST). If the program puts such a file in the place of
 * other memory meanwhile, the tool notices it late.
 *
 * Any other page that is missing is in memory, in swap space or on a disk of
 * this machine, or the access fails at once (memory_access.c).
 *
 * A thread of the program that follows pointers for the tool (FAST_LOAD in
 * fast_node.h) would wait as well. So it does that only in mappings of which
 * all pages are there, or come from this machine.
 */
#include "served_pages.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/uio.h>
#include <unistd.h>

#include "memory.h"
#include "perftool/arch.h"
#include "perftool/base/alloc.h"
#include "perftool/target/memory_maps.h"
#include "target/proc/proc.h"
#include "target/target_state.h"

#define SECOND 1000000000u

/* How long the tool waits for a page, in ns: at first, and once the user wants
 * the tool to end. Each wait in vain halves the time for the next one, until
 * the tool does not wait any more: a program with thousands of such pages
 * stands still for two seconds in all. A page that comes later is in memory
 * when the tool looks again. */
#define PATIENCE SECOND
#define LAST_PATIENCE 100000000u
/* How often the tool looks meanwhile whether the user wants it to end. */
#define LOOK_INTERVAL 10000000u

/* The end of user space, with page tables of five levels. */
#define USER_END (UINT64_C(1) << 56)

#define KNOWN_PAGES 64
#define KNOWN_MAPPINGS 8
/* What was found out is taken for true until the next tick of the kernel's
 * clock, or for so many times the time that it took. */
#define TRUST 500

/* The read of a page by a fetcher. It belongs to the fetcher and to the tool,
 * and the last of them frees it. */
struct fetch {
	atomic_int owners;
	sem_t done;
	pid_t tid;
	uint64_t address;
	bool is_read; /* when it is done */
};

/* Memory of which it is known whether a file system serves it. */
struct known_mapping {
	uint64_t low, high;
	bool is_served;
	uint64_t until; /* coarse_now() */
};

struct served_pages {
	struct known_mapping mappings[KNOWN_MAPPINGS];
	/* whether mappings are registered with userfaultfd(2); the index is
	 * that of the one that is replaced next */
	struct known_mapping registered[KNOWN_MAPPINGS];
	size_t next_registered;
	/* the time from which on no wait is left for the reads of smaps so far,
	 * see READS_APART */
	uint64_t reads_paid;
	size_t next; /* the one that is replaced next */
	int pagemap; /* -1: not open */
	bool is_not_looked_at;
	uint64_t patience;    /* ns */
	struct fetch *behind; /* a fetcher that has not come in time, or NULL */
	/* served pages that were in memory at the time `tick` of coarse_now();
	 * a page is at the index of its number, and 0 is none */
	uint64_t tick;
	uint64_t pages[KNOWN_PAGES];
};

/* ---- what is known ----------------------------------------------------- */

struct served_pages *served_pages_create(void)
{
	struct served_pages *served = xcalloc(1, sizeof(*served));

	served->pagemap = -1;
	served->patience = PATIENCE;
	return served;
}

static void release(struct fetch *fetch)
{
	if (atomic_fetch_sub(&fetch->owners, 1) > 1)
		return;
	sem_destroy(&fetch->done);
	free(fetch);
}

void served_pages_forget(struct served_pages *served)
{
	if (served->pagemap >= 0)
		close(served->pagemap);
	if (served->behind)
		release(served->behind);
	*served = (struct served_pages){.pagemap = -1, .patience = PATIENCE};
}

void served_pages_destroy(struct served_pages *served)
{
	if (!served)
		return;
	served_pages_forget(served);
	free(served);
}

static uint64_t time_of(clockid_t clock)
{
	struct timespec time;

	clock_gettime(clock, &time);
	return (uint64_t)time.tv_sec * SECOND + (uint64_t)time.tv_nsec;
}

/* The time of the last tick of the kernel's clock, which takes a few
 * nanoseconds to read. */
static uint64_t coarse_now(void)
{
	return time_of(CLOCK_MONOTONIC_COARSE);
}

/* Open the pagemap, unless descriptors are scarce: the tool needs one for the
 * memory of each process. */
static bool open_pagemap(const struct process *process)
{
	struct served_pages *served = process->served;
	struct rlimit limit;

	if (served->pagemap >= 0)
		return true;
	if (served->is_not_looked_at)
		return false;
	served->pagemap = pagemap_open(process->pid);
	if (served->pagemap >= 0 &&
	    (getrlimit(RLIMIT_NOFILE, &limit) < 0 ||
	     (rlim_t)served->pagemap >= limit.rlim_cur / 8)) {
		close(served->pagemap);
		served->pagemap = -1;
	}
	served->is_not_looked_at = served->pagemap < 0;
	return served->pagemap >= 0;
}

/* ---- file systems ------------------------------------------------------ */

/* The file systems whose files come from a process or from another machine. */
static const char *const served_systems[] = {
	"9p",       "afs",     "beegfs", "ceph",     "cifs", "coda",
	"fuse",     "fuseblk", "gpfs",   "lustre",   "nfs",  "nfs4",
	"orangefs", "pvfs2",   "smb3",   "virtiofs",
};

static bool is_served_system(const char *name)
{
	if (strncmp(name, "fuse.", 5) == 0)
		return true;
	for (size_t i = 0;
	     i < sizeof(served_systems) / sizeof(served_systems[0]); i++)
		if (strcmp(name, served_systems[i]) == 0)
			return true;
	return false;
}

/* Does the line of /proc/PID/mountinfo describe such a file system, on this
 * device? */
static bool describes_served(const char *line, uint64_t device)
{
	const char *behind = strstr(line, " - ");
	unsigned major, minor;
	char name[32];

	return behind && sscanf(line, "%*d %*d %u:%u", &major, &minor) == 2 &&
	       ((uint64_t)major << 32 | minor) == device &&
	       sscanf(behind, " - %31s", name) == 1 && is_served_system(name);
}

static bool is_served_device(pid_t pid, uint64_t device)
{
	char path[64], *line = NULL;
	size_t capacity = 0;
	bool is_served = false;
	FILE *file;

	proc_path(pid, "mountinfo", path, sizeof(path));
	file = fopen(path, "re");
	while (file && !is_served && getline(&line, &capacity, file) > 0)
		is_served = describes_served(line, device);
	free(line);
	if (file)
		fclose(file);
	return is_served;
}

/* Ask the kernel for the mapping. Memory that the process itself may not read
 * is not served here, because a fetcher could not read it, either. */
static struct known_mapping look_up(pid_t pid, uint64_t address)
{
	uint64_t page = address / ARCH_PAGE * ARCH_PAGE;
	uint64_t before = time_of(CLOCK_THREAD_CPUTIME_ID);
	struct known_mapping known = {page, page + ARCH_PAGE, false, 0};
	struct mapping mapping;
	bool found;

	error_destroy(target_read_mapping(pid, address, &mapping, &found));
	if (found) {
		known.low = mapping.low;
		known.high = mapping.high;
		known.is_served = mapping.device && mapping.readable &&
				  is_served_device(pid, mapping.device);
		free(mapping.path);
	}
	known.until = coarse_now() +
		      TRUST * (time_of(CLOCK_THREAD_CPUTIME_ID) - before);
	return known;
}

static const struct known_mapping *mapping_of(const struct process *process,
					      uint64_t address)
{
	struct served_pages *served = process->served;
	uint64_t now = coarse_now();
	struct known_mapping *known = served->mappings;

	for (; known < served->mappings + KNOWN_MAPPINGS; known++) {
		if (address - known->low >= known->high - known->low)
			continue;
		if (now > known->until)
			*known = look_up(process->pid, address);
		return known;
	}
	known = &served->mappings[served->next++ % KNOWN_MAPPINGS];
	*known = look_up(process->pid, address);
	return known;
}

/* ---- fetchers ---------------------------------------------------------- */

static void *read_page(void *argument)
{
	struct fetch *fetch = argument;
	char byte;
	struct iovec here = {&byte, 1};
	struct iovec there = {(void *)(uintptr_t)fetch->address, 1};

	fetch->is_read =
		process_vm_readv(fetch->tid, &here, 1, &there, 1, 0) == 1;
	sem_post(&fetch->done);
	release(fetch);
	return NULL;
}

/* Start a fetcher. Signals for the tool are not for this thread. Returns an
 * errno value. */
static int start(struct fetch *fetch)
{
	sigset_t all, before;
	pthread_t thread;
	int failure;

	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	failure = pthread_create(&thread, NULL, read_page, fetch);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	if (!failure)
		pthread_detach(thread);
	return failure;
}

static bool await_until(struct fetch *fetch, uint64_t end)
{
	const struct timespec until = {.tv_sec = (time_t)(end / SECOND),
				       .tv_nsec = (long)(end % SECOND)};

	return sem_clockwait(&fetch->done, CLOCK_MONOTONIC, &until) == 0;
}

/* Wait for the fetcher as long as the tool has patience. False: it has not
 * come. */
static bool await(const struct process *process, struct fetch *fetch)
{
	uint64_t since = time_of(CLOCK_MONOTONIC), waited = 0;
	uint64_t most = process->served->patience;

	for (;;) {
		if (interrupt_is_asked(&process->target->interrupt) &&
		    most > LAST_PATIENCE)
			most = LAST_PATIENCE;
		if (waited >= most)
			return sem_trywait(&fetch->done) == 0;
		if (await_until(fetch, since + waited + LOOK_INTERVAL))
			return true;
		waited = time_of(CLOCK_MONOTONIC) - since;
	}
}

/* Has the fetcher that was left behind come meanwhile? */
static bool is_none_behind(struct served_pages *served)
{
	if (!served->behind)
		return true;
	if (sem_trywait(&served->behind->done) != 0)
		return false;
	release(served->behind);
	served->behind = NULL;
	return true;
}

/* Have a fetcher read the page. False: errno says why. */
static bool fetch_page(const struct process *process, uint64_t address)
{
	struct served_pages *served = process->served;
	size_t threads = process->threads.count;
	struct fetch *fetch;
	bool is_read;
	int failure;

	errno = ETIMEDOUT;
	if (!is_none_behind(served))
		return false;
	fetch = xcalloc(1, sizeof(*fetch));
	atomic_init(&fetch->owners, 2);
	sem_init(&fetch->done, 0, 0);
	/* the first thread may have ended, and has no memory then */
	fetch->tid = threads ? process->threads.data[threads - 1]->tid
			     : process->pid;
	fetch->address = address;
	failure = start(fetch);
	if (failure) {
		atomic_init(&fetch->owners, 1);
		release(fetch);
		errno = failure;
		return false;
	}
	if (!await(process, fetch)) {
		served->patience /= 2;
		if (served->patience < LOOK_INTERVAL)
			served->patience = 0;
		served->behind = fetch;
		errno = ETIMEDOUT;
		return false;
	}
	is_read = fetch->is_read;
	release(fetch);
	errno = EIO;
	return is_read;
}

/* ---- what others call -------------------------------------------------- */

/* Do what served_pages_await() does, for one page that a file system serves. */
static bool await_page(const struct process *process, uint64_t page)
{
	struct served_pages *served = process->served;
	uint64_t *known = &served->pages[page % KNOWN_PAGES];
	uint64_t now = coarse_now();
	bool holds;

	if (now != served->tick)
		memset(served->pages, 0, sizeof(served->pages));
	served->tick = now;
	if (*known == page)
		return true;
	if (!open_pagemap(process) ||
	    !pagemap_read(served->pagemap, page * ARCH_PAGE, 1, &holds))
		return true;
	if (!holds && !fetch_page(process, page * ARCH_PAGE))
		return false;
	*known = page;
	return true;
}

bool served_pages_await(const struct process *process, uint64_t address,
			size_t size)
{
	uint64_t end = address + size, high;

	/* No file is mapped in the kernel's half of the addresses. */
	if (!process->served || address >= USER_END || end > USER_END)
		return true;
	for (; address < end; address = high) {
		const struct known_mapping *known =
			mapping_of(process, address);

		high = known->high < end ? known->high : end;
		for (uint64_t page = address / ARCH_PAGE;
		     known->is_served && page <= (high - 1) / ARCH_PAGE; page++)
			if (!await_page(process, page))
				return false;
	}
	return true;
}

/* ---- mappings in which a thread may read ------------------------------- */

/* Does the line of smaps begin a mapping, this one? */
static bool begins_mapping(const char *line, const struct mapping *mapping,
			   bool *is_it)
{
	uint64_t low, high;
	char dash;

	if (sscanf(line, "%" SCNx64 "%c%" SCNx64, &low, &dash, &high) != 3 ||
	    dash != '-')
		return false;
	*is_it = low == mapping->low && high == mapping->high;
	return true;
}

/* Are pages of the mapping registered with userfaultfd(2)? So it is taken to be
 * if that is not known. */
static bool read_registered(pid_t pid, const struct mapping *mapping)
{
	bool is_it = false, is_found = false, is_registered = true;
	char path[64], *line = NULL;
	size_t capacity = 0;
	FILE *file;

	proc_path(pid, "smaps", path, sizeof(path));
	file = fopen(path, "re");
	while (file && !is_found && getline(&line, &capacity, file) > 0) {
		if (begins_mapping(line, mapping, &is_it) || !is_it ||
		    strncmp(line, "VmFlags:", 8) != 0)
			continue;
		is_found = true;
		is_registered = strstr(line, " um") || strstr(line, " uw") ||
				strstr(line, " ui") || strstr(line, " io");
	}
	free(line);
	if (file)
		fclose(file);
	return is_registered;
}

/* After a read of smaps, so many times its duration must pass without one. The
 * first reads of a process, or those after a pause, need not wait, up to this
 * time in all. (With thousands of mappings, or gigabytes in memory, one read
 * takes milliseconds, and each thread follows pointers to mappings of its own.
 * The threads that wait for the tool stand still meanwhile.) */
#define READS_APART 64
#define FREE_READS (SECOND / 20)

static bool may_read_smaps(const struct served_pages *served)
{
	return served->reads_paid <=
	       time_of(CLOCK_MONOTONIC) + READS_APART * FREE_READS;
}

static void charge(struct served_pages *served, uint64_t from, uint64_t to)
{
	if (served->reads_paid < from)
		served->reads_paid = from;
	served->reads_paid += READS_APART * (to - from);
}

/* The same, but the file is read seldom: for each line the kernel looks at all
 * pages of a mapping. */
static bool is_registered(const struct process *process,
			  const struct mapping *mapping)
{
	struct served_pages *served = process->served;
	const uint64_t now = coarse_now();
	struct known_mapping *known = NULL;
	uint64_t before, after;

	if (!served)
		return true;
	for (size_t i = 0; i < KNOWN_MAPPINGS && !known; i++)
		if (served->registered[i].low == mapping->low &&
		    served->registered[i].high == mapping->high)
			known = &served->registered[i];
	if (known && now <= known->until)
		return known->is_served;
	if (!may_read_smaps(served))
		return true;
	if (!known)
		known = &served->registered[served->next_registered++ %
					    KNOWN_MAPPINGS];
	before = time_of(CLOCK_MONOTONIC);
	*known = (struct known_mapping){
		.low = mapping->low,
		.high = mapping->high,
		.is_served = read_registered(process->pid, mapping)};
	after = time_of(CLOCK_MONOTONIC);
	charge(served, before, after);
	known->until = coarse_now() + TRUST * (after - before);
	return known->is_served;
}

/* Is this memory of the program itself, or of a file that is not written to
 * through this mapping? (A memfd may be cut off, as files that programs share
 * are.) */
static bool is_plain(const struct mapping *mapping)
{
	static const char *const names[] = {"/dev/zero", "/SYSV"};

	if (strcmp(mapping->path, "[heap]") == 0 ||
	    strncmp(mapping->path, "[stack", 6) == 0 ||
	    strncmp(mapping->path, "[anon", 5) == 0 ||
	    (!mapping->inode && !*mapping->path))
		return true;
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (strncmp(mapping->path, names[i], strlen(names[i])) == 0)
			return true;
	return *mapping->path == '/' && !mapping->shared &&
	       strncmp(mapping->path, "/dev/", 5) != 0;
}

bool target_find_readable(const struct process *process, uint64_t address,
			  uint64_t *low, uint64_t *high)
{
	const pid_t pid = process->pid;
	struct mapping mapping = {0};
	bool found = false, is_readable;

	error_destroy(target_read_mapping(pid, address, &mapping, &found));
	if (!found)
		return false;
	is_readable =
		mapping.readable && is_plain(&mapping) &&
		!(mapping.device && is_served_device(pid, mapping.device)) &&
		!is_registered(process, &mapping);
	*low = mapping.low;
	*high = mapping.high;
	free(mapping.path);
	return is_readable;
}
