/*
 * unwinder.h - finds the frames of a stack, from the registers of the innermost
 * frame
 */
#ifndef PERFTOOL_SAMPLE_UNWINDER_H
#define PERFTOOL_SAMPLE_UNWINDER_H

#include "code_rules.h"
#include "stack_reader.h"

enum unwind_result {
	UNWOUND,        /* to the outermost frame */
	UNWOUND_BROKEN, /* the caller of the last frame cannot be found */
	/* the caller of the last frame needs a register that is not known */
	UNWOUND_UNKNOWN,
};

/* The DWARF numbers of rbp, rsp and the pc. */
#define UNWIND_RBP 6
#define UNWIND_RSP 7
#define UNWIND_PC 16

/* Where unwinding stands: at the frame to append next. */
struct unwind_place {
	/* in the order of the DWARF numbers */
	uint64_t regs[17];
	uint32_t unknown; /* one bit for each register that is not known */
	bool is_exact;    /* the pc is not a return address */
	/* The thread pointer (the fs base); 0: not known, because the thread
	 * has not been stopped. */
	uint64_t thread_pointer;
	/* Where C code that a Go program has called has called Go code: the
	 * stack pointer of the next such place further out; 0: it is in the
	 * descriptor of the thread's own stack. */
	uint64_t callback_sp;
};

void unwind_place_init(struct unwind_place *place,
		       const struct user_regs_struct *regs);

/* Append the frames from `place` on, innermost first. Afterwards `place` is
 * that of the last frame that was appended. */
enum unwind_result unwind(struct code_rules *rules,
			  const struct sampler_host *host,
			  struct stack_reader *reader,
			  struct unwind_place *place,
			  struct sampled_frame_list *frames);

/* caller_guess.c: find the caller where no call frame information tells it, by
 * the chain of frame pointers or by a return address on the stack. False: there
 * is none that is plausible. `*is_end`: the frame is the outermost one. */
bool guess_caller(struct code_rules *rules, const struct sampler_host *host,
		  struct stack_reader *reader, struct unwind_place *place,
		  bool *is_end);

/* goroutine_stacks.c: change to the stack that the thread was on before the Go
 * runtime's function `rule->role` changed it. `*is_changed`: `place` is that of
 * the caller, or for GO_CALLBACK that of the function itself on its own stack.
 */
enum unwind_result change_go_stack(struct code_rules *rules,
				   const struct code_rule *rule,
				   struct stack_reader *reader,
				   struct unwind_place *place,
				   bool *is_changed);

#endif
