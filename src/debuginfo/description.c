/*
 * description.c - describes in a line which symbols and debug information a
 * file has
 */
#include <stdlib.h>
#include <string.h>

#include "debuginfo/dwarf/dwarf.h"
#include "debuginfo/elf/elf.h"
#include "perftool/base/str.h"
#include "perftool/debuginfo/go_program.h"

/* If dwz has moved a part of the debug information to a file that several
 * programs share, and this file is missing or of another build, say so. */
static void describe_shared(struct debugfile *file, struct str *out)
{
	const char *name = file_shared_name(file);
	const char *mismatch;

	if (!name || file_shared_source(file))
		return;
	mismatch = file->dwarf->shared_mismatch;
	str_printf(out, ", but %s, which has a part of it, is %s",
		   mismatch ? mismatch : name,
		   mismatch ? "of another build" : "missing");
}

static void describe_split(struct debugfile *file, struct str *out)
{
	struct split_facts facts;

	file_split_facts(file, &facts);
	if (!facts.missing)
		return;
	str_printf(out, ", but %zu of %zu .dwo files %s missing (first: %s",
		   facts.missing, facts.count, facts.missing > 1 ? "are" : "is",
		   facts.first ? facts.first : "one without a name");
	if (facts.mismatch)
		str_printf(out, "; %s is of another build", facts.mismatch);
	str_append(out, ")");
}

static void describe_dwarf(struct debugfile *file, struct str *out)
{
	const struct unit *unit = unit_with_header(file, 0);

	str_append(out, "debug information");
	if (unit)
		str_printf(out, " (DWARF %u)", unit->version);
	else
		str_append(out, " that cannot be read (damaged, or compressed "
				"in a way that libelf does not know)");
	if (file->facts.debug_path)
		str_printf(out, " in %s", file->facts.debug_path);
	describe_shared(file, out);
	describe_split(file, out);
}

static void describe_missing(struct debugfile *file, struct str *out)
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
	if (!file->facts.has_symtab && debugfile_go(file))
		str_append(
			out,
			"; it was stripped, or linked with -ldflags=-s; build "
			"it with -ldflags=-w to keep the functions' names");
	package = package_with_debuginfo(
		root, whole && !*root ? whole : file->path + strlen(root));
	if (package)
		str_printf(out, "; Debian's package %s has it", package);
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
