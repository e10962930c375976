/*
 * special_variable.c - operands that begin with `$`: registers, arguments, the
 * returned value, the caller, the ids of process, thread and goroutine
 */
#include "binder.h"

#include <stdio.h>

#include "perftool/base/str.h"
#include "perftool/debuginfo/code_lines.h"
#include "perftool/debuginfo/debug_variables.h"
#include "perftool/debuginfo/frame_rules.h"
#include "perftool/debuginfo/go_program.h"
#include "suggestion.h"

static struct error *no_special(const struct node *node)
{
	static const char *const names[] = {"pid",  "tid",    "ret",    "arg1",
					    "arg2", "arg3",   "arg4",   "arg5",
					    "arg6", "node",   "pc",     "sp",
					    "g",    "caller", "retaddr"};
	struct suggestion suggestion;

	suggestion_init(&suggestion, node->text + 1);
	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		suggestion_consider(&suggestion, names[i]);
	for (size_t i = 0; arch_register_names[i]; i++)
		suggestion_consider(&suggestion, arch_register_names[i]);
	return suggestion_not_found(
		node, "there is no register or value called", &suggestion, "$");
}

static const char *without_alias(const char *name)
{
	static const struct {
		const char *name, *means;
	} aliases[] = {{"pc", "rip"}, {"sp", "rsp"}, {"fp", "rbp"}};

	for (size_t i = 0; i < sizeof(aliases) / sizeof(*aliases); i++)
		if (str_equal(name, aliases[i].name))
			return aliases[i].means;
	return name;
}

enum form special_form(const char *name)
{
	name = without_alias(name + 1);
	if (str_equal(name, "caller"))
		return FORM_CALLER;
	if (str_equal(name, "rip"))
		return FORM_CODE;
	if (str_equal(name, "rsp") || str_equal(name, "rbp"))
		return FORM_STACK;
	return str_equal(name, "eflags") ? FORM_FLAGS : FORM_VALUE;
}

/*
 * Registers have the types that gdb gives them: they are signed, except those
 * that hold addresses. `$ret < 0` and `$rax == -1` then mean what the user
 * expects.
 */
static bool bind_register(const char *name, struct instruction *out)
{
	static const char *const addresses[] = {"rip", "rsp", "rbp"};

	name = without_alias(name);
	if (!arch_register_find(name, &out->reg))
		return false;
	out->code = CODE_REGISTER;
	out->type = (struct type){.class = TYPE_INTEGER,
				  .size = out->reg.size,
				  .is_signed = true};
	for (size_t i = 0; i < sizeof(addresses) / sizeof(*addresses); i++)
		if (str_equal(name, addresses[i]))
			out->type.is_signed = false;
	return true;
}

/*
 * Bind `$ret`, with the type of the returned value if the function's type is
 * known.
 */
static struct error *bind_return(struct binder *binder, const struct node *node,
				 struct operand *out)
{
	const struct expr_place *place = binder->place;
	struct variable *variable = NULL;
	struct error *error = NULL;

	if (!place->at_exit)
		return error_create(
			ERROR_USAGE,
			"column %zu: '$ret' is known only where a function "
			"returns: `break exit FUNC`",
			node->column);
	if (place->file)
		error = error_unless(debugfile_find_return(place->file,
							   place->address,
							   &variable),
				     ERROR_NOT_FOUND);
	if (error)
		return error_prefix(error, "column %zu: '$ret'", node->column);
	if (variable) {
		bind_variable(binder, node, variable, out);
		return NULL;
	}
	out->type = type_long;
	emit(binder, CODE_RETURN_VALUE, node, out->type);
	return NULL;
}

/* Bind `$pid`, `$tid`, `$arg1` and the like, or a register. */
static bool bind_number(const char *name, struct instruction *out)
{
	if (str_equal(name, "pid") || str_equal(name, "tid")) {
		out->code = *name == 'p' ? CODE_PID : CODE_TID;
		out->type = type_int;
		return true;
	}
	if (str_starts(name, "arg") && name[3] >= '1' && name[3] <= '6' &&
	    !name[4]) {
		out->code = CODE_ARGUMENT;
		out->number.u = (uint64_t)(name[3] - '1');
		out->type = type_long;
		return true;
	}
	return bind_register(name, out);
}

/*
 * The Go runtime of the place's own file or, if that is a library, of the
 * program.
 */
static const struct go_runtime *find_runtime(const struct expr_place *place)
{
	const struct expr_modules *modules = &place->modules;
	const struct go_runtime *go =
		place->file ? debugfile_go(place->file) : NULL;
	struct debugfile *const *files;

	if (!go && modules->files && modules->files(modules->context, &files))
		go = debugfile_go(files[0]);
	return go;
}

static struct error *bind_goroutine(struct binder *binder,
				    const struct node *node,
				    struct operand *out)
{
	const struct go_runtime *go = find_runtime(binder->place);

