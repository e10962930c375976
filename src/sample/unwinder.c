/*
 * unwinder.c - finds the frames of a stack; see unwinder.h
 *
 * The loop ends for any contents of the stack: the stack pointer must grow from
 * frame to frame. A signal handler is an exception, because it may run on a
 * stack of its own, and so are the functions with which Go changes stacks. So
 * the number of these frames is limited.
 */
#include "unwinder.h"

#include "perftool/arch.h"
#include "perftool/debuginfo/frame_rules.h"
#include "perftool/debuginfo/go_program.h"

#define MOST_STACK_CHANGES 10000

/* The offset of the registers in what rt_sigreturn(2) finds at the stack
 * pointer (struct ucontext, uc_mcontext), and their order. */
#define SIGNAL_REGISTERS 40
static const uint8_t signal_order[] = {8,  9,  10, 11,         12,         13,
				       14, 15, 5,  4,          UNWIND_RBP, 3,
				       1,  0,  2,  UNWIND_RSP, UNWIND_PC};

static void set_registers(struct unwind_place *place,
			  const struct user_regs_struct *regs)
{
	for (unsigned i = 0; i < UNWIND_PC; i++)
		arch_dwarf_register(i, regs, &place->regs[i]);
	place->regs[UNWIND_PC] = regs->rip;
	place->unknown = 0;
	place->is_exact = true;
}

void unwind_place_init(struct unwind_place *place,
		       const struct user_regs_struct *regs)
{
	set_registers(place, regs);
	place->thread_pointer = regs->fs_base;
	place->callback_sp = 0;
}

static bool is_unknown(const struct unwind_place *place, unsigned number)
{
	return place->unknown >> number & 1;
}

static enum unwind_result leave_plain(const struct unwind_row *row,
				      struct stack_reader *reader,
				      struct unwind_place *place)
{
	uint64_t cfa = place->regs[row->cfa_register] +
		       (uint64_t)(int64_t)row->cfa_offset;
	uint64_t back, slot;

	if (is_unknown(place, row->cfa_register))
		return UNWOUND_UNKNOWN;
	if (cfa <= place->regs[UNWIND_RSP] && !row->is_signal_frame)
		return UNWOUND_BROKEN;
	if (!stack_read_word(
		    reader, cfa + (uint64_t)(int64_t)row->return_offset, &back))
		return UNWOUND_BROKEN;
	for (size_t i = 0; i < UNWIND_REGISTERS; i++) {
		unsigned number = unwind_registers[i];

		if (row->saved[i] == UNWIND_SAME)
			continue;
		slot = cfa + (uint64_t)(int64_t)row->saved[i];
		if (stack_read_word(reader, slot, &place->regs[number]))
			place->unknown &= ~(1U << number);
		else if (slot >= place->regs[UNWIND_RSP])
			return UNWOUND_BROKEN;
		/* Else the function has popped the register already. The value
		 * is still in memory, too, but the kernel copies the stack from
		 * the stack pointer on. */
	}
	place->regs[UNWIND_RSP] = cfa;
	place->regs[UNWIND_PC] = back;
	return UNWOUND;
}

static bool read_stack(void *context, uint64_t address, void *buffer,
		       size_t size)
{
	return stack_read(context, address, buffer, size);
}

/* Have the debuginfo layer apply rules that are not plain. */
static enum unwind_result leave_full(const struct sampled_module *module,
				     const struct code_rule *rule,
				     struct stack_reader *reader,
				     struct unwind_place *place)
{
	struct user_regs_struct regs = {0}, caller;
	struct frame_reader how = {.read = read_stack,
				   .context = reader,
				   .regs = &regs,
				   .bias = module ? module->bias : 0};
	uint64_t sp = place->regs[UNWIND_RSP];
	struct error *error;

	if (!module || !module->file)
		return UNWOUND_BROKEN;
	if (place->unknown)
		return UNWOUND_UNKNOWN;
	for (unsigned i = 0; i < UNWIND_PC; i++)
		arch_dwarf_set_register(i, &regs, place->regs[i]);
	regs.rip = place->regs[UNWIND_PC] - !rule->is_exact;
	error = debugfile_unwind(module->file, &how, &caller);
	if (error) {
		error_destroy(error);
		return UNWOUND_BROKEN;
	}
	if (caller.rsp <= sp && !rule->row.is_signal_frame)
		return UNWOUND_BROKEN;
	set_registers(place, &caller);
	return UNWOUND;
}

