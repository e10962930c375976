/*
 * script.c - remote system calls that complete by themselves
 *
 * Layout: the signal mask (8 bytes), the caller's data, then code. The code
 * makes the calls and restores the mask by one more call. It then loads every
 * register that a call uses or destroys with the value that the register had
 * before, and jumps to the pc at which the thread was interrupted. Between the
 * calls rbx keeps a result. The code touches neither the stack nor the flags
 * (syscall keeps the flags in r11).
 *
 * If a helper makes some of the calls, the code branches behind the clone(2) by
 * the result of that call:
 *
 *		mov	rcx, rax
 *		jrcxz	helper
 *		jmp	end
 *	helper:	its calls, and exit(2)
 *	end:	the call that restores the mask, and so on
 */
#include "perftool/arch.h"

#include <signal.h>
#include <stddef.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <ucontext.h>

#include "emit.h"

#define MASK_SIZE 8
#define ARGUMENTS 6

/* The numbers of registers in instructions. */
enum {
	RAX,
	RCX,
	RDX,
	RBX,
	RSP,
	RBP,
	RSI,
	RDI,
	R8,
	R9,
	R10,
	R11,
};

/* The arguments of a system call (System V ABI, appendix A.2.1). */
static const uint8_t argument_registers[ARGUMENTS] = {RDI, RSI, RDX,
						      R10, R8,  R9};

#define SYSCALL_SIZE 2

struct writer {
	struct emit emit;
	bool saved;                /* rbx holds the kept result */
	uint64_t known[ARGUMENTS]; /* what an argument register holds, */
	bool is_known[ARGUMENTS];  /* if the script has set this register */
};

/* Emit mov REGISTER, rbx. */
static void emit_from_saved(struct emit *emit, unsigned reg)
{
	emit_u8(emit, 0x48 | (reg > 7));
	emit_u8(emit, 0x89);
	emit_u8(emit, (uint8_t)(0xc0 | RBX << 3 | (reg & 7)));
}

/* Set an argument register, unless it holds the value already, because a system
 * call keeps its argument registers. */
static void emit_argument(struct writer *writer, int index, uint64_t value)
{
	if (writer->is_known[index] && writer->known[index] == value)
		return;
	emit_load(&writer->emit, argument_registers[index], value);
	writer->known[index] = value;
	writer->is_known[index] = true;
}

static struct error *emit_call(struct writer *writer,
			       const struct script_call *call)
{
	struct emit *emit = &writer->emit;

	if (call->use_saved < 0 || call->use_saved > ARGUMENTS ||
	    (call->use_saved && !writer->saved))
		return error_create(ERROR_OTHER,
				    "internal error: system call %ld of a "
				    "script uses a result that was not kept",
				    call->number);
	for (int i = 0; i < ARGUMENTS; i++) {
		if (call->use_saved == i + 1) {
			emit_from_saved(emit, argument_registers[i]);
			writer->is_known[i] = false;
		} else {
			emit_argument(writer, i, call->args[i]);
		}
	}
	emit_load(emit, RAX, (uint64_t)call->number);
	emit_bytes(emit, "\x0f\x05", SYSCALL_SIZE);
	return NULL;
}

/* Restore the registers that the script has changed, and jump back. If the
 * thread was interrupted in a system call that the kernel restarts, the thread
 * makes this call again. */
static void emit_resume(struct emit *emit, const struct user_regs_struct *regs)
{
	struct user_regs_struct state = *regs;

	arch_restart(&state);
	emit_load(emit, RAX, state.rax);
	emit_load(emit, RBX, state.rbx);
	emit_load(emit, RCX, state.rcx);
	emit_load(emit, RDX, state.rdx);
	emit_load(emit, RSI, state.rsi);
	emit_load(emit, RDI, state.rdi);
	emit_load(emit, R8, state.r8);
	emit_load(emit, R9, state.r9);
	emit_load(emit, R10, state.r10);
	emit_load(emit, R11, state.r11);
	emit_jump(emit, state.rip);
}

/* Emit the branch behind a clone(2). The helper executes what follows it; the
 * thread that has called clone(2) jumps to where end_branch() is called.
 * Returns the offset of the displacement of that jump. */
static size_t emit_branch(struct emit *emit)
{
	emit_bytes(emit, "\x48\x89\xc1", 3); /* mov rcx, rax */
	emit_bytes(emit, "\xe3\x05", 2);     /* jrcxz over the jmp */
	emit_u8(emit, 0xe9);                 /* jmp rel32 */
	emit_u32(emit, 0);                   /* set by end_branch() */
	return emit->length - sizeof(uint32_t);
}

/* Set the displacement of the jump of emit_branch(), so that the jump leads to
 * the next byte that is emitted. */
static void end_branch(struct emit *emit, size_t displacement)
{
	uint32_t distance =
		(uint32_t)(emit->length - displacement - sizeof(distance));

	if (!emit->overflow)
		memcpy(emit->code + displacement, &distance, sizeof(distance));
}

static struct error *emit_calls(struct writer *writer,
				const struct script_call *calls, size_t count,
				struct arch_script *script)
{
	static const struct script_call leave = {.number = SYS_exit};
	struct emit *emit = &writer->emit;
	struct writer other = {0};
	size_t branch = 0;

