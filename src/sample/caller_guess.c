/*
 * caller_guess.c - finds the caller of a frame whose code has no call frame
 * information
 *
 * There are two candidates. Code that keeps a frame pointer has saved the
 * caller's frame pointer at rbp, and its return address follows. Code that does
 * not, such as a leaf function in assembly, has its return address at the stack
 * pointer or a little above, and rbp is that of a function further out. A
 * return address is recognised by the call in front of it. So the nearest
 * return address counts if its call leads to the function at the pc, and
 * otherwise the chain of frame pointers counts before the nearest one.
 */
#include <string.h>

#include "perftool/debuginfo/go_program.h"
#include "unwinder.h"

/* In how many words above the stack pointer a return address is sought. */
#define MOST_WORDS 64

struct candidate {
	uint64_t pc, sp;
};

/* How a place that a return address leads to was called. */
enum call_kind { CALL_NONE, CALL_UNKNOWN, CALL_DIRECT };

static bool is_code(struct code_rules *rules, const struct sampler_host *host,
		    uint64_t address)
{
	const struct sampled_module *module =
		code_rules_module(rules, host, address);

	return module ? module_has_code(module, address)
		      : code_mapping_at(rules, address) != NULL;
}

/* What the call in front of `pc` is, and its target if it is direct. The code
 * is read from the process; it may have a breakpoint's int3 in place of its
 * first byte, which is accepted. */
static enum call_kind call_before(struct code_rules *rules,
				  const struct sampler_host *host, uint64_t pc,
				  uint64_t *target)
{
	uint8_t code[7];
	int32_t distance;

	if (pc < 4096 || !is_code(rules, host, pc - 1) ||
	    !target_read_callback(rules->process, pc - sizeof(code), code,
				  sizeof(code)))
		return CALL_NONE;
	if (code[2] == 0xe8 || code[2] == ARCH_INT3) {
		__builtin_memcpy(&distance, code + 3, sizeof(distance));
		*target = pc + (uint64_t)(int64_t)distance;
		if (is_code(rules, host, *target))
			return CALL_DIRECT;
	}
	/* call *r/m64 is ff /2 with a ModRM byte, which may be followed by SIB
	 * and a displacement of 1 or 4 bytes. */
	for (size_t length = 2; length <= sizeof(code); length++) {
		const uint8_t *at = code + sizeof(code) - length;

		if (at[0] == 0xff && (at[1] >> 3 & 7) == 2)
			return CALL_UNKNOWN;
	}
	return CALL_NONE;
}

/* Does the call lead to the function that the pc is in? */
static bool leads_here(struct code_rules *rules,
		       const struct sampler_host *host, uint64_t target,
		       uint64_t pc)
{
	const struct sampled_module *module =
		code_rules_module(rules, host, pc);
	struct function function;

	if (!module || !module->file)
		return false;
	return debugfile_function_at(module->file, pc - module->bias,
				     &function) &&
	       function.address + module->bias == target;
}

/* Is this where the outermost function of a goroutine returns to, without
 * having been called? */
static bool ends_goroutine(struct code_rules *rules,
			   const struct sampler_host *host, uint64_t pc)
{
	const struct sampled_module *module =
		code_rules_module(rules, host, pc - 1);

	return module && module->file &&
	       debugfile_go_role(module->file, pc - 1 - module->bias) ==
		       GO_OUTERMOST;
}

/* A function that has saved rbp twice, as crosscall2 of Go 1.24 does, has a
 * frame pointer that points to the word below the other one. There is no room
 * for a return address between them, so go on to the other one. */
static void pass_double_frame(struct stack_reader *reader,
			      struct unwind_place *place)
{
	uint64_t rbp = place->regs[UNWIND_RBP], saved;

	if (rbp >= place->regs[UNWIND_RSP] && rbp % 8 == 0 &&
	    stack_read_word(reader, rbp, &saved) && saved == rbp + 8)
		place->regs[UNWIND_RBP] = saved;
}

