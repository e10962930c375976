/*
 * lock_waits.c - the breakpoints of the setting `contention`, and their hits
 *
 * The breakpoints are at the calls with which the C library waits for a lock
 * that another thread has, and wakes threads that wait. A thread that finds a
 * lock free reaches none of them, so it pays nothing.
 *
 * The values that a hit records are read from registers and from the lock
 * itself. rdi points to the word of the lock's state, which the thread has just
 * read. The words behind it are read, too, unless they may be on another page:
 * they say who holds a mutex, or who writes under a read-write lock.
 */
#include "lock_waits.h"

#include <inttypes.h>
#include <stdlib.h>

#include "perftool/base/alloc.h"
#include "perftool/probe/breakpoint_requests.h"
#include "perftool/probe/loaded_modules.h"
#include "perftool/probe_event.h"
#include "perftool/session/contended_locks.h"
#include "recorded_profiles.h"
#include "session/run/run.h"

/* The words that are recorded are up to so far behind the beginning of a page.
 */
#define PAGE 4096
#define LAST_IN_PAGE (PAGE - 24)

/* What the hits record: the keys of their breakpoints. */
enum { KEY_WORD, KEY_STACK, KEY_CALLER, KEY_BEHIND, KEY_FURTHER };
static const char *const wait_keys[] = {
	[KEY_WORD] = "$rdi",
	[KEY_STACK] = "$rsp",
	[KEY_CALLER] = "$retaddr",
	[KEY_BEHIND] =
		"*(long *)(($rdi & 4095) <= 4072 ? $rdi + 8 : $rdi & -8)",
	[KEY_FURTHER] =
		"*(long *)(($rdi & 4095) <= 4072 ? $rdi + 16 : $rdi & -8)",
	NULL};
static const char *const end_keys[] = {"$rdi", "$rsp", NULL};
static const char *const wake_keys[] = {"$rdi", "$rsp", "$retaddr", NULL};

static const struct {
	enum request_kind kind;
	const char *location;
	const char *const *keys;
} requests[] = {
	[BREAK_WAIT] = {REQUEST_WAITS, "waits", wait_keys},
	[BREAK_WAIT_END] = {REQUEST_WAIT_ENDS, "ends of waits", end_keys},
	[BREAK_WAKE] = {REQUEST_WAKES, "releases", wake_keys},
};

/* The layout of the C library's objects: offsets of words, in bytes. (These
 * are the same in all versions since 2.25, except CONDITION_SIGNALS, which is
 * that of 2.25 to 2.40. It is used only if wait_spots.c has not found the
 * offset in the code of the C library.) */
#define RWLOCK_WRITERS_FUTEX 12
#define RWLOCK_PHASE_FUTEX 8
#define RWLOCK_CURRENT_WRITER 24
#define CONDITION_SIGNALS 40
#define MUTEX_OWNER 8
/* In the owner of a robust mutex, the kernel's mark that threads wait. */
#define OWNER_MASK 0x3fffffff

void lock_waits_init(struct lock_waits *waits, struct session *session)
{
	*waits = (struct lock_waits){.session = session};
}

void lock_waits_deinit(struct lock_waits *waits)
{
	contention_deinit(&waits->contention);
	lock_names_deinit(waits);
	map_deinit(&waits->marks);
	map_deinit(&waits->conditions);
}

/* ---- the breakpoints ----------------------------------------------------- */

static void withdraw(struct lock_waits *waits)
{
	struct probe *probe = waits->session->probe;

	for (size_t i = 0; i < WAIT_BREAKS; i++) {
		if (!waits->breaks[i])
			continue;
		probe_remove(probe, waits->breaks[i]);
		probe_forget(probe, waits->breaks[i]);
		waits->breaks[i] = NULL;
	}
}

static struct error *insert(struct lock_waits *waits, enum wait_break at)
{
	struct probe *probe = waits->session->probe;
	struct expr *expr;
	uint32_t index;

	TRY(expr_parse("1", &expr));
	TRY(probe_add_apart(probe, requests[at].kind, requests[at].location,
			    expr, &waits->breaks[at]));
	for (size_t i = 0; requests[at].keys[i]; i++) {
		TRY(expr_parse(requests[at].keys[i], &expr));
		expr_trust_pointers(expr);
		TRY(probe_use_expr(probe, waits->breaks[at], USE_KEY, expr,
				   &index));
	}
	return NULL;
}

static struct error *insert_all(struct lock_waits *waits)
{
	/* A wait that ends is only of interest if its beginning was seen. */
	TRY(insert(waits, BREAK_WAIT_END));
	TRY(insert(waits, BREAK_WAKE));
	return insert(waits, BREAK_WAIT);
}

