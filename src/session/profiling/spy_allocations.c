/*
 * spy_allocations.c - `spy watch allocations` and `spy watch words`
 *
 * The tool breaks at the entry and at the end of each function that allocates,
 * in each module that has it. A sample is one outermost call: operator new that
 * calls malloc is one allocation, and its innermost frame is operator new. The
 * sample is taken at the end, when it is known that the call has not failed.
 */
#include "spy_allocations.h"

#include "perftool/base/allocators.h"
#include "perftool/probe/breakpoint_requests.h"
#include "perftool/probe_event.h"

static uint64_t bytes_of(enum size_argument size,
			 const struct user_regs_struct *regs)
{
	switch (size) {
	case SIZE_FIRST:
		return regs->rdi;
	case SIZE_SECOND:
		return regs->rsi;
	case SIZE_THIRD:
		return regs->rdx;
	case SIZE_FIRST_TIMES_SECOND:
		return regs->rdi * regs->rsi;
	case SIZE_SECOND_TIMES_THIRD:
		return regs->rsi * regs->rdx;
	}
	return 0;
}

/* ---- breakpoints --------------------------------------------------------- */

static struct error *insert(struct session *session, enum request_kind kind,
			    const char *name, struct breakpoint **out)
{
	TRY(probe_add_apart(session->probe, kind, name, NULL, out));
	/* the tool reads the registers and the stack of the stopped thread */
	probe_set_breakpoint_mechanism(session->probe, *out, MECHANISM_INT3);
	probe_want_frame(session->probe, *out);
	return NULL;
}

static struct error *insert_all(struct spied_allocations *allocations,
				struct session *session)
{
	const struct allocator *of;

	for (size_t i = 0; (of = allocator_at(i)); i++) {
		struct watched_allocator watched = {.of = of};
		struct error *error;

		TRY(insert(session, REQUEST_ENTRY, of->name, &watched.entry));
		error = insert(session, REQUEST_RETURN, of->name, &watched.end);
		vec_push(&allocations->allocators, watched);
		TRY(error);
	}
	return NULL;
}

struct error *allocations_watch(struct spied_allocations *allocations,
				struct session *session, bool by_words)
{
	struct error *error;

	allocations->by_words = by_words;
	vec_clear(&allocations->open);
	probe_begin_many(session->probe, false);
	error = insert_all(allocations, session);
	probe_end_many(session->probe);
	if (error)
		allocations_end(allocations, session);
	return error;
}

static void withdraw(struct session *session, struct breakpoint *breakpoint)
{
	if (!breakpoint)
		return;
	probe_remove(session->probe, breakpoint);
	probe_forget(session->probe, breakpoint);
}

void allocations_end(struct spied_allocations *allocations,
		     struct session *session)
{
	for (size_t i = 0; i < allocations->allocators.count; i++) {
		withdraw(session, allocations->allocators.data[i].entry);
		withdraw(session, allocations->allocators.data[i].end);
	}
	vec_clear(&allocations->allocators);
}

void allocations_deinit(struct spied_allocations *allocations)
{
	vec_free(&allocations->allocators);
	vec_free(&allocations->open);
}

/* ---- hits ---------------------------------------------------------------- */

/* Returns the call that the thread has open on the stack of the hit, or NULL.
 * Calls whose frames are deeper than the hit's frame have been unwound. */
static struct open_allocation *find_open(struct spied_allocations *allocations,
					 const struct hit *hit)
{
	for (size_t i = allocations->open.count; i-- > 0;) {
		struct open_allocation *open = &allocations->open.data[i];

		if (open->thread != hit->thread || open->stack != hit->stack)
			continue;
		if (open->frame >= hit->frame)
			return open;
		vec_remove(&allocations->open, i);
	}
	return NULL;
}

static void begin(struct spied_allocations *allocations,
		  const struct allocator *of, const struct hit *hit,
		  const struct user_regs_struct *regs)
{
	if (find_open(allocations, hit))
		return;
	vec_push(
		&allocations->open,
		(struct open_allocation){.thread = hit->thread,
					 .frame = hit->frame,
					 .stack = hit->stack,
					 .address = regs->rip,
					 .bytes = bytes_of(of->size, regs),
					 .returns_status = of->returns_status});
}

/* A status is an int, whose register has anything in its upper half. */
static bool has_failed(const struct open_allocation *over, uint64_t result)
{
	return over->returns_status ? (uint32_t)result != 0 : result == 0;
}

static void end(struct spied_allocations *allocations,
		struct recorder *recorder, struct thread *thread,
		const struct hit *hit, struct user_regs_struct *regs,
		bool counts)
{
	struct open_allocation *open = find_open(allocations, hit);
	struct open_allocation over;

	if (!open || open->frame != hit->frame)
		return;
	over = *open;
	vec_remove(&allocations->open, (size_t)(open - allocations->open.data));
	if (!counts || has_failed(&over, regs->rax))
		return;
	/* At the end of a frame the registers are those of its beginning, as
	 * far as unwinding needs them. */
	regs->rip = over.address;
	recorder_add(recorder, thread, regs, SAMPLE_ALLOCATION,
		     allocations->by_words ? (over.bytes + 7) / 8 : 1);
}

bool allocations_hit(struct spied_allocations *allocations,
		     struct recorder *recorder, const struct probe_event *event,
		     bool counts)
{
	const struct hit *hit = event->hit;
	const struct watched_allocator *watched = NULL;
	struct user_regs_struct regs;
	struct thread *thread;
	struct error *error;

	for (size_t i = 0; i < allocations->allocators.count; i++) {
		const struct watched_allocator *at =
			&allocations->allocators.data[i];

		if (at->entry == event->breakpoint ||
		    at->end == event->breakpoint)
			watched = at;
	}
	if (!watched)
		return false;
	thread = target_find_thread(recorder->session->target, hit->tid);
	if (!thread)
		return true;
	error = target_get_regs(thread, &regs);
	regs.rip--; /* the thread is behind the int3 */
	if (!error && event->breakpoint == watched->entry)
		begin(allocations, watched->of, hit, &regs);
	else if (!error)
		end(allocations, recorder, thread, hit, &regs, counts);
	error_destroy(error);
	return true;
}
