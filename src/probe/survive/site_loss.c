/*
 * site_loss.c - breakpoints that are not in memory any more
 *
 * The program, or another tool, may take a breakpoint out of memory without the
 * tool being told:
 *
 *	the program		drops its private copy of a page
 *				(MADV_DONTNEED), maps other memory there, or
 *				writes other code there
 *	another tool		puts an int3 over the breakpoint (a kernel
 *				uprobe that begins), or restores the original
 *				byte (a uprobe that ends): only the first byte
 *				changes
 *
 * So the tool compares memory with what it has written: on a timer while the
 * program runs, and at stops. If a breakpoint is missing, the user is told its
 * name, because hits of it were missed. The breakpoint is inserted again when
 * all threads are stopped, if the code of the file is in memory again. In code
 * that is in no file, the breakpoint is not inserted again, because the program
 * may be about to write the rest of its code; a user who knows better can
 * disable and enable the breakpoint.
 *
 * At the end of a process its threads cannot be stopped any more, and no
 * breakpoint is inserted again. An int3 at libc's _Exit gives the tool the
 * occasion to tell the user which breakpoints are missing. A program that is to
 * survive the tool has no such int3, because it would execute the int3 without
 * the tool.
 *
 * A uprobe that begins at an int3 of the tool changes nothing in memory, and
 * gets the hits. In each process that has hit a uprobe, the kernel maps a page
 * for the instructions of uprobes. The tool can only observe that this page
 * appears.
 *
 * A uprobe that ends restores the first byte of its instruction. If this was
 * the first byte of a jump of the tool, the other bytes of the jump would then
 * be executed as a part of the instruction. So the tool restores these other
 * bytes as soon as it sees the uprobe's int3, while this int3 still stands
 * before them.
 */
#include <string.h>
#include <time.h>

#include "libc_stop.h"
#include "perftool/base/monotonic.h"
#include "perftool/base/str.h"
#include "perftool/probe/breakpoint_requests.h"
#include "perftool/target/memory_maps.h"
#include "perftool/target/target_events.h"
#include "probe/breakpoint.h"
#include "probe/probe_state.h"
#include "probe/process/process.h"
#include "probe/site/site.h"
#include "site_loss.h"

/* How often the tool looks whether all sites are in memory: not more often than
 * LOOK_INTERVAL, and not for more than one part in LOOK_PARTS of the time. Only
 * the tool's time on a processor counts: on a busy machine a look takes long,
 * but the next look must not be late because of that, since a program dies if a
 * uprobe over a jump ends before the next look. */
#define LOOK_INTERVAL 100000000u /* ns */
#define LOOK_PARTS 100

/* ---- looking at sites ---------------------------------------------------- */

/* Is the code from which the site's patch was lost in memory again? */
static bool is_back(struct space *space, const struct site *site)
{
	uint8_t bytes[ARCH_MAX_INSN];
	struct error *error;

	if (!target_read_callback(space->process, site->address, bytes,
				  site->insn.length) ||
	    memcmp(bytes, site->insn.bytes, site->insn.length) != 0)
		return false;
	error = check_mapping(space, site->address);
	error_destroy(error);
	return !error;
}

/* Has the patch of an inserted site gone from code that is in a file? (If the
 * memory itself has gone, it was unmapped with its library, or the process has
 * ended.) */
static bool has_gone(struct space *space, const struct site *site)
{
	enum standing standing;

	if (!is_in_file(space, site->address))
		return false;
	standing = site_standing(space, site);
	return standing != STANDS && standing != STANDS_GONE;
}

/* Would mend_sites() do anything for this site? */
static bool has_to_be_mended(struct space *space, const struct site *site)
{
	return site->inserted ? has_gone(space, site)
			      : site->lost && site_is_wanted(site) &&
					is_back(space, site);
}

static bool is_any_lost(struct space *space)
{
	const struct site *site;
	bool found = false;
	size_t cursor = 0;

	/* Thousands of sites are in only a few pages. Between store_begin() and
	 * store_end() each page is read only once. */
	store_begin(space);
	while (!found && (site = map_next(&space->sites, &cursor, NULL)))
		found = has_to_be_mended(space, site);
	/* Nothing was written, so this cannot fail. */
	error_destroy(store_end(space));
	return found;
}

/* ---- uprobes ------------------------------------------------------------- */

#define UPROBES_PAGE "[uprobes"

static bool is_any_int3(const struct space *space)
{
	const struct site *site;
	size_t cursor = 0;

	while ((site = map_next(&space->sites, &cursor, NULL)))
		if (site->inserted && !site->is_jump && site->attachments.count)
			return true;
	return false;
}

bool find_uprobes(struct space *space)
{
	const struct mapping_list *maps = space_maps(space);

	for (size_t i = 0; i < maps->count; i++)
		if (str_starts(maps->data[i].path, UPROBES_PAGE))
			return true;
	return false;
}

static void note_uprobes(struct probe *probe, struct space *space)
{
	if (space->has_uprobes || !is_any_int3(space))
		return;
	space->has_uprobes = find_uprobes(space);
	if (space->has_uprobes)
		note(probe,
		     "process %d has hit a kernel uprobe of another tool (such "
		     "as bpftrace or perf); while the uprobe is there, int3s "
		     "at the same instruction count nothing",
		     space->process->pid);
}

/* ---- on a timer ---------------------------------------------------------- */

struct error *look_at_sites(struct probe *probe, uint64_t now)
{
	uint64_t pause = LOOK_INTERVAL, before, taken;
	bool found = false;