static bool is_counted(const struct lock_waits *waits)
{
	return waits->is_on && waits->session->clock_runs;
}

void lock_waits_switch(struct lock_waits *waits, bool on)
{
	struct session *session = waits->session;
	const uint64_t now = clock_now(&session->clock);
	struct error *error = NULL;

	if (on == waits->is_on)
		return;
	if (on) {
		probe_begin_many(session->probe, false);
		error = insert_all(waits);
		probe_end_many(session->probe);
	}
	if (!on || error)
		withdraw(waits);
	if (error) {
		session->contention = false;
		session_note(session, "waits for locks are not recorded: %s",
			     error_message(error));
		error_destroy(error);
		return;
	}
	if (!on)
		waits->elapsed = lock_waits_elapsed(waits);
	waits->is_on = on;
	waits->was_on |= on;
	waits->place_count = 0;
	waits->since = is_counted(waits) ? now : 0;
	waits->stopped = 0;
	contention_drop_open(&waits->contention);
}

/* ---- hits ---------------------------------------------------------------- */

static void add_marks(struct lock_waits *waits, enum wait_break at)
{
	const struct place_list *places =
		breakpoint_facts(waits->breaks[at]).places;

	for (size_t i = 0; i < places->count; i++) {
		const struct place *place = &places->data[i];
		uint64_t bias = place->module ? module_bias(place->module) : 0;

		map_set_number(&waits->marks, place->address - bias,
			       (uint64_t)place->marks + 1);
	}
}

/* Returns the marks of the place of a hit. (Places are added when libraries are
 * loaded.) */
static unsigned marks_of(struct lock_waits *waits, const struct hit *hit)
{
	size_t count =
		breakpoint_facts(waits->breaks[BREAK_WAIT]).places->count +
		breakpoint_facts(waits->breaks[BREAK_WAKE]).places->count;
	uint64_t marks;

	if (count != waits->place_count) {
		map_deinit(&waits->marks);
		waits->marks = (struct map){0};
		add_marks(waits, BREAK_WAIT);
		add_marks(waits, BREAK_WAKE);
		waits->place_count = count;
	}
	marks = map_get_number(&waits->marks, hit->place);
	return marks ? (unsigned)marks - 1 : 0;
}

static uint64_t key_of(const struct hit *hit, unsigned key)
{
	return key < hit->key_count ? hit->keys[key].u : 0;
}

/* How far the word is behind the beginning of the lock. */
static unsigned offset_of(enum lock_kind kind, unsigned marks, uint64_t word)
{
	const bool is_odd = word % 8 != 0;
	const int32_t known = wait_marks_offset(marks);

	switch (kind) {
	case LOCK_CONDITION:
		return (known >= 0 ? (unsigned)known : CONDITION_SIGNALS) +
		       (is_odd ? 4 : 0);
	case LOCK_READ:
	case LOCK_WRITE:
		if (known >= 0)
			return (unsigned)known;
		return is_odd ? RWLOCK_WRITERS_FUTEX : RWLOCK_PHASE_FUTEX;
	default:
		return 0;
	}
}

/* The 4 bytes so far behind the word, of those that were recorded. */
static int32_t word_behind(const struct hit *hit, unsigned distance)
{
	const uint64_t pair =
		key_of(hit, distance < 16 ? KEY_BEHIND : KEY_FURTHER);

	return (int32_t)(distance % 8 ? pair >> 32 : pair);
}

/* Who holds the lock, by what the lock itself says. */
static int32_t holder_of(const struct lock_waits *waits, const struct hit *hit,
			 enum lock_kind kind, unsigned offset)
{
	const bool is_shared = kind == LOCK_READ || kind == LOCK_WRITE;
	const unsigned at = is_shared ? RWLOCK_CURRENT_WRITER : MUTEX_OWNER;
	int32_t tid;

	if (kind == LOCK_CONDITION || kind == LOCK_SEMAPHORE ||
	    key_of(hit, KEY_WORD) % PAGE > LAST_IN_PAGE || at < offset + 8 ||
	    at - offset > 20)
		return 0;
	tid = word_behind(hit, at - offset) & OWNER_MASK;
	if (!tid && kind == LOCK_WRITE)
		return HELD_BY_READERS;
	return tid && target_find_thread(waits->session->target, tid) ? tid : 0;
}

/* A wait for a condition takes its mutex again, and releases it: that is done
 * for the function that has called it. */
