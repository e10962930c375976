/*
 * trampoline_counting.c - the part of a trampoline that has to do with hits
 * that the thread counts by itself (counting.h)
 */
#include <stddef.h>

#include "perftool/ring.h"
#include "trampoline.h"

#define SAVED(reg) offsetof(struct ring_header, counting_saved.reg)
#define COUNTING(member) offsetof(struct ring_header, counting.member)
#define CALLS(member) offsetof(struct ring_header, calls.member)

static bool is_by_order(const struct trampoline_spec *spec)
{
	return spec->action == TRAMPOLINE_ORDER_FROM ||
	       spec->action == TRAMPOLINE_ORDER_TO ||
	       spec->action == TRAMPOLINE_ORDER_BOTH;
}

bool is_counting(const struct trampoline_spec *spec)
{
	return spec->action == TRAMPOLINE_COUNTS_FROM ||
	       spec->action == TRAMPOLINE_COUNTS_TO ||
	       spec->action == TRAMPOLINE_FOLLOWS ||
	       spec->action == TRAMPOLINE_COUNTS_CALL || is_by_order(spec);
}

/* Does the trampoline note something of frames before it counts? */
static bool notes_frames(const struct trampoline_spec *spec)
{
	return spec->comes || spec->first != TRAMPOLINE_NOTES_NOTHING;
}

bool calls_counting(const struct trampoline_spec *spec)
{
	return is_counting(spec) || notes_frames(spec) || spec->call;
}

/* Load rcx: `leg` and the `site` of a record. */
static void load_leg(struct builder *builder, uint32_t leg)
{
	emit_load(&builder->emit, RCX,
		  (uint64_t)builder->spec->site << 32 | leg);
}

/* Load rcx for what is called first, but for the call. */
static void load_first_leg(struct builder *builder)
{
	const struct trampoline_spec *spec = builder->spec;

	load_leg(builder, is_by_order(spec) && !notes_frames(spec) ? spec->order
								   : spec->leg);
}

/* Save rsi and rdi, and load the arguments of the counting code but the time:
 * rdi, rsi and rcx. */
static void load_arguments(struct builder *builder)
{
	const struct trampoline_spec *spec = builder->spec;

	on_header(builder, "\x48\x89\x34\x25", 4, SAVED(rsi)); /* mov .., rsi */
	on_header(builder, "\x48\x89\x3c\x25", 4, SAVED(rdi)); /* mov .., rdi */
	builder->more_saved = true;
	mark(builder);
	load_register(builder, RAX, spec->base);
	CODE(builder, "\x48\x8d\xb0"); /* lea rsi, [rax + ..] */
	emit_u32(&builder->emit, (uint32_t)spec->frame_offset);
	on_header(builder, "\x48\x8b\x3c\x25", 4, /* mov rdi, .. */
		  offsetof(struct ring_header, self));
	if (spec->call)
		load_leg(builder, spec->call == TRAMPOLINE_JUMPS_FROM_CALL
					  ? spec->jumps_to
					  : spec->function);
	else
		load_first_leg(builder);
}

/* Switch to the stack of the counting code. Where registers are saved on the
 * program's stack, the counting code uses that stack, too: when the tool is
 * gone, the handler of a signal may begin there. */
static void switch_stack(struct builder *builder)
{
	on_header(builder, "\x48\x89\x24\x25", 4, SAVED(rsp)); /* mov .., rsp */
	builder->rsp_saved = true;
	mark(builder);
	if (builder->spec->on_stack)
		return;
	CODE(builder, "\x48\x8d\xa7"); /* lea rsp, [rdi + ..] */
	emit_u32(&builder->emit, COUNTING_STACK);
}

/* Load rdx with the time-stamp counter, or with 0 if it is seldom needed. */
static void read_time(struct builder *builder)
{
	if (builder->spec->action == TRAMPOLINE_FOLLOWS &&
	    !builder->spec->call) {
		CODE(builder, "\x31\xd2"); /* xor edx, edx */
		return;
	}
	if (builder->spec->ordered)
		CODE(builder, "\x0f\xae\xe8"); /* lfence */
	/* rdtsc; shl rdx, 32; or rdx, rax */
	CODE(builder, "\x0f\x31\x48\xc1\xe2\x20\x48\x09\xc2");
}

/* Emit call gs:[function]. */
static void call(struct builder *builder, size_t function)
{
	on_header(builder, "\xff\x14\x25", 3, function);
}

/* Emit the call which notes that a tail jump leads to a function. */
static void call_come(struct builder *builder)
{
	load_leg(builder, builder->spec->comes_to);
	call(builder, COUNTING(come));
	load_leg(builder, builder->spec->leg);
}

/* The function of the counting code for a *from*. */
static size_t function_at_from(const struct trampoline_spec *spec)
{
	if (!spec->again)
		return COUNTING(enter);
	return spec->first == TRAMPOLINE_NOTES_JUMP ? COUNTING(enter_and_go)
						    : COUNTING(enter_again);
}