static bool follow_chain(struct code_rules *rules,
			 const struct sampler_host *host,
			 struct stack_reader *reader,
			 const struct unwind_place *place, uint64_t words[2])
{
	uint64_t rbp = place->regs[UNWIND_RBP], target;

	if (rbp < place->regs[UNWIND_RSP] || rbp % 8 ||
	    !stack_read(reader, rbp, words, 2 * sizeof(*words)))
		return false;
	if (!words[1])
		return true;
	code_mappings_expect(rules, host, words[1] - 1);
	return call_before(rules, host, words[1], &target) != CALL_NONE ||
	       ends_goroutine(rules, host, words[1]);
}

/* Find the nearest return address above the stack pointer, below `limit`.
 * `*is_certain`: its call leads to the function at the pc. */
static bool scan(struct code_rules *rules, const struct sampler_host *host,
		 struct stack_reader *reader, const struct unwind_place *place,
		 struct candidate *out, bool *is_certain)
{
	uint64_t sp = place->regs[UNWIND_RSP] & ~(uint64_t)7;
	bool found = false;

	*is_certain = false;
	for (size_t i = 0; i < MOST_WORDS; i++, sp += 8) {
		uint64_t word, target;
		enum call_kind kind;

		if (!stack_read_word(reader, sp, &word))
			break;
		kind = call_before(rules, host, word, &target);
		if (kind == CALL_NONE)
			continue;
		if (kind == CALL_DIRECT &&
		    leads_here(rules, host, target, place->regs[UNWIND_PC])) {
			*out = (struct candidate){word, sp + 8};
			*is_certain = true;
			return true;
		}
		if (!found)
			*out = (struct candidate){word, sp + 8};
		found = true;
	}
	return found;
}

/* Is the thread behind the system call that has made it? clone() of the C
 * library has no call frame information there. The stack of the new thread is
 * empty, and rbp is still that of its parent. */
static bool is_new_thread(const struct code_rules *rules,
			  const struct unwind_place *place)
{
	static const uint8_t syscall[2] = {0x0f, 0x05};
	uint8_t code[sizeof(syscall)];

	return place->is_exact &&
	       target_read_callback(rules->process,
				    place->regs[UNWIND_PC] - sizeof(code), code,
				    sizeof(code)) &&
	       memcmp(code, syscall, sizeof(code)) == 0;
}

bool guess_caller(struct code_rules *rules, const struct sampler_host *host,
		  struct stack_reader *reader, struct unwind_place *place,
		  bool *is_end)
{
	struct candidate nearest = {0};
	bool is_certain = false, is_beyond = reader->is_beyond, is_chained,
	     is_found;
	uint64_t chain[2];

	pass_double_frame(reader, place);
	is_chained = follow_chain(rules, host, reader, place, chain);
	/* Only a function that has not called another can do without a frame
	 * pointer of its own where other functions have one. */
	is_found = (place->is_exact || !is_chained) &&
		   scan(rules, host, reader, place, &nearest, &is_certain);
	/* that the search came to the end of the copy does not matter */
	if (is_found)
		reader->is_beyond = is_beyond;
	/* A certain return address below the frame pointer is that of a
	 * function that has not saved it. */
	if (is_chained &&
	    (!is_certain || nearest.sp > place->regs[UNWIND_RBP])) {
		place->regs[UNWIND_RSP] = place->regs[UNWIND_RBP] + 16;
		place->regs[UNWIND_RBP] = chain[0];
		place->regs[UNWIND_PC] = chain[1];
		return true;
	}
	if (is_found) {
		place->regs[UNWIND_RSP] = nearest.sp;
		place->regs[UNWIND_PC] = nearest.pc;
		return true;
	}
	/* The ABI has a thread begin with the frame pointer 0. */
	*is_end = !place->regs[UNWIND_RBP] || is_new_thread(rules, place);
	return *is_end;
}
