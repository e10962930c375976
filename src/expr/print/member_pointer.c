/*
 * member_pointer.c - C++'s pointers to members, as gdb writes them
 *
 * The format is that of the Itanium C++ ABI, 2.3. A pointer to a data member is
 * the offset of the member; -1 is null. A pointer to a function is two words:
 * the address of the function, or 1 plus the offset of the function in the
 * table of virtual functions; and the number to add to `this`.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "part.h"
#include "perftool/base/alloc.h"
#include "perftool/base/str.h"

#define MAX_DEPTH 32

/*
 * The class in the name of a type `int ns::Class<a, b>::*`, for the caller to
 * free. NULL: the type is no pointer to a member. `*before` is the length of
 * the text before the class, `*behind` the text behind the `*`.
 */
static char *class_of(const char *name, int *before, const char **behind)
{
	const char *end = strstr(name, "::*"), *start;
	int depth = 0;

	/*
	 * of several `::*`, take the first that is not within the arguments of
	 * a template
	 */
	for (const char *at = name; end && at < end; at++) {
		depth += (*at == '<') - (*at == '>');
		if (at + 1 == end && depth > 0)
			end = strstr(end + 1, "::*");
	}
	if (!end)
		return NULL;
	*behind = end + strlen("::*");
	for (start = end, depth = 0; start > name; start--) {
		depth += (start[-1] == '>') - (start[-1] == '<');
		if (!depth && (start[-1] == ' ' || start[-1] == '('))
			break;
	}
	*before = (int)(start - name);
	return xstrndup(start, (size_t)(end - start));
}

/* Append the name of the member that begins at `offset` of the class. The
 * member may be in a base class. False: no member begins there. */
static bool append_member(struct str *out, struct debugtype *class,
			  uint64_t offset, int depth)
{
	const struct debugmember *members;
	size_t count;

	members = debugtype_members(class, &count);
	for (size_t i = 0; i < count && depth < MAX_DEPTH; i++) {
		const struct debugmember *at = &members[i];

		if (at->is_virtual || offset < at->offset)
			continue;
		if (at->is_base &&
		    offset - at->offset < debugtype_size(at->type) &&
		    append_member(out, at->type, offset - at->offset,
				  depth + 1))
			return true;
		if (at->name && !at->bit_size && offset == at->offset &&
		    !str_starts(at->name, "_vptr")) {
			str_printf(out, "&%s::%s",
				   debugtype_name(debugtype_plain(class)),
				   at->name);
			return true;
		}
	}
	return false;
}

static void append_function(const struct printer *printer, const char *type,
			    const int64_t words[2])
{
	struct str *out = printer->out;

	if (!words[0] && !words[1]) {
		str_append(out, "NULL");
		return;
	}
	if (words[0] & 1) {
		str_printf(out, "&virtual table offset %" PRId64, words[0] - 1);
	} else {
		str_printf(out, "(%s) ", type);
		format_address(printer, (uint64_t)words[0]);
	}
	if (words[1])
		str_printf(out, ", this adjustment %" PRId64, words[1]);
}

bool member_pointer_append(const struct printer *printer,
			   const struct part *part)
{
	const char *name = debugtype_name(debugtype_plain(part->type));
	size_t size = (size_t)debugtype_size(part->type);
	CLEANUP(free_pointer) char *class = NULL;
	struct debugtype *type;
	const char *behind;
	int64_t words[2];
	int before;

	class = class_of(name, &before, &behind);
	if (!class || !printer->file || (size != 16 && size != 8) ||
	    part_is_missing(part, size))
		return false;
	memcpy(words, part->bytes, size);
	if (size == 16) {
		CLEANUP(free_pointer)
		char *whole =
			xasprintf("%.*s(%s::*)%s", before, name, class, behind);

		append_function(printer, *behind == '(' ? whole : name, words);
		return true;
	}
	type = debugfile_find_type(printer->file, printer->address, class);
	if (words[0] == -1)
		str_append(printer->out, "NULL");
	else if (!type ||
		 !append_member(printer->out, type, (uint64_t)words[0], 0))
		str_printf(printer->out, "%" PRId64, words[0]);
	return true;
}
