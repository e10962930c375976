/*
 * describe.c - what is known of a file's insides, in a line
 */
#include <stdlib.h>
#include <string.h>

#include "dwarf.h"
#include "file.h"
#include "package.h"
#include "perftool/base/str.h"

static void describe_dwarf(struct debugfile *file, struct str *out)
{
	const struct dwarf *dwarf = file_dwarf(file);

	str_append(out, "debug information");
	if (dwarf->unit_count)
		str_printf(out, " (DWARF %u)", dwarf->units[0].version);
	else
		str_append(out, " that cannot be read (damaged, or compressed "
				"in a way that libelf does not know)");
	if (file->facts.debug_path)
		str_printf(out, " in %s", file->facts.debug_path);
}

static void describe_missing(const struct debugfile *file, struct str *out)
{
	char *whole = realpath(file->path, NULL);
	char *root = separate_root(file->path), *package;

	str_append(out, file->facts.has_symtab   ? "symbols"
			: file->facts.has_dynsym ? "exported names only"
						 : "no names");
	str_append(out, ", no debug information");
	if (file->facts.debug_mismatch)
		str_printf(out, " (%s is of another build)",
			   file->facts.debug_mismatch);
	package = package_with_debuginfo(
		root, whole && !*root ? whole : file->path + strlen(root));
	if (package)
		str_printf(out, "; Debian's package %s would bring it",
			   package);
	free(package);
	free(root);
	free(whole);
}

void debugfile_describe(struct debugfile *file, struct str *out)
{
	if (file->facts.has_dwarf)
		describe_dwarf(file, out);
	else
		describe_missing(file, out);
}
