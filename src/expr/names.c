/* names.c - see names.h */
#include "names.h"

#include <stdlib.h>
#include <string.h>

#include "perftool/base/alloc.h"
#include "perftool/base/str.h"

/* The candidate most like a word, among those that are like it at all. */
struct nearest {
	const char *word;
	char *name; /* owned; NULL: none yet */
	size_t distance;
};

static bool consider(void *context, const char *name)
{
	struct nearest *nearest = context;
	size_t length = strlen(nearest->word), distance;

	/* the distance is never less than the difference of the lengths */
	if (strlen(name) > length + nearest->distance)
		return true;
	distance = str_distance(nearest->word, name);
	if (distance < nearest->distance && distance < length) {
		free(nearest->name);
		nearest->name = xstrdup(name);
		nearest->distance = distance;
	}
	return true;
}

static void nearest_init(struct nearest *nearest, const char *word)
{
	/* a third of the letters may be wrong, but one always */
	*nearest = (struct nearest){
		.word = word,
		.distance = strlen(word) / 3 + 2,
	};
}

/* ERROR_NOT_FOUND, with the near name if any; lets go of `nearest`. */
static struct error *not_found(const struct node *node, const char *what,
			       struct nearest *nearest, const char *sigil)
{
	struct error *error;

	if (nearest->name)
		error = error_create(
			ERROR_NOT_FOUND,
			"column %zu: %s '%s'; is '%s%s' what was meant?",
			node->column, what, node->text, sigil, nearest->name);
	else
		error = error_create(ERROR_NOT_FOUND, "column %zu: %s '%s'",
				     node->column, what, node->text);
	free(nearest->name);
	return error;
}

static struct error *no_variable(const struct node *node,
				 const struct expr_place *place)
{
	struct arch_register reg;
	struct nearest nearest;

	if (arch_register_find(node->text, &reg))
		return error_create(ERROR_NOT_FOUND,
				    "column %zu: there is no variable '%s' "
				    "here; the register is '$%s'",
				    node->column, node->text, node->text);
	if (!debugfile_facts(place->file)->has_dwarf)
		return error_create(ERROR_NOT_FOUND,
				    "column %zu: there is no debug information "
				    "that could tell where '%s' is; $arg1 to "
				    "$arg6 are the arguments",
				    node->column, node->text);
	nearest_init(&nearest, node->text);
	debugfile_each_variable(place->file, place->address, consider,
				&nearest);
	return not_found(node, "there is no variable here that is called",
			 &nearest, "");
}

static struct error *no_special(const struct node *node)
{
	static const char *const names[] = {"pid",  "tid",  "ret",  "arg1",
					    "arg2", "arg3", "arg4", "arg5",
					    "arg6", "node", "pc",   "sp"};
	struct nearest nearest;

	nearest_init(&nearest, node->text + 1);
	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		consider(&nearest, names[i]);
	for (size_t i = 0; arch_register_names[i]; i++)
		consider(&nearest, arch_register_names[i]);
	return not_found(node, "there is no register or value called", &nearest,
			 "$");
}

/* The type of a variable as far as expressions know types. */
static bool variable_type(const struct variable *variable, struct type *type)
{
	unsigned size = variable_size(variable);
	bool whole = size == 1 || size == 2 || size == 4 || size == 8;
	const char *name = variable_type_name(variable);

	switch (variable_kind(variable)) {
	case VARIABLE_SIGNED:
	case VARIABLE_UNSIGNED:
		*type = (struct type){
			.class = TYPE_INTEGER,
			.size = (uint8_t)size,
			.is_signed = variable_kind(variable) == VARIABLE_SIGNED,
		};
		return whole;
	case VARIABLE_FLOAT:
		*type = type_double;
		type->size = (uint8_t)size;
		return size == 4 || size == 8 || size == 16;
	case VARIABLE_POINTER:
		if (!name || !type_from_name(name, type) ||
		    !type_is_pointer(*type))
			*type = type_unknown_pointer;
		return true;
	case VARIABLE_OTHER:
		return false;
	}
	return false;
}

struct error *name_bind_variable(const struct node *node,
				 const struct expr_place *place,
				 struct instruction *out)
{
	struct variable *variable;
	struct error *error;
	const char *type;

	if (!place->file)
		return error_create(ERROR_NOT_FOUND,
				    "column %zu: '%s' cannot be looked up: "
				    "the program is not known here; registers "
				    "($rax, $arg1) can be used",
				    node->column, node->text);
	error = debugfile_find_variable(place->file, place->address,
					place->at_entry, node->text, &variable);
	if (error && error_code(error) == ERROR_NOT_FOUND) {
		error_destroy(error);
		return no_variable(node, place);
	}
	if (error)
		return error_prefix(error, "column %zu: '%s'", node->column,
				    node->text);
	if (!variable_type(variable, &out->type)) {
		type = variable_type_name(variable);
		error = error_create(
			ERROR_USAGE,
			"column %zu: '%s' is of type '%s': arrays, structures, "
			"unions and what has more than 64 bits are not "
			"supported in this version",
			node->column, node->text, type ? type : "?");
		variable_destroy(variable);
		return error;
	}
	out->code = CODE_VARIABLE;
	out->variable = variable;
	return NULL;
}

/*
 * Registers have the types gdb gives them, so that `$ret < 0` and `$rax == -1`
 * mean what they say: signed, but for those that hold addresses.
 */
static bool bind_register(const char *name, struct instruction *out)
{
	static const struct {
		const char *name, *means;
	} aliases[] = {{"pc", "rip"}, {"sp", "rsp"}, {"fp", "rbp"}};
	static const char *const addresses[] = {"rip", "rsp", "rbp"};

	for (size_t i = 0; i < sizeof(aliases) / sizeof(*aliases); i++)
		if (str_equal(name, aliases[i].name))
			name = aliases[i].means;
	if (!arch_register_find(name, &out->reg))
		return false;
	out->code = CODE_REGISTER;
	out->type = (struct type){TYPE_INTEGER, out->reg.size, true, 0};
	for (size_t i = 0; i < sizeof(addresses) / sizeof(*addresses); i++)
		if (str_equal(name, addresses[i]))
			out->type.is_signed = false;
	return true;
}

struct error *name_bind_special(const struct node *node,
				const struct expr_place *place,
				struct instruction *out)
{
	const char *name = node->text + 1;

	if (str_equal(name, "pid") || str_equal(name, "tid")) {
		out->code = *name == 'p' ? CODE_PID : CODE_TID;
		out->type = type_int;
		return NULL;
	}
	if (str_equal(name, "ret")) {
		if (!place->at_exit)
			return error_create(
				ERROR_USAGE,
				"column %zu: '$ret' is known only where a "
				"function returns: `break exit FUNC`",
				node->column);
		out->code = CODE_RETURN_VALUE;
		out->type = type_long;
		return NULL;
	}
	if (str_starts(name, "arg") && name[3] >= '1' && name[3] <= '6' &&
	    !name[4]) {
		out->code = CODE_ARGUMENT;
		out->number.u = (uint64_t)(name[3] - '1');
		out->type = type_long;
		return NULL;
	}
	if (bind_register(name, out))
		return NULL;
	return no_special(node);
}
