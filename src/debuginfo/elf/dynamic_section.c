/*
 * dynamic_section.c - see dynamic_section.h
 */
#include "dynamic_section.h"

#include <elf.h>
#include <stdlib.h>

#include "perftool/base/alloc.h"
#include "perftool/debuginfo/debug_variables.h"

/* Get the value of the first entry of the dynamic section with this tag. False:
 * there is no such entry. */
static bool find(const struct image *image, int64_t tag, uint64_t *value)
{
	Elf64_Dyn entry;

	for (size_t i = 0; image_dynamic(image, i, &entry); i++) {
		if (entry.d_tag != tag)
			continue;
		*value = entry.d_un.d_val;
		return true;
	}
	return false;
}

bool dynamic_is_symbolic(const struct debugfile *file)
{
	uint64_t value;

	return find(&file->image, DT_SYMBOLIC, &value) ||
	       (find(&file->image, DT_FLAGS, &value) && (value & DF_SYMBOLIC));
}

void debugfile_each_needed(struct debugfile *file, debugfile_visit_fn *visit,
			   void *context)
{
	const struct image *image = &file->image;
	uint64_t strings;
	Elf64_Dyn entry;
	bool more = find(image, DT_STRTAB, &strings);

	for (size_t i = 0; more && image_dynamic(image, i, &entry); i++) {
		char *name;

		if (entry.d_tag != DT_NEEDED)
			continue;
		name = image_read_string(image, strings + entry.d_un.d_val);
		more = !name || visit(context, name);
		free(name);
	}
}

char *debugfile_library_path(struct debugfile *file)
{
	const struct image *image = &file->image;
	uint64_t strings, path;

	if (!find(image, DT_STRTAB, &strings) ||
	    (!find(image, DT_RUNPATH, &path) && !find(image, DT_RPATH, &path)))
		return NULL;
	return image_read_string(image, strings + path);
}
