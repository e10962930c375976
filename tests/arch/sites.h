/*
 * sites.h - the instructions of real programs, for tests of relocation
 *
 * Included by one test program; it holds its code. Every instruction of every
 * function of an ELF file is visited by linear sweep. Functions are known from
 * the call frame information (which covers stripped files and functions
 * without a symbol) and from the symbol tables. Instructions are sorted by
 * form: mnemonic, encoding, prefixes, kinds and sizes of the operands; a few
 * samples of each are kept, the same ones at every run.
 */
#ifndef TESTS_ARCH_SITES_H
#define TESTS_ARCH_SITES_H

#include <Zydis/Zydis.h>
#include <fcntl.h>
#include <gelf.h>
#include <inttypes.h>
#include <libelf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "perftool/arch.h"
#include "perftool/base/map.h"
#include "perftool/base/vec.h"

#define FORM_SAMPLES 6

struct sample {
	struct insn insn;
	uint64_t rank; /* the samples of lowest rank are kept */
};

struct form {
	struct sample samples[FORM_SAMPLES];
	int sample_count;
	size_t seen;
};

struct range {
	uint64_t start, end;
};

struct sites {
	struct map by_key; /* to struct form */
	VEC(struct form *) forms;
	size_t instructions, functions;
	size_t undecoded; /* functions whose sweep met no instruction */
	size_t refused;
	size_t returns, branches; /* branches: jumps and calls */
};

static void sites_deinit(struct sites *sites)
{
	for (size_t i = 0; i < sites->forms.count; i++)
		free(sites->forms.data[i]);
	vec_free(&sites->forms);
	map_deinit(&sites->by_key);
}

static uint64_t hash_bytes(const void *data, size_t size)
{
	const uint8_t *bytes = data;
	uint64_t hash = 0xcbf29ce484222325; /* FNV-1a */

	for (size_t i = 0; i < size; i++)
		hash = (hash ^ bytes[i]) * 0x100000001b3;
	return hash;
}

/* What an address is made of: it decides how relocation treats it. */
static uint8_t base_kind(ZydisRegister reg)
{
	switch (reg) {
	case ZYDIS_REGISTER_NONE:
		return 0;
	case ZYDIS_REGISTER_RIP:
	case ZYDIS_REGISTER_EIP:
		return 1;
	case ZYDIS_REGISTER_RSP:
	case ZYDIS_REGISTER_ESP:
		return 2;
	default:
		return 3;
	}
}

static uint64_t form_key(const ZydisDecodedInstruction *zydis,
			 const ZydisDecodedOperand *operands)
{
	uint64_t parts[16 + 8 * ZYDIS_MAX_OPERAND_COUNT] = {
		zydis->mnemonic,         zydis->encoding,
		zydis->opcode_map,       zydis->opcode,
		zydis->attributes,       zydis->operand_width,
		zydis->address_width,    zydis->avx.vector_length,
		zydis->avx.mask.mode,    zydis->avx.broadcast.mode,
		zydis->raw.disp.size,    zydis->raw.imm[0].size,
		zydis->operand_count,    zydis->raw.modrm.mod,
		zydis->raw.prefix_count,
	};
	size_t count = 16;

	for (int i = 0; i < zydis->operand_count_visible; i++) {
		const ZydisDecodedOperand *operand = &operands[i];

		parts[count++] = operand->type;
		parts[count++] = operand->size;
		if (operand->type == ZYDIS_OPERAND_TYPE_REGISTER)
			parts[count++] =
				ZydisRegisterGetClass(operand->reg.value);
		if (operand->type == ZYDIS_OPERAND_TYPE_MEMORY) {
			parts[count++] = base_kind(operand->mem.base);
			parts[count++] =
				ZydisRegisterGetClass(operand->mem.index);
			parts[count++] = operand->mem.segment;
		}
	}
	return hash_bytes(parts, count * sizeof(parts[0]));
}

static void form_add_sample(struct form *form, const struct insn *insn)
{
	uint64_t rank = hash_bytes(insn->bytes, insn->length);
	int worst = 0;

	form->seen++;
	for (int i = 0; i < form->sample_count; i++) {
		if (form->samples[i].rank == rank)
			return;
		if (form->samples[i].rank > form->samples[worst].rank)
			worst = i;
	}
	if (form->sample_count < FORM_SAMPLES)
		worst = form->sample_count++;
	else if (form->samples[worst].rank <= rank)
		return;
	form->samples[worst] = (struct sample){.insn = *insn, .rank = rank};
}

