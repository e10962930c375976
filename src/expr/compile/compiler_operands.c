/*
 * compiler_operands.c - variables, registers and functions in the program of a
 * fast node; see compiler.h
 */
#include "compiler.h"
#include "perftool/debuginfo/debug_variables.h"
#include "perftool/debuginfo/go_program.h"

#include <string.h>

#define RSP 7 /* its DWARF number */

/* ---- modules ---- */

/*
 * The bias of a module. Only the place's own file and the program are accepted,
 * as other modules may be unloaded while the node exists.
 */
static enum expr_refusal find_bias(const struct compiler *compiler,
				   const struct debugfile *file, uint64_t *bias)
{
	const struct expr_modules *modules = &compiler->input->modules;
	struct debugfile *const *files;

	*bias = compiler->input->reader.bias;
	if (!file || file == compiler->bound->file)
		return EXPR_COMPILED;
	if (!modules->files || !modules->bias ||
	    !modules->files(modules->context, &files) || files[0] != file ||
	    !modules->bias(modules->context, file, bias))
		return EXPR_MODULE;
	return EXPR_COMPILED;
}

/* ---- operands ---- */

static enum expr_refusal find_place(const struct compiler *compiler,
				    const struct instruction *at,
				    struct simple_place *place)
{
	uint64_t bias;

	if (variable_reference(at->variable))
		return EXPR_POINTER;
	variable_simple_place(at->variable, place);
	switch (place->kind) {
	case SIMPLE_VALUE:
	case SIMPLE_MEMORY:
		break;
	case SIMPLE_THREAD_LOCAL:
		return EXPR_THREAD_LOCAL;
	case SIMPLE_GONE:
		return EXPR_GONE;
	case SIMPLE_UNSAFE:
		return EXPR_FRAME;
	case SIMPLE_NOT:
		return EXPR_SCATTERED;
	}
	if (!place->is_biased)
		return EXPR_COMPILED;
	CHECK(find_bias(compiler, at->file, &bias));
	place->offset += bias;
	return EXPR_COMPILED;
}

enum expr_refusal compile_address(struct compiler *compiler,
				  const struct instruction *at)
{
	struct entry *entry;

	CHECK(push(compiler));
	entry = top(compiler);
	entry->kind = ENTRY_PLACE;
	return find_place(compiler, at, &entry->place);
}

/* Compile the reading of a variable, as variable_read() does it. */
enum expr_refusal compile_variable(struct compiler *compiler,
				   const struct instruction *at)
{
	static const struct bits none = {0};
	struct debugtype *type = variable_debugtype(at->variable);
	struct entry *entry;

	CHECK(check_type(at->type));
	switch (debugtype_kind(type)) {
	case DEBUGTYPE_BOOL:
	case DEBUGTYPE_INTEGER:
	case DEBUGTYPE_CHARACTER:
	case DEBUGTYPE_ENUM:
	case DEBUGTYPE_POINTER:
		break;
	default:
		return EXPR_SCATTERED;
	}
	CHECK(compile_address(compiler, at));
	entry = top(compiler);
	CHECK(entry_load(entry, debugtype_size(type), debugtype_is_signed(type),
			 &none));
	if (debugtype_kind(type) == DEBUGTYPE_BOOL)
		return entry_truth(entry);
	if (type_size(at->type) == debugtype_size(type) &&
	    (type_is_pointer(at->type) ||
	     (at->type.class == TYPE_INTEGER &&
	      at->type.is_signed == debugtype_is_signed(type))))
		return EXPR_COMPILED;
	return entry_convert(entry, type_unsigned_long, at->type);
}

void mark_registers(struct compiler *compiler)
{
	struct user_regs_struct *marked = &compiler->marked;

	memset(marked, 0, sizeof(*marked));
	for (unsigned i = 0; i < 16; i++)
		arch_dwarf_set_register(i, marked, i + 1);
	marked->rip = compiler->bound->address + compiler->input->reader.bias;
}