static enum unwind_result leave_signal(struct stack_reader *reader,
				       struct unwind_place *place)
{
	uint64_t words[sizeof(signal_order)];

	if (!stack_read(reader, place->regs[UNWIND_RSP] + SIGNAL_REGISTERS,
			words, sizeof(words)))
		return UNWOUND_BROKEN;
	for (size_t i = 0; i < sizeof(signal_order); i++)
		place->regs[signal_order[i]] = words[i];
	place->unknown = 0;
	return UNWOUND;
}

/* Make `place` that of the caller. */
static enum unwind_result leave(struct code_rules *rules,
				const struct sampler_host *host,
				const struct code_rule *rule,
				struct stack_reader *reader,
				struct unwind_place *place, bool *is_end)
{
	if (rule->role > GO_OUTERMOST) {
		bool is_changed;
		enum unwind_result result = change_go_stack(rules, rule, reader,
							    place, &is_changed);

		if (result != UNWOUND ||
		    (is_changed && rule->role != GO_CALLBACK))
			return result;
	}
	switch (rule->row.kind) {
	case UNWIND_PLAIN:
		return leave_plain(&rule->row, reader, place);
	case UNWIND_END:
		*is_end = true;
		return UNWOUND;
	case UNWIND_FULL:
		return leave_full(rule_module(rules, rule), rule, reader,
				  place);
	case RULE_SIGRETURN:
		return leave_signal(reader, place);
	default:
		if (is_unknown(place, UNWIND_RBP))
			return UNWOUND_UNKNOWN;
		return guess_caller(rules, host, reader, place, is_end)
			       ? UNWOUND
			       : UNWOUND_BROKEN;
	}
}

/* If the thread is in code of the tool, go to the place of the program for
 * which it is there. Returns false if there is no such place. */
static bool leave_own_code(struct code_rules *rules,
			   const struct sampler_host *host,
			   struct unwind_place *place)
{
	struct user_regs_struct regs = {0};
	uint64_t pc;

	if (!host->own_code || place->unknown)
		return true;
	if (code_rules_has_script(rules, host, place->regs[UNWIND_PC]))
		return false;
	for (unsigned i = 0; i < UNWIND_PC; i++)
		arch_dwarf_set_register(i, &regs, place->regs[i]);
	regs.rip = place->regs[UNWIND_PC];
	if (!host->own_code(host->context, rules->process,
			    place->regs[UNWIND_PC], &regs, &pc))
		return true;
	set_registers(place, &regs);
	place->regs[UNWIND_PC] = pc;
	return pc != 0;
}

enum unwind_result unwind(struct code_rules *rules,
			  const struct sampler_host *host,
			  struct stack_reader *reader,
			  struct unwind_place *place,
			  struct sampled_frame_list *frames)
{
	struct unwind_place before = *place;
	unsigned changes = 0;

	for (;;) {
		const struct code_rule *rule = code_rules_at(
			rules, host, place->regs[UNWIND_PC], place->is_exact);
		const struct sampled_module *module = rule_module(rules, rule);
		bool is_signal_frame = rule->row.is_signal_frame;
		enum unwind_result result;
		bool is_end = false;

		if (!module && place->is_exact) {
			if (!leave_own_code(rules, host, place)) {
				vec_push(frames, (struct sampled_frame){
							 .is_exact = true});
				return UNWOUND;
			}
			rule = code_rules_at(rules, host,
					     place->regs[UNWIND_PC], true);
			module = rule_module(rules, rule);
			is_signal_frame = rule->row.is_signal_frame;
		}
		if (rule->is_no_code) {
			*place = before;
			return UNWOUND_BROKEN;
		}
		vec_push(frames, (struct sampled_frame){
					 .module = module ? module->number : 0,
					 .is_exact = rule->is_exact,
					 .address = rule->address});
		if ((is_signal_frame || rule->role > GO_OUTERMOST) &&
		    ++changes > MOST_STACK_CHANGES)
			return UNWOUND_BROKEN;
		before = *place;
		result = leave(rules, host, rule, reader, place, &is_end);
		if (result != UNWOUND) {
			*place = before;
			return result;
		}
		if (is_end || !place->regs[UNWIND_PC]) {
			*place = before;
			return UNWOUND;
		}
		place->is_exact = is_signal_frame;
	}
}
