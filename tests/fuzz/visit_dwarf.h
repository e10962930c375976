/*
 * visit_dwarf.h - bytes as the sections of debug information of a sound file
 *
 * The input is the sections, one after the other, each with its number and its
 * size before it: so that no byte is spent on ELF headers.
 */
#ifndef VISIT_DWARF_H
#define VISIT_DWARF_H

#include <elf.h>

#include "visit_file.h"

static const char *const section_names[] = {
	".debug_info",
	".debug_abbrev",
	".debug_str",
	".debug_line",
	".debug_line_str",
	".debug_aranges",
	".debug_ranges",
	".debug_rnglists",
	".debug_loc",
	".debug_loclists",
	".debug_addr",
	".debug_str_offsets",
	".debug_frame",
	".eh_frame",
	".symtab",
	".strtab",
	".debug_types",
	".debug_info.dwo",
	".debug_abbrev.dwo",
	".debug_str.dwo",
	".debug_str_offsets.dwo",
	".debug_loc.dwo",
	".debug_loclists.dwo",
	".debug_rnglists.dwo",
	".debug_line.dwo",
	".debug_types.dwo",
	".debug_cu_index",
	".debug_tu_index",
	".gnu_debugaltlink",
	".debug_sup",
	".note.gnu.build-id",
	".gnu_debuglink",
	"__rseq_cs",
	".text", /* not as a section: it is the code */
};

#define SECTIONS (sizeof(section_names) / sizeof(char *))
#define TEXT (SECTIONS - 1)
#define CODE_OFFSET (sizeof(Elf64_Ehdr) + sizeof(Elf64_Phdr))
#define CODE_ADDRESS 0x1000
#define CODE_SIZE 0x1000

/* A file: header, one program header, contents, names, section headers. */
struct builder {
	uint8_t *bytes;
	size_t size;
	Elf64_Shdr sections[SECTIONS + 2];
	unsigned count;
};

static inline size_t append(struct builder *builder, const void *bytes,
			    size_t size)
{
	size_t at = builder->size;

	builder->bytes = realloc(builder->bytes, at + size + 1);
	if (!builder->bytes)
		abort();
	if (bytes)
		memcpy(builder->bytes + at, bytes, size);
	else
		memset(builder->bytes + at, 0x90, size);
	builder->size += size;
	return at;
}

static inline Elf64_Word type_of(const char *name)
{
	return strcmp(name, ".symtab") == 0              ? SHT_SYMTAB
	       : strcmp(name, ".note.gnu.build-id") == 0 ? SHT_NOTE
							 : SHT_PROGBITS;
}

static inline void add_section(struct builder *builder, unsigned kind,
			       const uint8_t *bytes, size_t size)
{
	Elf64_Shdr *section = &builder->sections[builder->count++];

	section->sh_name = kind; /* replaced by the offset of its name */
	section->sh_type = type_of(section_names[kind]);
	section->sh_addr = kind == 13 ? 0x3000 : 0;
	section->sh_offset = append(builder, bytes, size);
	section->sh_size = size;
}

static inline void finish(struct builder *builder)
{
	static const char shstrtab[] = ".shstrtab";
	size_t names = builder->size;
	Elf64_Shdr *last = &builder->sections[builder->count++];
	unsigned strings = 0;
	Elf64_Ehdr header = {
		.e_ident = {ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, ELFCLASS64,
			    ELFDATA2LSB, EV_CURRENT},
		.e_type = ET_DYN,
		.e_machine = EM_X86_64,
		.e_version = EV_CURRENT,
		.e_entry = CODE_ADDRESS,
		.e_phoff = sizeof(Elf64_Ehdr),
		.e_ehsize = sizeof(Elf64_Ehdr),
		.e_phentsize = sizeof(Elf64_Phdr),
		.e_phnum = 1,
		.e_shentsize = sizeof(Elf64_Shdr),
	};
	Elf64_Phdr segment = {
		.p_type = PT_LOAD,
		.p_flags = PF_R | PF_X,
		.p_offset = CODE_OFFSET,
		.p_vaddr = CODE_ADDRESS,
		.p_filesz = CODE_SIZE,
		.p_memsz = CODE_SIZE,
	};

	append(builder, "", 1);
	for (unsigned i = 1; i + 1 < builder->count; i++) {
		const char *name = section_names[builder->sections[i].sh_name];

		if (strcmp(name, ".strtab") == 0)
			strings = i;
		builder->sections[i].sh_name =
			(Elf64_Word)(append(builder, name, strlen(name) + 1) -
				     names);
	}
	last->sh_name =
		(Elf64_Word)(append(builder, shstrtab, sizeof(shstrtab)) -
			     names);
	last->sh_type = SHT_STRTAB;
	last->sh_offset = names;
	last->sh_size = builder->size - names;
	for (unsigned i = 1; i + 1 < builder->count; i++)
		builder->sections[i].sh_link = strings;
	header.e_shnum = (Elf64_Half)builder->count;
	header.e_shstrndx = (Elf64_Half)(builder->count - 1);
	header.e_shoff = append(builder, builder->sections,
				builder->count * sizeof(Elf64_Shdr));
	memcpy(builder->bytes, &header, sizeof(header));
	memcpy(builder->bytes + sizeof(header), &segment, sizeof(segment));
}

/* The same section, "compressed" as it is. */
static inline void add_packed(struct builder *builder, unsigned kind,
			      const uint8_t *bytes, size_t size)
{
	static const uint8_t zlib[] = {0x78, 0x01};
	Elf64_Chdr header = {.ch_type = ELFCOMPRESS_ZLIB,
			     .ch_size = size,
			     .ch_addralign = 1};
	uint8_t stored[5] = {1}; /* the last block */
	Elf64_Shdr *section;

	memcpy(stored + 1, &(uint16_t){(uint16_t)size}, 2);
	memcpy(stored + 3, &(uint16_t){(uint16_t)~size}, 2);
	add_section(builder, kind, (const uint8_t *)&header, sizeof(header));
	section = &builder->sections[builder->count - 1];
	section->sh_flags = SHF_COMPRESSED;
	append(builder, zlib, sizeof(zlib));
	append(builder, stored, sizeof(stored));
	append(builder, bytes, size);
	append(builder, "\0\0\0\0", 4); /* a checksum */
	section->sh_size = builder->size - section->sh_offset;
}

/* `packed`: .debug_info is compressed. */
static inline void visit_sections(const uint8_t *data, size_t size, bool packed)
{
	struct builder builder = {.count = 1};

	append(&builder, NULL, CODE_OFFSET + CODE_SIZE);
	while (size > 3 && builder.count <= SECTIONS) {
		unsigned kind = data[0] % SECTIONS;
		size_t length = data[1] | (size_t)data[2] << 8;

		data += 3;
		size -= 3;
		if (length > size)
			length = size;
		if (kind == TEXT)
			memcpy(builder.bytes + CODE_OFFSET, data,
			       length < CODE_SIZE ? length : CODE_SIZE);
		else if (packed && kind == 0)
			add_packed(&builder, kind, data, length);
		else
			add_section(&builder, kind, data, length);
		data += length;
		size -= length;
	}
	finish(&builder);
	visit_bytes(builder.bytes, builder.size);
	free(builder.bytes);
}

static inline void visit_dwarf(const uint8_t *data, size_t size)
{
	visit_sections(data, size, false);
	visit_sections(data, size, true);
}

#endif