	for (size_t i = 0; i < count; i++) {
		if (calls[i].by_helper && !script->has_helper) {
			branch = emit_branch(emit);
			other = *writer;
			script->has_helper = true;
		} else if (script->has_helper && !calls[i].by_helper) {
			return error_create(ERROR_OTHER,
					    "internal error: a call of a "
					    "script follows those of a helper");
		}
		TRY(emit_call(writer, &calls[i]));
		script->returns[i] = emit_here(emit);
		if (calls[i].save) {
			emit_bytes(emit, "\x48\x89\xc3", 3); /* mov rbx, rax */
			writer->saved = true;
		}
	}
	if (!script->has_helper)
		return NULL;
	TRY(emit_call(writer, &leave));
	end_branch(emit, branch);
	/* The thread that has called clone(2) comes here from the branch, with
	 * the registers that it had there. */
	memcpy(writer->known, other.known, sizeof(other.known));
	memcpy(writer->is_known, other.is_known, sizeof(other.is_known));
	writer->saved = other.saved;
	return NULL;
}

struct error *arch_script_build(uint64_t address,
				const struct script_call *calls, size_t count,
				const struct user_regs_struct *regs,
				uint64_t signal_mask, const void *data,
				size_t data_size, struct arch_script *out)
{
	const struct script_call unmask = {
		.number = SYS_rt_sigprocmask,
		.args = {2 /* SIG_SETMASK */, address, 0, MASK_SIZE},
	};
	struct arch_script script = {0};
	struct writer writer = {
		.emit = {.code = script.code,
			 .capacity = sizeof(script.code),
			 .address = address},
	};
	struct emit *emit = &writer.emit;

	if (count > ARCH_SCRIPT_CALLS)
		return error_create(ERROR_OTHER,
				    "internal error: a script makes at most %d "
				    "system calls",
				    ARCH_SCRIPT_CALLS);
	emit_u64(emit, signal_mask);
	emit_bytes(emit, data, data_size);
	script.start = emit_here(emit);
	TRY(emit_calls(&writer, calls, count, &script));
	TRY(emit_call(&writer, &unmask));
	emit_resume(emit, regs);
	if (emit->overflow)
		return error_create(ERROR_OTHER,
				    "internal error: a script of %zu system "
				    "calls and %zu bytes of data is too long",
				    count, data_size);
	script.length = emit->length;
	*out = script;
	return NULL;
}

/* The context of a signal frame (asm/ucontext.h) in the kernel's size: the C
 * library's has a longer signal mask. */
#define CONTEXT_SIZE (offsetof(ucontext_t, uc_sigmask) + MASK_SIZE)

/* The context with which rt_sigreturn(2) gives a thread these registers and
 * this mask. It names no state of the floating point unit, so the thread gets
 * the one with which a program begins. */
static ucontext_t make_context(const struct user_regs_struct *regs,
			       uint64_t signal_mask)
{
	ucontext_t context = {.uc_stack = {.ss_flags = SS_DISABLE}};
	greg_t *gregs = context.uc_mcontext.gregs;

	gregs[REG_R8] = (greg_t)regs->r8;
	gregs[REG_R9] = (greg_t)regs->r9;
	gregs[REG_R10] = (greg_t)regs->r10;
	gregs[REG_R11] = (greg_t)regs->r11;
	gregs[REG_R12] = (greg_t)regs->r12;
	gregs[REG_R13] = (greg_t)regs->r13;
	gregs[REG_R14] = (greg_t)regs->r14;
	gregs[REG_R15] = (greg_t)regs->r15;
	gregs[REG_RDI] = (greg_t)regs->rdi;
	gregs[REG_RSI] = (greg_t)regs->rsi;
	gregs[REG_RBP] = (greg_t)regs->rbp;
	gregs[REG_RBX] = (greg_t)regs->rbx;
	gregs[REG_RDX] = (greg_t)regs->rdx;
	gregs[REG_RAX] = (greg_t)regs->rax;
	gregs[REG_RCX] = (greg_t)regs->rcx;
	gregs[REG_RSP] = (greg_t)regs->rsp;
	gregs[REG_RIP] = (greg_t)regs->rip;
	gregs[REG_EFL] = (greg_t)regs->eflags;
	/* cs, gs, fs and ss, 16 bits each */
	gregs[REG_CSGSFS] = (greg_t)(regs->cs | regs->ss << 48);
	memcpy(&context.uc_sigmask, &signal_mask, MASK_SIZE);
	return context;
}

/* Emit a system call without arguments, or with those that were loaded. */
static void emit_number(struct emit *emit, long number)
{
	emit_load(emit, RAX, (uint64_t)number);
	emit_bytes(emit, "\x0f\x05", SYSCALL_SIZE);
}

struct error *arch_script_trace(uint64_t address,
				const struct user_regs_struct *regs,
				uint64_t signal_mask, struct arch_script *out)
{
	const ucontext_t context = make_context(regs, signal_mask);
	struct arch_script script = {0};
	struct emit emit = {.code = script.code,
			    .capacity = sizeof(script.code),
			    .address = address};
	size_t branch;

	emit_bytes(&emit, &context, CONTEXT_SIZE);
	script.start = emit_here(&emit);
	emit_load(&emit, RDI, PTRACE_TRACEME);
	emit_number(&emit, SYS_ptrace);
	emit_bytes(&emit, "\x85\xc0\x75\0", 4); /* test eax, eax; jnz */
	branch = emit.length - 1;
	emit_number(&emit, SYS_getpid);
	emit_bytes(&emit, "\x89\xc7", 2); /* mov edi, eax */
	emit_load(&emit, RSI, SIGTRAP);
	emit_number(&emit, SYS_kill);
	script.code[branch] = (uint8_t)(emit.length - branch - 1);
	/* The kernel finds the context at the stack pointer. */
	emit_load(&emit, RSP, address);
	emit_number(&emit, SYS_rt_sigreturn);
	if (emit.overflow)
		return error_create(ERROR_OTHER,
				    "internal error: a script is too long");
	script.length = emit.length;
	*out = script;
	return NULL;
}