static uint32_t site_of(struct lock_waits *waits, const struct hit *hit,
			enum lock_kind kind)
{
	uint32_t site = kind == LOCK_RELOCK
				? (uint32_t)map_get_number(&waits->conditions,
							   hit->thread)
				: 0;

	if (!site)
		site = lock_site_of(waits, hit->pid, key_of(hit, KEY_CALLER));
	if (kind == LOCK_CONDITION)
		map_set_number(&waits->conditions, hit->thread, site);
	return site;
}

/* When the thread was there, without what the tool needed to notice it. */
static int64_t time_of(const struct hit *hit)
{
	return (int64_t)((double)hit->time - hit->cost_before);
}

static void begin(struct lock_waits *waits, const struct hit *hit)
{
	const unsigned marks = marks_of(waits, hit);
	const enum lock_kind kind = wait_marks_kind(marks);
	const unsigned offset = offset_of(kind, marks, key_of(hit, KEY_WORD));
	const uint32_t site = site_of(waits, hit, kind);
	const struct wait_begin wait = {
		.thread = hit->thread,
		.pid = hit->pid,
		.tid = hit->tid,
		.stack = key_of(hit, KEY_STACK),
		.lock = key_of(hit, KEY_WORD) - offset,
		.kind = kind,
		.site = site,
		.function = lock_function_of(waits, site),
		.holder = holder_of(waits, hit, kind, offset),
		.time = time_of(hit)};

	lock_note_name(waits, hit->pid, wait.lock);
	lock_note_thread(waits, hit->tid);
	if (wait.holder > 0)
		lock_note_thread(waits, wait.holder);
	contention_begin(&waits->contention, &wait);
}

/* A wait for a condition begins with the release of its mutex: the function is
 * the one that waits, if that is known from an earlier wait of the thread. */
static uint32_t releasing_site(struct lock_waits *waits, const struct hit *hit)
{
	uint32_t site = lock_site_of(waits, hit->pid, key_of(hit, KEY_CALLER));
	uint32_t waiting =
		(uint32_t)map_get_number(&waits->conditions, hit->thread);

	return waiting && lock_site_is_of_condition(waits, site) ? waiting
								 : site;
}

static void release(struct lock_waits *waits, const struct hit *hit)
{
	const uint32_t site = releasing_site(waits, hit);

	lock_note_thread(waits, hit->tid);
	contention_release(&waits->contention, hit->pid, hit->tid,
			   key_of(hit, KEY_WORD), lock_function_of(waits, site),
			   time_of(hit));
}

bool lock_waits_hit(struct lock_waits *waits, const struct probe_event *event)
{
	const struct hit *hit = event->hit;
	size_t at = 0;

	if (!waits->is_on)
		return false;
	while (at < WAIT_BREAKS && waits->breaks[at] != event->breakpoint)
		at++;
	if (at == WAIT_BREAKS)
		return false;
	if (waits->session->is_suspended ||
	    !session_uses_thread(waits->session, hit->tid))
		return true;
	if (at == BREAK_WAIT)
		begin(waits, hit);
	else if (at == BREAK_WAKE)
		release(waits, hit);
	else
		contention_end(&waits->contention, hit->thread,
			       key_of(hit, KEY_STACK), time_of(hit));
	return true;
}

/* ---- the run ------------------------------------------------------------- */

int64_t lock_waits_elapsed(const struct lock_waits *waits)
{
	const uint64_t now = clock_now(&waits->session->clock);

	return waits->elapsed + (waits->since && now > waits->since
					 ? (int64_t)(now - waits->since)
					 : 0);
}

void lock_waits_clock(struct lock_waits *waits, bool runs, uint64_t time)
{
	if (!waits->is_on || runs == (waits->since != 0))
		return;
	if (runs && waits->stopped)
		contention_skip(&waits->contention, (int64_t)waits->stopped,
				(int64_t)time);
	if (!runs && time > waits->since)
		waits->elapsed += (int64_t)(time - waits->since);
	waits->since = runs ? time : 0;
	waits->stopped = runs ? 0 : time;
}

void lock_waits_stood(struct lock_waits *waits, uint64_t from, uint64_t to)
{
	if (waits->is_on)
		contention_skip(&waits->contention, (int64_t)from, (int64_t)to);
}

void lock_waits_process_gone(struct lock_waits *waits, pid_t pid)
{
	contention_forget(&waits->contention, pid);
}

void lock_waits_clear(struct lock_waits *waits)
{
	const uint64_t now = clock_now(&waits->session->clock);

	contention_clear(&waits->contention, (int64_t)now);
	waits->elapsed = 0;
	if (waits->since)
		waits->since = now;
}
