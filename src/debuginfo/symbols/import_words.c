/*
 * import_words.c - the words through which the file calls a function
 *
 * They belong to the global offset table. Each has a relocation, with the name
 * of the function.
 */
#include <stdlib.h>

#include "debuginfo/elf/elf.h"
#include "patterns.h"
#include "perftool/base/alloc.h"
#include "perftool/base/str.h"

struct search {
	struct pattern pattern;
	const char *text;
	bool exact;
	struct address_list *out;
};

static bool is_named(const struct search *search, const char *name)
{
	if (search->exact || str_equal(name, search->text))
		return str_equal(name, search->text);
	return (search->pattern.glob &&
		pattern_matches_linked(&search->pattern, name)) ||
	       (str_starts(name, "_Z") &&
		pattern_matches_mangled(&search->pattern, name));
}

static bool visit(void *context, const struct relocation *relocation)
{
	const struct relocations *of = relocation->of;
	const struct search *search = context;
	CLEANUP(free_pointer) char *name = NULL;
	Elf64_Sym symbol;

	if ((relocation->type != R_X86_64_JUMP_SLOT &&
	     relocation->type != R_X86_64_GLOB_DAT) ||
	    !relocation_symbol(relocation, &symbol))
		return true;
	name = image_read_string(of->image, of->strings + symbol.st_name);
	if (name && is_named(search, name))
		vec_push(search->out, relocation->address);
	return true;
}

void debugfile_import_words(struct debugfile *file, const char *pattern,
			    bool exact, struct address_list *out)
{
	struct search search = {.text = pattern, .exact = exact, .out = out};
	struct relocations relocations;

	pattern_init(&search.pattern, pattern);
	relocations_find(&file->image, &relocations);
	relocations_each(&relocations, visit, &search);
	pattern_deinit(&search.pattern);
}
