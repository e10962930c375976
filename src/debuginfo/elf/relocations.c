/* relocations.c - see relocations.h */
#include "relocations.h"

#include <stdlib.h>
#include <string.h>

#include "perftool/base/alloc.h"
#include "perftool/base/str.h"
#include "perftool/debuginfo.h"

#define BATCH 256

static void read_dynamic(const struct image *image, struct relocations *out)
{
	Elf64_Dyn entry;

	for (size_t i = 0; image_dynamic(image, i, &entry); i++) {
		switch (entry.d_tag) {
		case DT_RELA:
			out->rela = entry.d_un.d_ptr;
			break;
		case DT_RELASZ:
			out->rela_size = entry.d_un.d_val;
			break;
		case DT_JMPREL:
			out->jump = entry.d_un.d_ptr;
			break;
		case DT_PLTRELSZ:
			out->jump_size = entry.d_un.d_val;
			break;
		case DT_SYMTAB:
			out->symbols = entry.d_un.d_ptr;
			break;
		case DT_STRTAB:
			out->strings = entry.d_un.d_ptr;
			break;
		case DT_FLAGS_1:
			out->flags_1 = entry.d_un.d_val;
			break;
		case DT_SONAME:
			out->has_soname = true;
			break;
		default:
			break;
		}
	}
}

void relocations_find(const struct image *image, struct relocations *out)
{
	*out = (struct relocations){.image = image};
	read_dynamic(image, out);
	/* The startup code of a statically linked program applies the
	 * relocations. They are in a section of the type SHT_RELA that is
	 * loaded. */
	for (size_t i = 1;
	     !out->rela && !out->jump && i < image->sections.count; i++) {
		const struct section *section = &image->sections.data[i];

		if (section->type == SHT_RELA && section->address) {
			out->jump = section->address;
			out->jump_size = section->size;
		}
	}
}

static bool visit_table(const struct relocations *relocations, uint64_t address,
			uint64_t size,
			bool (*visit)(void *, const struct relocation *),
			void *context)
{
	const struct image *image = relocations->image;
	Elf64_Rela batch[BATCH];

	if (size > image->file_size)
		size = image->file_size;
	for (uint64_t at = 0; at + sizeof(*batch) <= size;) {
		size_t wanted = sizeof(batch), got;

		if (wanted > size - at)
			wanted = (size_t)(size - at);
		got = image_read(image, address + at, batch, wanted) /
		      sizeof(*batch);
		if (!got)
			break;
		for (size_t i = 0; i < got; i++) {
			struct relocation relocation = {
				.address = batch[i].r_offset,
				.type = (unsigned)ELF64_R_TYPE(batch[i].r_info),
				.addend = (uint64_t)batch[i].r_addend,
				.symbol = ELF64_R_SYM(batch[i].r_info),
				.of = relocations,
			};

			if (!visit(context, &relocation))
				return false;
		}
		at += got * sizeof(*batch);
	}
	return true;
}

void relocations_each(const struct relocations *relocations,
		      bool (*visit)(void *, const struct relocation *),
		      void *context)
{
	if (visit_table(relocations, relocations->rela, relocations->rela_size,
			visit, context))
		visit_table(relocations, relocations->jump,
			    relocations->jump_size, visit, context);
}

bool relocation_symbol(const struct relocation *relocation, Elf64_Sym *out)
{
	const struct relocations *of = relocation->of;

	return relocation->symbol &&
	       image_read(of->image,
			  of->symbols + relocation->symbol * sizeof(*out), out,
			  sizeof(*out)) == sizeof(*out);
}

bool relocation_is_of(const struct relocation *relocation, const char *name)
{
	const struct relocations *of = relocation->of;
	size_t length = strlen(name) + 1;
	char text[256];
	Elf64_Sym symbol;

	return relocation_symbol(relocation, &symbol) &&
	       length <= sizeof(text) &&
	       image_read(of->image, of->strings + symbol.st_name, text,
			  length) == length &&
	       memcmp(text, name, length) == 0;
}
