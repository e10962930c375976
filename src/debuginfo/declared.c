/* declared.c - see declared.h */
#include "declared.h"

#include "debugtype.h"
#include "globals.h"
#include "perftool/base/alloc.h"
#include "perftool/base/str.h"
#include "split.h"

struct search {
	struct debugfile *file;
	const char *name;
	struct die *out;
	bool found;
};

static bool match(void *context, const struct die *die, const char *name)
{
	struct search *search = context;
	struct attribute attribute;

	if (!str_equal(name, search->name) ||
	    !die_attribute(search->file, die, DW_AT_declaration, &attribute))
		return true;
	*search->out = *die;
	search->found = true;
	return false;
}

bool declared_find(struct debugfile *file, struct unit *unit, const char *name,
		   struct die *out)
{
	struct search search = {.file = file, .name = name, .out = out};

	unit_each_global(file, unit, match, &search);
	return search.found;
}

struct debugtype *debugfile_declared_type(struct debugfile *file,
					  const char *name)
{
	const struct source *source = file_dwarf(file)->main;
	struct die die;

	for (size_t i = 0; i < source->unit_count; i++) {
		struct unit *unit = unit_whole(file, &source->units[i]);

		if (unit->type != DW_UT_type &&
		    declared_find(file, unit, name, &die))
			return debugtype_of(file, &die);
	}
	return NULL;
}

char *declared_symbol(struct debugfile *file, const struct die *die)
{
	struct attribute attribute;
	const char *name;

	if (!die_attribute(file, die, DW_AT_declaration, &attribute) &&
	    /* a static member, before DWARF 5 */
	    die_tag(die) != DW_TAG_member)
		return NULL;
	name = die_linkage_name(file, die);
	return name ? xstrdup(name) : NULL;
}
