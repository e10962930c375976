/*
 * probe_argument.c - binds `$arg1`, `$arg2` and so on at a static probe: the
 * note of the probe says in which register, where in memory or which constant
 * each of them is
 */
#include "binder.h"

#include <ctype.h>
#include <stdlib.h>

#include "perftool/base/str.h"
#include "perftool/debuginfo/debug_variables.h"

#define DWARF_XMM0 17 /* the DWARF number of xmm0 */

static struct error *no_argument(const struct node *node,
				 const struct static_probe *probe)
{
	unsigned count = probe_argument_count(probe->arguments);

	return error_create(ERROR_NOT_FOUND,
			    "column %zu: '%s': the probe %s:%s has %u "
			    "argument%s",
			    node->column, node->text, probe->provider,
			    probe->name, count, count == 1 ? "" : "s");
}

static struct error *not_understood(const struct node *node,
				    const struct static_probe *probe)
{
	return error_create(ERROR_USAGE,
			    "column %zu: '%s': perftool cannot tell where this "
			    "argument is, in \"%s\"",
			    node->column, node->text, probe->arguments);
}

/* Push a register. A register that is wider than the value has it in its low
 * bytes. */
static bool push_register(struct binder *binder, const struct node *node,
			  const char *name, struct type type)
{
	struct arch_register reg;

	if (type_is_float(type) || !arch_register_find(name, &reg) ||
	    reg.size < type.size)
		return false;
	reg.size = (uint8_t)type.size;
	emit(binder, CODE_REGISTER, node, type)->reg = reg;
	return true;
}

/* Push the number in a vector register, as the compiler passes one of floating
 * point: xmm0 to xmm15. */
static bool push_vector(struct binder *binder, const struct node *node,
			const char *name, struct type type)
{
	unsigned number;
	char *end;

	if (!str_starts(name, "xmm") || !isdigit((unsigned char)name[3]))
		return false;
	number = (unsigned)strtoul(name + 3, &end, 10);
	if (*end || number > 15 || !arch_is_dwarf_vector(DWARF_XMM0 + number))
		return false;
	emit(binder, CODE_VECTOR, node, type)->number.u = DWARF_XMM0 + number;
	return true;
}

/* Push a register that is a part of an address. The stack can be read where the
 * compiler has put an argument. */
static bool push_part(struct binder *binder, const struct node *node,
		      const char *name)
{
	if (!push_register(binder, node, name, type_unsigned_long))
		return false;
	if (str_equal(name, "rsp"))
		binder->bound->code.data[binder->bound->code.count - 1].under =
			CAN_READ;
	return true;
}

/* Push the address of a symbol. */
static bool push_symbol(struct binder *binder, const struct node *node,
			const char *name)
{
	struct debugfile *file = binder->place->file;
	struct instruction *instruction;
	struct data_symbol symbol;

	if ((!debugfile_find_data(file, name, DATA_GLOBAL, &symbol) &&
	     !debugfile_find_data(file, name, DATA_LOCAL, &symbol)) ||
	    symbol.is_thread_local)
		return false;
	instruction = emit(binder, CODE_FUNCTION, node, type_unsigned_long);
	instruction->number.u = symbol.address;
	instruction->under = CAN_READ;
	return true;
}

/* Push what the address begins with: a symbol, a register, or nothing. */
static bool push_base(struct binder *binder, const struct node *node,
		      const struct probe_argument *argument)
{
	bool is_relative = str_equal(argument->base, "rip");

	if (argument->symbol[0])
		return (is_relative || !argument->base[0]) &&
		       push_symbol(binder, node, argument->symbol);
	if (is_relative)
		return false;
	if (argument->base[0])
		return push_part(binder, node, argument->base);
	emit(binder, CODE_PUSH, node, type_unsigned_long)->number.u = 0;
	return true;
}

static struct error *push_address(struct binder *binder,
				  const struct node *node,
				  const struct static_probe *probe,
				  const struct probe_argument *argument)
{
	if (!push_base(binder, node, argument))
		return not_understood(node, probe);
	if (!argument->index[0])
		return NULL;
	TRY(push(binder, node));
	if (!push_part(binder, node, argument->index))
		return not_understood(node, probe);
	emit(binder, CODE_SCALE, node, type_long)->number.i = argument->scale;
	emit(binder, CODE_ADD, node, type_unsigned_long);
	binder->stack--;
	return NULL;
}

/* The constant as a value of this type has it. */
static uint64_t constant(const struct probe_argument *argument)
{
	const unsigned above = 64 - 8u * argument->size;
	const uint64_t bits = (uint64_t)argument->number << above;

	return argument->is_signed ? (uint64_t)((int64_t)bits >> above)
				   : bits >> above;
}

/* The type of the argument. Older versions of sys/sdt.h do not write the `f` of
 * a number of floating point; such a number is in a vector register. */
static bool argument_type(const struct probe_argument *argument,
			  struct type *out)
{
	bool is_float =
		argument->is_float || (argument->kind == PROBE_REGISTER &&
				       str_starts(argument->base, "xmm"));

	*out = (struct type){.class = TYPE_INTEGER,
			     .size = argument->size,
			     .is_signed = argument->is_signed};
	if (is_float)
		*out = argument->size == 4 ? type_float : type_double;
	return !is_float || (argument->kind != PROBE_CONSTANT &&
			     type_size(*out) == argument->size);
}

struct error *bind_probe_argument(struct binder *binder,
				  const struct node *node, unsigned index,
				  struct operand *out)
{
	const struct expr_place *place = binder->place;
	const struct static_probe *probe =
		debugfile_probe_at(place->file, place->address);
	struct probe_argument argument;

	if (index >= probe_argument_count(probe->arguments))
		return no_argument(node, probe);
	if (!probe_argument_parse(probe->arguments, index, &argument) ||
	    !argument_type(&argument, &out->type))
		return not_understood(node, probe);
	switch (argument.kind) {
	case PROBE_CONSTANT:
		emit(binder, CODE_PUSH, node, out->type)->number.u =
			constant(&argument);
		return NULL;
	case PROBE_REGISTER:
		return push_register(binder, node, argument.base, out->type) ||
				       push_vector(binder, node, argument.base,
						   out->type)
			       ? NULL
			       : not_understood(node, probe);
	case PROBE_MEMORY:
		out->is_place = true;
		out->offset = (uint64_t)argument.number;
		return push_address(binder, node, probe, &argument);
	}
	return NULL;
}
