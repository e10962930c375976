/*
 * go_program.h - what the debug information says of a Go program
 */
#ifndef PERFTOOL_DEBUGINFO_GO_PROGRAM_H
#define PERFTOOL_DEBUGINFO_GO_PROGRAM_H

#include "perftool/debuginfo.h"

/* What the tool needs to find the goroutine that a thread of a Go program
 * executes. The address of the goroutine's descriptor is in a thread-local
 * variable. The variable is 0 in a thread that the Go runtime does not know. */
struct go_runtime {
	/* the code that Go compiled, as addresses of the file */
	struct range code;
	bool has_slot; /* the variable's offset is known: `slot` */
	/* the variable's offset from the thread pointer (the fs base) */
	int32_t slot;
	/* offset, in the descriptor, of the upper end of the goroutine's stack
	 * (stack.hi), from which the stack grows downwards */
	uint32_t stack_top;
	/* offset, in the descriptor, of the goroutine's number; 0: not known.
	 * In the descriptors for the stacks of the runtime's own threads, the
	 * number is 0. */
	uint32_t goid;
	/* offsets, in the descriptor, of the address of its thread's descriptor
	 * (m), and of the stack pointer, the pc and the frame pointer that the
	 * goroutine has when it is left (sched) */
	uint32_t thread, left_sp, left_pc, left_bp;
	/* offset, in a thread's descriptor, of the address of the goroutine
	 * that it executes (curg); 0: not known. The descriptor begins with the
	 * address of the one for the thread's own stack (g0). */
	uint32_t running;
};

/* What is known of the Go runtime. NULL: the file is not a Go program, because
 * it has no build information of Go or is a library. The file owns the
 * result. */
const struct go_runtime *debugfile_go(struct debugfile *file);
/* Is the thread-local variable with the goroutine's descriptor valid whenever
 * the code at this address is executed? It is not yet valid in the code that
 * starts the Go runtime. */
bool debugfile_go_has_begun(struct debugfile *file, uint64_t address);
/* Is the file a Go program, and was the code at this address compiled by Go? */
bool debugfile_is_go_code(struct debugfile *file, uint64_t address);

/* The functions of the Go runtime in which a thread changes from one stack to
 * another, or in which a stack begins. */
enum go_stack_role {
	GO_SAME_STACK, /* all others */
	GO_OUTERMOST,  /* the outermost function of a stack */
	/* These have left the goroutine's stack for the thread's own stack, */
	GO_SYSTEMSTACK, /* to execute a function there, */
	GO_MORESTACK,   /* to copy the goroutine's stack, */
	GO_CGOCALL,     /* or to execute C code, */
	/* and this one has left C code for the goroutine's stack. */
	GO_CALLBACK,
};

/* The role of the function at this address, by its name. */
enum go_stack_role debugfile_go_role(struct debugfile *file, uint64_t address);
/* Does the function at this address begin with pushing the frame pointer? In
 * older versions of the runtime the functions with a role do not. */
bool debugfile_go_has_frame(struct debugfile *file, uint64_t address);

/*
 * The address at which a call of the function begins. This is its first
 * instruction, except in Go, where it is the instruction behind the check for
 * room on the stack. If the check finds no room, the stack grows or another
 * goroutine runs, and then the function begins again from its first
 * instruction. The registers that pass arguments and the stack pointer are the
 * same at both addresses.
 */
uint64_t debugfile_go_begins(struct debugfile *file,
			     const struct function *function);

#endif