/* Note an instruction; also used for those that no binary has. */
static void sites_add(struct sites *sites, const struct insn *insn)
{
	ZydisDecodedOperand operands[ZYDIS_MAX_OPERAND_COUNT];
	ZydisDecodedInstruction zydis;
	ZydisDecoder decoder;
	struct form *form;
	uint64_t key;

	ZydisDecoderInit(&decoder, ZYDIS_MACHINE_MODE_LONG_64,
			 ZYDIS_STACK_WIDTH_64);
	if (!ZYAN_SUCCESS(ZydisDecoderDecodeFull(
		    &decoder, insn->bytes, insn->length, &zydis, operands)))
		abort(); /* arch_decode() accepted it */
	key = form_key(&zydis, operands);
	form = map_get(&sites->by_key, key);
	if (!form) {
		form = calloc(1, sizeof(*form));
		if (!form)
			abort();
		map_set(&sites->by_key, key, form);
		vec_push(&sites->forms, form);
	}
	form_add_sample(form, insn);
	sites->instructions++;
	sites->returns += insn->kind == INSN_RETURN;
	sites->branches +=
		insn->kind == INSN_JUMP || insn->kind == INSN_JUMP_IF ||
		insn->kind == INSN_JUMP_INDIRECT || insn->kind == INSN_CALL ||
		insn->kind == INSN_CALL_INDIRECT;
}

/* ---- ELF -------------------------------------------------------------- */

VEC_STRUCT(range_list, struct range);

struct binary {
	Elf *elf;
	int fd;
	struct range_list functions;
	uint64_t end; /* the highest address */
};

/* The contents of the section that holds `address`, from there on. */
static const uint8_t *binary_bytes(const struct binary *binary,
				   uint64_t address, size_t *size)
{
	Elf_Scn *section = NULL;

	while ((section = elf_nextscn(binary->elf, section))) {
		GElf_Shdr header;
		Elf_Data *data;

		if (!gelf_getshdr(section, &header) ||
		    !(header.sh_flags & SHF_ALLOC) ||
		    header.sh_type == SHT_NOBITS || address < header.sh_addr ||
		    address - header.sh_addr >= header.sh_size)
			continue;
		data = elf_getdata(section, NULL);
		if (!data || !data->d_buf)
			return NULL;
		*size = data->d_size - (address - header.sh_addr);
		return (const uint8_t *)data->d_buf +
		       (address - header.sh_addr);
	}
	return NULL;
}

static int32_t signed_word(const uint8_t *bytes)
{
	int32_t value;

	memcpy(&value, bytes, sizeof(value));
	return value;
}

/*
 * The search table of .eh_frame_hdr: pairs of (function, FDE), relative to the
 * header. Rule: Linux Standard Base, "Exception Frames". False when there is
 * none in the usual encoding.
 */
static bool functions_by_frames(struct binary *binary, uint64_t header_address,
				const uint8_t *header, size_t size)
{
	static const uint8_t usual[] = {1, 0x1b, 0x03, 0x3b};
	uint32_t count;

	if (size < 12 || memcmp(header, usual, sizeof(usual)) != 0)
		return false;
	memcpy(&count, header + 8, sizeof(count));
	if (count > (size - 12) / 8)
		return false;
	for (uint32_t i = 0; i < count; i++) {
		const uint8_t *entry = header + 12 + 8 * (size_t)i, *fde;
		uint64_t start =
			header_address + (uint64_t)(int64_t)signed_word(entry);
		size_t left;

		fde = binary_bytes(
			binary,
			header_address +
				(uint64_t)(int64_t)signed_word(entry + 4),
			&left);
		if (!fde || left < 16)
			return false;
		/* length, CIE, first address, size */
		vec_push(&binary->functions,
			 ((struct range){start, start + (uint32_t)signed_word(
								fde + 12)}));
	}
	return count > 0;
}

