/*
 * symbol_versions.c - finds the versions of a library's symbols, such as
 * memcpy@GLIBC_2.2.5 and memcpy@@GLIBC_2.14
 *
 * .gnu.version has a version number for each symbol of .dynsym. .gnu.version_d
 * has the names of the versions that the file defines (LSB, "Symbol
 * Versioning").
 */
#include <elf.h>
#include <string.h>

#include "dynamic_symbols.h"
#include "perftool/base/str.h"

#define HIDDEN 0x8000u /* flag: not the default version of the symbol */

/* The number of the version `name` if the file defines it; else 0. */
static unsigned number_of(const struct dynamic *versions, const char *name)
{
	uint64_t offset = 0;

	/* The loop ends, even in a broken file, because each entry is at least
	 * one byte behind the previous entry. */
	for (;;) {
		struct bytes bytes = versions->definitions;
		Elf64_Verdaux first;
		Elf64_Verdef entry;
		const char *text;

		if (offset > bytes.size || bytes.size - offset < sizeof(entry))
			return 0;
		memcpy(&entry, bytes.data + offset, sizeof(entry));
		if (entry.vd_aux <= bytes.size - offset &&
		    bytes.size - offset - entry.vd_aux >= sizeof(first)) {
			memcpy(&first, bytes.data + offset + entry.vd_aux,
			       sizeof(first));
			text = bytes_string(versions->strings, first.vda_name);
			/* A definition with the flag VER_FLG_BASE names the
			 * file itself. */
			if (text && str_equal(text, name) &&
			    !(entry.vd_flags & VER_FLG_BASE))
				return entry.vd_ndx;
		}
		if (!entry.vd_next)
			return 0;
		offset += entry.vd_next;
	}
}

bool debugfile_has_version(struct debugfile *file, const char *version)
{
	return number_of(file_dynamic(file), version) != 0;
}

bool debugfile_is_version(struct debugfile *file, uint64_t address,
			  const char *name, const char *version)
{
	const struct dynamic *versions = file_dynamic(file);
	unsigned wanted = number_of(versions, version);

	for (uint64_t i = 0;
	     wanted && (i + 1) * 2 <= versions->numbers.size &&
	     (i + 1) * sizeof(Elf64_Sym) <= versions->symbols.size;
	     i++) {
		const char *text;
		Elf64_Sym symbol;
		uint16_t number;

		memcpy(&number, versions->numbers.data + i * 2, 2);
		if ((number & ~HIDDEN) != wanted)
			continue;
		memcpy(&symbol, versions->symbols.data + i * sizeof(symbol),
		       sizeof(symbol));
		text = bytes_string(versions->strings, symbol.st_name);
		if (symbol.st_value == address && text && str_equal(text, name))
			return true;
	}
	return false;
}
