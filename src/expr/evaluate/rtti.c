/*
 * rtti.c - run-time type information: where the virtual bases of an object are,
 * and what class the object has
 *
 * The format is that of the Itanium C++ ABI (2.5.2, 2.9). An object with
 * virtual functions or virtual bases begins with a pointer into the table of
 * its class. The word of the table directly before the address in this pointer
 * points to the std::type_info, whose second word points to the mangled name of
 * the class. The word of the table before that word is the offset from the
 * object to the complete object, which the object is a part of.
 */
#include <stdlib.h>
#include <string.h>

#include "base_class.h"
#include "perftool/base/alloc.h"
#include "perftool/base/str.h"
#include "perftool/debuginfo/frame_rules.h"
#include "rtti.h"
#include "target_memory.h"

#define MAX_NAME 4096

struct error *dynamic_base(const struct instruction *at,
			   const struct expr_input *input, union number *top)
{
	uint64_t offset;
	struct error *error;

	if (!top->u) /* a null pointer stays null */
		return NULL;
	error = debugtype_virtual_offset(at->type.of, at->number.u,
					 &input->reader, top->u, &offset);
	if (error)
		return error_prefix(error, "column %zu: '%s'", at->node->column,
				    at->node->text ? at->node->text : "*");
	top->u += offset;
	return NULL;
}

/*
 * Find the complete object that the object at `address` is a part of, and the
 * name of its class, which the caller frees.
 */
static bool read_class(const struct frame_reader *reader, uint64_t address,
		       uint64_t *whole, char **name)
{
	CLEANUP(free_pointer) char *symbol = NULL, *demangled = NULL;
	uint64_t table, words[2], text;
	uint8_t mangled[MAX_NAME];
	const char *prefix = "typeinfo name for ";
	size_t length;

	if (!frame_read(reader, address, &table, sizeof(table)) ||
	    !frame_read(reader, table - sizeof(words), words, sizeof(words)) ||
	    !frame_read(reader, words[1] + 8, &text, sizeof(text)) ||
	    !memory_read_string(reader, text, sizeof(mangled), mangled,
				&length) ||
	    !length || length == sizeof(mangled))
		return false;
	*whole = address + words[0];
	/* if the class is local to its file, the name begins with a star */
	symbol = xasprintf("_ZTS%s", (char *)mangled + (*mangled == '*'));
	demangled = debuginfo_demangle(symbol);
	if (!str_starts(demangled, prefix))
		return false;
	*name = xstrdup(demangled + strlen(prefix));
	return true;
}

/*
 * Find the part of the wanted class in the complete object at `whole`, whose
 * class has the name `name`.
 */
static struct error *find_in(const struct instruction *at, const char *name,
			     const struct frame_reader *reader, uint64_t whole,
			     uint64_t *out, bool *found)
{
	struct debugtype *wanted = debugtype_plain(at->type.of);
	struct debugtype *class;
	struct base_found base;
	struct error *error = NULL;

	*found = str_equal(debugtype_name(wanted), name);
	*out = whole;
	if (*found || !at->file)
		return NULL;
	class = debugfile_find_type(at->file, UINT64_MAX, name);
	if (!class)
		return NULL;
	find_base(class, wanted, &base);
	*found = base.count == 1;
	if (*found)
		error = path_follow(&base.path, reader, whole, out);
	base_found_deinit(&base);
	return error;
}

struct error *dynamic_cast_of(const struct instruction *at,
			      const struct expr_input *input, union number *top)
{
	const struct frame_reader *reader = &input->reader;
	CLEANUP(free_pointer) char *name = NULL;
	uint64_t whole, address = top->u;
	struct error *error;
	bool found;

	if (!address)
		return NULL;
	if (!read_class(reader, address, &whole, &name))
		return error_create(ERROR_EVALUATE,
				    "column %zu: perftool finds no run-time "
				    "type information in the object at 0x%lx: "
				    "the pointer is wrong, the object is not "
				    "constructed or is destroyed, or its class "
				    "was compiled with -fno-rtti",
				    at->node->column, (unsigned long)address);
	if (at->type.class == TYPE_VOID) {
		top->u = whole;
		return NULL;
	}
	error = find_in(at, name, reader, whole, &address, &found);
	if (error)
		return error_prefix(error, "column %zu", at->node->column);
	if (!found && at->number.u == DYNAMIC_OR_ERROR)
		return error_create(ERROR_EVALUATE,
				    "column %zu: the cast fails: the object is "
				    "of class %s, in which perftool finds no "
				    "base class %s, or several",
				    at->node->column, name,
				    debugtype_name(at->type.of));
	top->u = found ? address : 0;
	return NULL;
}
