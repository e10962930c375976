/*
 * goroutine_stacks.c - where the stack of a thread of a Go program goes on when
 * the Go runtime has changed it
 *
 * A thread has a stack of its own, for the runtime and for C code, and executes
 * goroutines, which have theirs. The runtime keeps where a goroutine has left
 * its stack in the goroutine's descriptor, and where C code has called Go code
 * on the stack of the thread. How to find the descriptors:
 * src/debuginfo/go.c. Their memory is never unmapped, but it is that of the
 * present, so the thread must stand still.
 */
#include "perftool/debuginfo/go_program.h"
#include "unwinder.h"

#define PC 16
#define STACK_LOW 0

/* In how many words of its frame runtime.asmcgocall keeps the goroutine and the
 * depth of its stack. */
#define MOST_WORDS 8

struct go_stacks {
	const struct go_runtime *go;
	uint64_t own;        /* the descriptor for the thread's own stack */
	uint64_t executing;  /* that of the stack on which the thread is */
	uint64_t goroutine;  /* that of the goroutine; 0: there is none */
	uint64_t low, high;  /* the goroutine's stack */
	uint64_t sp, pc, bp; /* where the goroutine has left its stack */
};

static bool read_word(struct code_rules *rules, uint64_t address, uint64_t *out)
{
	return target_read_callback(rules->process, address, out, sizeof(*out));
}

static bool read_stacks(struct code_rules *rules, const struct go_runtime *go,
			uint64_t thread_pointer, struct go_stacks *out)
{
	uint64_t slot = thread_pointer + (uint64_t)(int64_t)go->slot, thread;

	*out = (struct go_stacks){.go = go};
	if (!read_word(rules, slot, &out->executing) || !out->executing ||
	    !read_word(rules, out->executing + go->thread, &thread) ||
	    !read_word(rules, thread, &out->own) ||
	    !read_word(rules, thread + go->running, &out->goroutine))
		return false;
	if (!out->goroutine)
		return true;
	return read_word(rules, out->goroutine + STACK_LOW, &out->low) &&
	       read_word(rules, out->goroutine + go->stack_top, &out->high) &&
	       read_word(rules, out->goroutine + go->left_sp, &out->sp) &&
	       read_word(rules, out->goroutine + go->left_pc, &out->pc) &&
	       read_word(rules, out->goroutine + go->left_bp, &out->bp);
}

static bool is_on_goroutine(const struct go_stacks *stacks, uint64_t sp)
{
	return stacks->goroutine && sp >= stacks->low && sp <= stacks->high;
}

/* Go on at the caller of a function that had the stack pointer `sp`. There is
 * the return address, or in front of it the caller's frame pointer. */
static bool return_from(struct stack_reader *reader, uint64_t sp,
			bool has_frame, struct unwind_place *place)
{
	if (has_frame) {
		if (!stack_read_word(reader, sp, &place->regs[UNWIND_RBP]))
			return false;
		place->unknown &= ~(1U << UNWIND_RBP);
		sp += 8;
	}
	if (!stack_read_word(reader, sp, &place->regs[PC]))
		return false;
	place->regs[UNWIND_RSP] = sp + 8;
	return true;
}

/*
 * Leave runtime.asmcgocall. Its frame on the thread's own stack holds the
 * goroutine's descriptor, and below it how far the goroutine's stack pointer
 * was from the end of its stack. If it was called on the thread's own stack,
 * these are 0 and the stack pointer.
 */
static bool leave_cgocall(const struct go_stacks *stacks,
			  struct stack_reader *reader, bool has_frame,
			  struct unwind_place *place)
{
	uint64_t sp = place->regs[UNWIND_RSP], words[MOST_WORDS];

	if (!stack_read(reader, sp, words, sizeof(words)))
		return false;
	for (size_t i = 1; i < MOST_WORDS; i++)
		if (stacks->goroutine && words[i] == stacks->goroutine &&
		    words[i - 1] < stacks->high - stacks->low)
			return return_from(reader, stacks->high - words[i - 1],
					   has_frame, place);
	for (size_t i = 1; i < MOST_WORDS; i++)
		if (!words[i] && words[i - 1] > sp &&
		    words[i - 1] - sp <= 2 * sizeof(words))
			return return_from(reader, words[i - 1], has_frame,
					   place);
	return false;
}

/* Change to the stack of the C code that has called Go code. The runtime keeps
 * the stack pointer that it had there in the descriptor for that stack, and the
 * one before it at this place. */
static bool leave_callback(struct code_rules *rules,
			   const struct go_stacks *stacks,
			   struct stack_reader *reader,
			   struct unwind_place *place)
{
	uint64_t sp = place->callback_sp;

	if (!sp && !read_word(rules, stacks->own + stacks->go->left_sp, &sp))
		return false;
	if (!stack_read_word(reader, sp, &place->callback_sp))
		return false;
	place->regs[UNWIND_RSP] = sp;
	return true;
}

enum unwind_result change_go_stack(struct code_rules *rules,
				   const struct code_rule *rule,
				   struct stack_reader *reader,
				   struct unwind_place *place, bool *is_changed)
{
	const struct sampled_module *module = rule_module(rules, rule);
	const struct go_runtime *go =
		module && module->file ? debugfile_go(module->file) : NULL;
	uint64_t sp = place->regs[UNWIND_RSP];
	struct go_stacks stacks;
	bool is_left, has_frame;

	*is_changed = false;
	if (!go || !go->has_slot || !go->running)
		return UNWOUND;
	if (!place->thread_pointer) {
		reader->is_beyond = reader->is_elsewhere = true;
		reader->is_fleeting = rule->role == GO_SYSTEMSTACK ||
				      rule->role == GO_MORESTACK;
		return UNWOUND_BROKEN;
	}
	if (!read_stacks(rules, go, place->thread_pointer, &stacks))
		return UNWOUND_BROKEN;
	is_left = !is_on_goroutine(&stacks, sp);
	if (is_left == (rule->role == GO_CALLBACK))
		return UNWOUND;
	*is_changed = true;
	has_frame = debugfile_go_has_frame(module->file, rule->address);
	switch (rule->role) {
	case GO_CALLBACK:
		return leave_callback(rules, &stacks, reader, place)
			       ? UNWOUND
			       : UNWOUND_BROKEN;
	case GO_CGOCALL:
		if (rule->is_exact) {
			*is_changed = false;
			return UNWOUND;
		}
		return leave_cgocall(&stacks, reader, has_frame, place)
			       ? UNWOUND
			       : UNWOUND_BROKEN;
	default:
		break;
	}
	/* The thread was on its own stack when the goroutine left its stack. If
	 * it is not there now, that was another time. */
	if (!place->callback_sp && stacks.executing != stacks.own)
		return UNWOUND_BROKEN;
	if (!is_on_goroutine(&stacks, stacks.sp))
		return UNWOUND_BROKEN;
	place->regs[UNWIND_RBP] = stacks.bp;
	place->unknown = 0;
	if (rule->role == GO_SYSTEMSTACK)
		return return_from(reader, stacks.sp, has_frame, place)
			       ? UNWOUND
			       : UNWOUND_BROKEN;
	place->regs[PC] = stacks.pc;
	place->regs[UNWIND_RSP] = stacks.sp;
	return UNWOUND;
}