static enum expr_refusal push_marked(struct compiler *compiler, uint64_t mark)
{
	struct fast_step step = {.operation = FAST_REGISTER,
				 .reg = fast_register((unsigned)mark - 1)};

	if (mark < 1 || mark > 16)
		return EXPR_REGISTER;
	CHECK(push(compiler));
	top(compiler)->kind = ENTRY_PROGRAM;
	fast_add(&top(compiler)->program, step);
	return EXPR_COMPILED;
}

/* How far from an address with CAN_READ a place may be. (A thread's stack is
 * there below rsp as far as the red zone of the ABI.) */
#define READ_BEFORE 128
#define READ_AFTER 65536

static enum expr_refusal push_readable(struct compiler *compiler, bool is_stack,
				       uint64_t address)
{
	struct entry *entry;

	CHECK(push(compiler));
	entry = top(compiler);
	entry->kind = ENTRY_PLACE;
	entry->place = (struct simple_place){.kind = SIMPLE_MEMORY,
					     .has_register = is_stack,
					     .reg = RSP,
					     .offset = address,
					     .before = READ_BEFORE,
					     .after = READ_AFTER};
	return EXPR_COMPILED;
}

enum expr_refusal compile_register(struct compiler *compiler,
				   const struct instruction *at)
{
	size_t first = at->reg.offset % 8;
	struct arch_register whole = {
		.offset = (uint8_t)(at->reg.offset - first), .size = 8};
	struct fast_step step = {.operation = FAST_RIGHT, .number = first * 8};

	if (at->under == CAN_READ)
		return push_readable(compiler, true, 0);
	if (whole.offset == offsetof(struct user_regs_struct, rip)) {
		CHECK(push(compiler));
		entry_constant(top(compiler), compiler->marked.rip);
	} else {
		CHECK(push_marked(
			compiler,
			arch_register_read(&whole, &compiler->marked)));
	}
	if (first)
		CHECK(entry_unary(top(compiler), step));
	return entry_convert(top(compiler), type_unsigned_long, at->type);
}

enum expr_refusal compile_function(struct compiler *compiler,
				   const struct instruction *at)
{
	uint64_t bias;

	CHECK(find_bias(compiler, at->file, &bias));
	if (at->under == CAN_READ)
		return push_readable(compiler, false, at->number.u + bias);
	CHECK(push(compiler));
	return entry_constant(top(compiler), at->number.u + bias);
}

enum expr_refusal compile_argument(struct compiler *compiler,
				   const struct instruction *at)
{
	return push_marked(compiler, arch_argument(&compiler->marked,
						   (unsigned)at->number.u));
}

enum expr_refusal compile_return_value(struct compiler *compiler)
{
	return push_marked(compiler, arch_return_value(&compiler->marked));
}

enum expr_refusal compile_goroutine(struct compiler *compiler,
				    const struct instruction *at)
{
	const struct bound_expr *bound = compiler->bound;

	if (!debugfile_go_has_begun(bound->file, bound->address))
		return EXPR_GOROUTINE;
	CHECK(push(compiler));
	top(compiler)->kind = ENTRY_PROGRAM;
	goroutine_id_program(at->go, &top(compiler)->program);
	return EXPR_COMPILED;
}

enum expr_refusal compile_caller(struct compiler *compiler,
				 const struct instruction *at)
{
	const struct caller_place *caller = &at->caller;
	struct fast_step step = {.operation = FAST_FRAME,
				 .number = (uint64_t)caller->cfa.offset -
					   sizeof(uint64_t)};

	CHECK(push(compiler));
	if (caller->frame)
		return entry_constant(top(compiler), compiler->marked.rip);
	if (!caller->has_cfa || caller->cfa.reg > 15)
		return EXPR_FRAME;
	step.reg = fast_register(caller->cfa.reg);
	top(compiler)->kind = ENTRY_PROGRAM;
	fast_add(&top(compiler)->program, step);
	return EXPR_COMPILED;
}