	if (!go)
		return error_create(ERROR_USAGE,
				    "column %zu: '$g' is the goroutine of a Go "
				    "program, and this is not a Go program",
				    node->column);
	if (binder->place->no_code)
		return error_create(ERROR_USAGE,
				    "column %zu: '$g': the program is not "
				    "being run",
				    node->column);
	if (!go->has_slot)
		return error_create(
			ERROR_USAGE,
			"column %zu: '$g': perftool cannot find where the Go "
			"runtime keeps it; build the program with its symbols",
			node->column);
	out->type = type_unsigned_long;
	emit(binder, CODE_GOROUTINE, node, out->type)->go = go;
	return NULL;
}

/* Is the place in an inlined call? Its caller is then the next source frame. */
static bool is_in_inlined_call(const struct expr_place *place)
{
	struct source_frame_list frames = {0};
	bool is_inlined;

	/* The instructions at the beginning and at the end of a function may
	 * belong to a call that was inlined into it. */
	if (place->at_entry || place->at_exit || !place->file)
		return false;
	debugfile_source_frames(place->file, place->address, place->inlined,
				&frames);
	is_inlined = frames.count && frames.data[0].inlined;
	source_frames_clear(&frames);
	return is_inlined;
}

static void find_caller(const struct expr_place *place,
			struct caller_place *out)
{
	*out = (struct caller_place){.frame = 0};
	if (is_in_inlined_call(place)) {
		out->frame = place->inlined + 1;
	} else if (place->at_entry || place->at_exit) {
		/* The return address is on top of the stack. */
		out->has_cfa = true;
		out->cfa = (struct cfa_rule){.reg = 7, .offset = 8};
	} else if (place->file) {
		out->has_cfa = debugfile_cfa_rule(place->file, place->address,
						  &out->cfa);
	}
}

static struct error *bind_caller(struct binder *binder, const struct node *node,
				 struct operand *out)
{
	struct caller_place caller;

	if (binder->place->no_code)
		return error_create(ERROR_USAGE,
				    "column %zu: '$caller': the program is not "
				    "being run",
				    node->column);
	find_caller(binder->place, &caller);
	out->type = type_void_pointer;
	emit(binder, CODE_CALLER, node, out->type)->caller = caller;
	emit(binder, CODE_CALLING, node, out->type)->caller = caller;
	return NULL;
}

/* `$retaddr` is the address to which the frame of the code returns. If a call
 * is inlined there, that is the frame of the function around it. */
static struct error *bind_return_address(struct binder *binder,
					 const struct node *node,
					 struct operand *out)
{
	const struct expr_place *place = binder->place;
	struct caller_place caller = {.frame = 0};

	if (place->no_code)
		return error_create(ERROR_USAGE,
				    "column %zu: '$retaddr': the program is "
				    "not being run",
				    node->column);
	if (place->at_entry || place->at_exit) {
		caller.has_cfa = true;
		caller.cfa = (struct cfa_rule){.reg = 7, .offset = 8};
	} else if (place->file) {
		caller.has_cfa = debugfile_cfa_rule(place->file, place->address,
						    &caller.cfa);
	}
	out->type = type_void_pointer;
	emit(binder, CODE_CALLER, node, out->type)->caller = caller;
	return NULL;
}

/* Is it $arg1 to $arg12? `*index` gets the number, from 0. */
static bool is_argument(const char *name, unsigned *index)
{
	unsigned number = 0;
	int length = 0;

	if (sscanf(name, "arg%2u%n", &number, &length) != 1 || name[length] ||
	    name[3] == '0' || number < 1 || number > 12)
		return false;
	*index = number - 1;
	return true;
}

struct error *bind_special(struct binder *binder, const struct node *node,
			   struct operand *out)
{
	struct instruction instruction = {.node = node};
	const char *name = node->text + 1;
	unsigned index;

	TRY(push(binder, node));
	if (binder->place->at_probe && is_argument(name, &index))
		return bind_probe_argument(binder, node, index, out);
	if (str_equal(name, "ret"))
		return bind_return(binder, node, out);
	if (str_equal(name, "g"))
		return bind_goroutine(binder, node, out);
	if (str_equal(name, "caller"))
		return bind_caller(binder, node, out);
	if (str_equal(name, "retaddr"))
		return bind_return_address(binder, node, out);
	if (!bind_number(name, &instruction))
		return no_special(node);
	if (instruction.code == CODE_ARGUMENT && binder->place->at_exit)
		return error_create(
			ERROR_USAGE,
			"column %zu: '%s' is known only where a function "
			"begins: `break entry FUNC`; its register may hold "
			"something else where it returns",
			node->column, node->text);
	if (binder->place->no_code)
		return error_create(ERROR_USAGE,
				    "column %zu: '%s': the program is not "
				    "being run",
				    node->column, node->text);
	vec_push(&binder->bound->code, instruction);
	out->type = instruction.type;
	return NULL;
}