/* Emit the call that counts the hit for legs that match by order. */
static void call_order(struct builder *builder)
{
	const struct trampoline_spec *spec = builder->spec;

	if (notes_frames(spec))
		load_leg(builder, spec->order);
	if (spec->action == TRAMPOLINE_ORDER_FROM)
		call(builder, COUNTING(order_from));
	else if (spec->action == TRAMPOLINE_ORDER_TO)
		call(builder, COUNTING(order_to));
	else
		call(builder, COUNTING(order_both));
}

/* Does something come after the call of `call`? */
static bool counts_more(const struct trampoline_spec *spec)
{
	return notes_frames(spec) ||
	       (is_counting(spec) && spec->action != TRAMPOLINE_COUNTS_CALL);
}

/* Load rsi and rdx as they were before the call. */
static void load_frame_and_time(struct builder *builder)
{
	/* mov rsi, ..; mov rdx, .. */
	on_header(builder, "\x48\x8b\x34\x25", 4, CALLS(rsi));
	load_from_header(builder, RDX, CALLS(rdx));
}

/* Emit the call that counts for the profile. What comes after it needs the
 * frame and the time again, so these are kept in the block meanwhile. (If the
 * hit is made again after the first of two calls, that one is skipped; after
 * the second one, the second one is made again, which does no harm.) */
static void call_call(struct builder *builder)
{
	static const size_t functions[] = {
		[TRAMPOLINE_ENTERS_CALL] = CALLS(enter),
		[TRAMPOLINE_JUMPS_FROM_CALL] = CALLS(jump),
		[TRAMPOLINE_LEAVES_CALL] = CALLS(leave),
		[TRAMPOLINE_ENTERS_AND_JUMPS] = CALLS(enter),
	};
	bool twice = builder->spec->call == TRAMPOLINE_ENTERS_AND_JUMPS;
	bool more = counts_more(builder->spec);

	if (more || twice) {
		/* mov .., rsi; mov .., rdx */
		on_header(builder, "\x48\x89\x34\x25", 4, CALLS(rsi));
		store_in_header(builder, RDX, CALLS(rdx));
	}
	call(builder, functions[builder->spec->call]);
	builder->call_counted = true;
	mark(builder);
	if (twice) {
		load_frame_and_time(builder);
		load_leg(builder, builder->spec->jumps_to);
		call(builder, CALLS(jump));
		mark(builder);
	}
	if (!more)
		return;
	load_frame_and_time(builder);
	load_first_leg(builder);
}

/* Emit the calls that count the hit. */
static void call_functions(struct builder *builder)
{
	const struct trampoline_spec *spec = builder->spec;

	if (spec->call)
		call_call(builder);
	if (spec->first == TRAMPOLINE_NOTES_ENTRY)
		call(builder, COUNTING(arrive));
	if (spec->first == TRAMPOLINE_NOTES_JUMP)
		call(builder, COUNTING(jump));
	if (spec->first == TRAMPOLINE_ENDS_FRAMES)
		call(builder, COUNTING(end));
	if (spec->comes)
		call_come(builder);
	if (spec->action == TRAMPOLINE_COUNTS_FROM)
		call(builder, function_at_from(spec));
	if (spec->action == TRAMPOLINE_COUNTS_TO)
		call(builder, COUNTING(leave));
	if (spec->action == TRAMPOLINE_FOLLOWS)
		call(builder, COUNTING(follow));
	if (is_by_order(spec))
		call_order(builder);
}

void call_counting(struct builder *builder)
{
	load_arguments(builder);
	switch_stack(builder);
	read_time(builder);
	call_functions(builder);
	if (is_counting(builder->spec))
		builder->phase = TRAMPOLINE_AFTER;
	mark(builder);
	on_header(builder, "\x48\x8b\x24\x25", 4, SAVED(rsp)); /* mov rsp, .. */
	builder->rsp_saved = false;
	mark(builder);
	on_header(builder, "\x48\x8b\x34\x25", 4, SAVED(rsi)); /* mov rsi, .. */
	on_header(builder, "\x48\x8b\x3c\x25", 4, SAVED(rdi)); /* mov rdi, .. */
	builder->more_saved = false;
	mark(builder);
}

void add_resumed(struct builder *builder)
{
	/* shl rdx, 32; or rax, rdx; shl rax, .. */
	CODE(builder, "\x48\xc1\xe2\x20\x48\x09\xd0\x48\xc1\xe0");
	emit_u8(&builder->emit, COUNTING_COST_BITS);
	on_header(builder, "\x48\x23\x04\x25", 4, CALLS(resume_mask)); /* and */
	/* lock add gs:[held], rax: the tool adds to this word, too */
	emit_u8(&builder->emit, 0xf0);
	on_header(builder, "\x48\x01\x04\x25", 4, CALLS(held));
	builder->call_counted = true;
	mark(builder);
}

void add_record_cost(struct builder *builder)
{
	load_from_header(builder, RAX, COUNTING(record_cost));
	on_header(builder, "\x48\x01\x04\x25", 4, COUNTING(taken));
}

void combine_counted(struct builder *builder, bool has_mask)
{
	unsigned reg = has_mask ? RDX : RAX;

	load_from_header(builder, reg, COUNTING(counted));
	if (has_mask) /* shl edx, ..; or eax, edx */
		CODE(builder, "\xc1\xe2\x08\x09\xd0");
	else /* shl eax, .. */
		CODE(builder, "\xc1\xe0\x08");
}
