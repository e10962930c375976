/*
 * libdwarf_elf.h - the code and the symbols of a file, as libelf reads them
 */
#ifndef LIBDWARF_ELF_H
#define LIBDWARF_ELF_H

#include <gelf.h>

#include "libdwarf_lists.h"

static inline void oracle_read_symbols(struct oracle *oracle, Elf *elf)
{
	for (Elf_Scn *scn = NULL; (scn = elf_nextscn(elf, scn));) {
		GElf_Shdr header;
		Elf_Data *data;

		assert_non_null(gelf_getshdr(scn, &header));
		if (header.sh_type != SHT_SYMTAB &&
		    header.sh_type != SHT_DYNSYM)
			continue;
		data = elf_getdata(scn, NULL);
		if (!data || !data->d_buf)
			continue;
		for (int i = 1; (size_t)i < header.sh_size / header.sh_entsize;
		     i++) {
			const char *name;
			char *plain;
			GElf_Sym sym;

			assert_non_null(gelf_getsym(data, i, &sym));
			name = elf_strptr(elf, header.sh_link, sym.st_name);
			if (!name || !*name || sym.st_shndx == SHN_UNDEF ||
			    !range_list_has(&oracle->code, sym.st_value) ||
			    (GELF_ST_TYPE(sym.st_info) != STT_FUNC &&
			     GELF_ST_TYPE(sym.st_info) != STT_GNU_IFUNC))
				continue;
			plain = xstrndup(name, strcspn(name, "@"));
			vec_push(&oracle->symbols,
				 (struct oracle_symbol){
					 sym.st_value, sym.st_size,
					 oracle_keep(oracle, plain)});
			free(plain);
		}
	}
}

static inline void oracle_read_elf(struct oracle *oracle, const char *path,
				   bool program)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	size_t count;
	Elf *elf;

	assert_true(fd >= 0);
	assert_int_not_equal(elf_version(EV_CURRENT), EV_NONE);
	elf = elf_begin(fd, ELF_C_READ, NULL);
	assert_non_null(elf);
	assert_int_equal(elf_getphdrnum(elf, &count), 0);
	for (int i = 0; program && (size_t)i < count; i++) {
		GElf_Phdr header;

		assert_non_null(gelf_getphdr(elf, i, &header));
		if (header.p_type == PT_LOAD && header.p_flags & PF_X)
			vec_push(&oracle->code,
				 (struct range){header.p_vaddr,
						header.p_vaddr +
							header.p_memsz});
	}
	oracle_read_symbols(oracle, elf);
	elf_end(elf);
	close(fd);
}

#endif
