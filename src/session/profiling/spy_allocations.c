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
	probe_want_thread(session->probe, *out);
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

/* One hit of a breakpoint at an allocator. */
struct allocator_hit {
	struct spied_allocations *allocations;
	struct recorder *recorder;
	const struct hit *hit;
	struct thread *thread;
	struct user_regs_struct regs; /* `rip` is that of the breakpoint */
	bool counts;
};

/* The end of the open call was not seen, so it has no sample. An operator new
 * that throws an exception has failed, and makes none. */
static void lose(struct allocator_hit *at, size_t index)
{
	struct open_allocation *open = &at->allocations->open.data[index];

	if (at->counts && open->of->failure != FAILURE_EXCEPTION)
		recorder_lose(at->recorder);
	vec_remove(&at->allocations->open, index);
}

/* Returns the call that the thread has open on the stack of the hit, or NULL.
 * Calls whose frames are deeper than the hit's frame have been unwound. */
static struct open_allocation *find_open(struct allocator_hit *at)
{
	struct spied_allocations *allocations = at->allocations;
	const struct hit *hit = at->hit;

	for (size_t i = allocations->open.count; i-- > 0;) {
		struct open_allocation *open = &allocations->open.data[i];

		if (open->thread != hit->thread || open->stack != hit->stack)
			continue;
		if (open->frame >= hit->frame)
			return open;
		lose(at, i);
	}
	return NULL;
}

/* Returns the return address of the call that enters an allocator; 0: it cannot
 * be read. */
static uint64_t return_address_of(const struct allocator_hit *at)
{
	uint64_t address = 0;

	error_destroy(target_read(at->thread->process, at->regs.rsp, &address,
				  sizeof(address)));
	return address;
}

/* Has another call made the frame of the open call again? A tail jump from one
 * allocator to another keeps the return address of the frame. */
static bool is_another_call(const struct open_allocation *open,
			    const struct allocator *of, const struct hit *hit,
			    uint64_t return_address)
{
	return open->frame == hit->frame &&
	       (open->of == of || open->return_address != return_address);
}

static void begin(struct allocator_hit *at, const struct allocator *of)
{
	struct spied_allocations *allocations = at->allocations;
	const uint64_t return_address = return_address_of(at);
	struct open_allocation *open = find_open(at);

	if (open && !is_another_call(open, of, at->hit, return_address))
		return;
	if (open)
		lose(at, (size_t)(open - allocations->open.data));
	vec_push(&allocations->open,
		 (struct open_allocation){
			 .of = of,
			 .thread = at->hit->thread,
			 .frame = at->hit->frame,
			 .stack = at->hit->stack,
			 .return_address = return_address,
			 .address = at->regs.rip,
			 .bytes = bytes_of(of->size, &at->regs)});
}

/* A status is an int, whose register has anything in its upper half. */
static bool has_failed(const struct open_allocation *over, uint64_t result)
{
	return over->of->failure == FAILURE_STATUS ? (uint32_t)result != 0
						   : result == 0;
}

static void end(struct allocator_hit *at)
{
	struct spied_allocations *allocations = at->allocations;
	struct open_allocation *open = find_open(at);
	struct open_allocation over;

	if (!open || open->frame != at->hit->frame)
		return;
	over = *open;
	vec_remove(&allocations->open, (size_t)(open - allocations->open.data));
	if (!at->counts || has_failed(&over, at->regs.rax))
		return;
	/* At the end of a frame the registers are those of its beginning, as
	 * far as unwinding needs them. */
	at->regs.rip = over.address;
	recorder_add(at->recorder, at->thread, &at->regs, SAMPLE_ALLOCATION,
		     allocations->by_words ? (over.bytes + 7) / 8 : 1);
}

/* The thread is not there any more, so that its stack cannot be read. */
static void miss(struct allocator_hit *at, bool is_entry)
{
	const struct open_allocation *open = find_open(at);

	if (is_entry && !open && at->counts)
		recorder_lose(at->recorder);
	if (!is_entry && open && open->frame == at->hit->frame)
		lose(at, (size_t)(open - at->allocations->open.data));
}

bool allocations_hit(struct spied_allocations *allocations,
		     struct recorder *recorder, const struct probe_event *event,
		     bool counts)
{
	const struct watched_allocator *watched = NULL;
	struct allocator_hit at = {.allocations = allocations,
				   .recorder = recorder,
				   .hit = event->hit,
				   .counts = counts};
	bool is_entry, is_there;

	for (size_t i = 0; i < allocations->allocators.count; i++) {
		const struct watched_allocator *of =
			&allocations->allocators.data[i];

		if (of->entry == event->breakpoint ||
		    of->end == event->breakpoint)
			watched = of;
	}
	if (!watched)
		return false;
	is_entry = event->breakpoint == watched->entry;
	is_there = recorder_stands(recorder, event->hit, &at.thread, &at.regs);
	if (is_there && is_entry)
		begin(&at, watched->of);
	else if (is_there)
		end(&at);
	else
		miss(&at, is_entry);
	return true;
}