	if (now < probe->next_look)
		return NULL;
	before = nanoseconds_of(CLOCK_THREAD_CPUTIME_ID);
	for (size_t i = 0; i < probe->spaces.count; i++) {
		struct space *space = probe->spaces.data[i];

		if (!space->process)
			continue;
		note_uprobes(probe, space);
		space->has_lost = is_any_lost(space);
		found |= space->has_lost;
	}
	taken = nanoseconds_of(CLOCK_THREAD_CPUTIME_ID) - before;
	if (taken * LOOK_PARTS > pause)
		pause = taken * LOOK_PARTS;
	probe->next_look = clock_now(probe->clock) + pause;
	return found && !target_is_stopping(probe->target) ? stop_for_us(probe)
							   : NULL;
}

/* ---- telling the user ---------------------------------------------------- */

static void tell(struct probe *probe, const struct space *space,
		 const struct site *site, const char *what, const char *then)
{
	for (size_t i = 0; i < site->attachments.count; i++) {
		const struct breakpoint *at =
			site->attachments.data[i]->breakpoint;

		if (at->enabled && at->id)
			note(probe, "process %d: %s breakpoint %u (%s); %s",
			     space->process->pid, what, at->id,
			     at->location.text, then);
		else if (at->enabled)
			note(probe,
			     "process %d: %s perftool's breakpoint at a "
			     "place where a function may end; %s",
			     space->process->pid, what, then);
	}
}

/* Tell the user that the patch of a site has gone from code that is in no
 * file. */
static void tell_overwritten(struct probe *probe, struct space *space,
			     const struct site *site)
{
	const struct mapping *mapping = space_mapping_at(space, site->address);

	/* If the memory holds data now, no hit was missed. */
	if (mapping && mapping->executable)
		tell(probe, space, site, "the program has overwritten",
		     "hits since then are not counted");
}

static const char *what_happened(struct space *space, const struct site *site,
				 enum standing standing)
{
	uint8_t byte;

	if (target_read_callback(space->process, site->address, &byte, 1) &&
	    byte == ARCH_INT3)
		return "another tool (perhaps a kernel uprobe) has put its "
		       "int3 over";
	if (standing == STANDS_OTHER)
		return "the program has put other memory or other code in the "
		       "place of";
	return "the program has dropped its copy of the page (or another tool "
	       "has restored the code) that had";
}

/* ---- mending sites ------------------------------------------------------- */

/* Note that the site's patch is not in memory any more. */
static struct error *lose(struct space *space, struct site *site)
{
	TRY(patch_make_way(space, site->address));
	TRY(patch_out(space, site));
	TRY(evict_no_more(space, site));
	site->inserted = false;
	site->lost = true;
	/* patch_make_way() may have turned other jumps into int3s, which may
	 * become jumps again. */
	space->is_outdated = true;
	return store_leave(space, site);
}

static void put_in_again(struct probe *probe, struct space *space,
			 struct site *site, const char *what)
{
	note_error(probe, site_update(space, site));
	if (site->inserted)
		tell(probe, space, site, what,
		     "hits meanwhile were missed; perftool has put it in "
		     "again");
}

static void mend(struct probe *probe, struct space *space, struct site *site)
{
	enum standing standing = site_standing(space, site);
	const char *what;

	if (standing == STANDS || standing == STANDS_GONE)
		return;
	if (!is_in_file(space, site->address)) {
		tell_overwritten(probe, space, site);
		return;
	}
	what = what_happened(space, site, standing);
	note_error(probe, lose(space, site));
	if (is_back(space, site))
		put_in_again(probe, space, site, what);
	else
		tell(probe, space, site, what,
		     "hits are not counted as long as this lasts");
}

void mend_sites(struct probe *probe, struct space *space, bool jumps)
{
	struct site *site;
	size_t cursor = 0;

	if (!space->process)
		return;
	if (jumps)
		space->has_lost = false;
	/* A single page may have had hundreds of breakpoints. */
	probe_begin_many(probe, false);
	while ((site = map_next(&space->sites, &cursor, NULL))) {
		if (site->inserted && (jumps || !site->is_jump))
			mend(probe, space, site);
		else if (site->lost && site_is_wanted(site) &&
			 is_back(space, site))
			put_in_again(probe, space, site,
				     "the file's code is back at");
	}
	probe_end_many(probe);
}

/* ---- the end of a process ------------------------------------------------ */

/* The C library's function that exit() and _exit() call in the end, or that
 * _exit() is another name of. */
#define LAST_FUNCTION "_Exit"

struct error *watch_end(struct probe *probe, struct space *space)
{
	/* If this site is missing, the user is told less at the end of the
	 * process; nothing else depends on it. */
	bool unused = false;

	return stop_in_libcs(probe, space, LAST_FUNCTION, SITE_END, &unused);
}

void tell_missing(struct probe *probe, struct space *space,
		  const struct process *process)
{
	struct site *site;
	size_t cursor = 0;

	/* If a vfork child ends, its parent goes on with the memory. */
	if (process != space->process)
		return;
	store_begin(space);
	probe_begin_many(probe, false);
	while ((site = map_next(&space->sites, &cursor, NULL)))
		if (site->inserted && has_gone(space, site))
			tell(probe, space, site,
			     what_happened(space, site,
					   site_standing(space, site)),
			     "hits since then were missed");
	probe_end_many(probe);
	error_destroy(store_end(space));
}