static void functions_by_symbols(struct binary *binary, Elf_Scn *section,
				 const GElf_Shdr *header)
{
	Elf_Data *data = elf_getdata(section, NULL);
	GElf_Sym symbol;

	for (int i = 0;
	     data && (size_t)i < header->sh_size / header->sh_entsize; i++) {
		if (gelf_getsym(data, i, &symbol) && symbol.st_size &&
		    symbol.st_shndx != SHN_UNDEF &&
		    (GELF_ST_TYPE(symbol.st_info) == STT_FUNC ||
		     GELF_ST_TYPE(symbol.st_info) == STT_GNU_IFUNC))
			vec_push(&binary->functions,
				 ((struct range){symbol.st_value,
						 symbol.st_value +
							 symbol.st_size}));
	}
}

static int compare_ranges(const void *a, const void *b)
{
	const struct range *x = a, *y = b;

	return x->start < y->start ? -1 : x->start > y->start;
}

static bool find_functions(struct binary *binary)
{
	Elf_Scn *section = NULL;
	bool frames = false;
	size_t names, kept = 0;

	if (elf_getshdrstrndx(binary->elf, &names))
		return false;
	while ((section = elf_nextscn(binary->elf, section))) {
		GElf_Shdr header;
		const char *name;

		if (!gelf_getshdr(section, &header))
			return false;
		if ((header.sh_flags & SHF_ALLOC) &&
		    header.sh_addr + header.sh_size > binary->end)
			binary->end = header.sh_addr + header.sh_size;
		if (header.sh_type == SHT_SYMTAB ||
		    header.sh_type == SHT_DYNSYM)
			functions_by_symbols(binary, section, &header);
		name = elf_strptr(binary->elf, names, header.sh_name);
		if (name && strcmp(name, ".eh_frame_hdr") == 0) {
			Elf_Data *data = elf_getdata(section, NULL);

			frames = data &&
				 functions_by_frames(binary, header.sh_addr,
						     data->d_buf, data->d_size);
		}
	}
	qsort(binary->functions.data, binary->functions.count,
	      sizeof(struct range), compare_ranges);
	for (size_t i = 0; i < binary->functions.count; i++) {
		struct range *list = binary->functions.data;

		if (kept && list[kept - 1].start == list[i].start)
			continue;
		list[kept++] = list[i];
	}
	binary->functions.count = kept;
	return frames;
}

static bool binary_open(const char *path, struct binary *out)
{
	*out = (struct binary){.fd = open(path, O_RDONLY | O_CLOEXEC)};
	if (out->fd < 0)
		return false;
	elf_version(EV_CURRENT);
	out->elf = elf_begin(out->fd, ELF_C_READ_MMAP, NULL);
	return out->elf && find_functions(out);
}

static void binary_close(struct binary *binary)
{
	vec_free(&binary->functions);
	if (binary->elf)
		elf_end(binary->elf);
	if (binary->fd >= 0)
		close(binary->fd);
}

/*
 * Visit every instruction of a binary: relocate it to a slot behind the
 * binary, where the probe layer would have one, and add it to its form.
 * `refused` is called for each that cannot be relocated.
 */
static void sites_sweep(struct sites *sites, const struct binary *binary,
			void (*refused)(const struct insn *insn,
					const char *why))
{
	uint64_t slot_address = ((binary->end + 0xfff) & ~0xfffULL) + 0x100000;

	for (size_t i = 0; i < binary->functions.count; i++) {
		struct range range = binary->functions.data[i];
		size_t size, wanted = range.end - range.start, offset = 0;
		const uint8_t *bytes = binary_bytes(binary, range.start, &size);

		if (!bytes)
			continue;
		if (wanted < size)
			size = wanted;
		sites->functions++;
		while (offset < size) {
			struct arch_slot slot;
			struct error *error;
			struct insn insn;

			error = arch_decode(bytes + offset, size - offset,
					    range.start + offset, &insn);
			if (error) {
				error_destroy(error);
				sites->undecoded++;
				break;
			}
			offset += insn.length;
			error = arch_relocate(&insn, slot_address, &slot);
			if (error) {
				refused(&insn, error_message(error));
				error_destroy(error);
				sites->refused++;
			} else {
				sites_add(sites, &insn);
			}
		}
	}
}

#endif
