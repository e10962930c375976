/* cfi.c - reads CIEs and FDEs, and runs their instructions; see cfi.h */
#include "cfi.h"

#include <string.h>

#include "dwarf_constants.h"

/* The most rows that DW_CFA_remember_state may have saved at the same time. */
#define MAX_REMEMBERED 32

struct cie {
	uint64_t code_align;
	int64_t data_align;
	unsigned return_register;
	uint8_t encoding; /* encoding of the addresses in the FDEs */
	bool augmented;   /* the FDEs have augmentation data */
	/* the augmentation data of the FDEs have a pointer to a table for
	 * exceptions (LSDA) */
	bool has_table;
	uint8_t table_encoding; /* encoding of the pointer to the LSDA */
	bool signal_frame;
	struct cursor instructions;
};

struct fde {
	struct cie cie;
	uint64_t low, high;
	uint64_t table; /* the address of the LSDA; 0: there is none */
	struct cursor instructions;
};

/* The bytes of one CIE or FDE. */
struct record {
	struct cursor body; /* the bytes after the CIE id or CIE pointer */
	uint64_t next;      /* offset of the next record */
	/* of an FDE: the offset of its CIE; of a CIE: UINT64_MAX */
	uint64_t cie;
	unsigned offset_size;
};

static uint64_t offset_of(const struct cfi_section *section,
			  const struct cursor *cursor)
{
	return (uint64_t)(cursor->at - section->bytes.data);
}

/* Read the record at `offset`. False: the section ends here, or the record
 * cannot be read. */
static bool read_record(const struct cfi_section *section, uint64_t offset,
			struct record *out)
{
	struct cursor cursor = cursor_at(section->bytes, offset);
	struct record record = {.cie = UINT64_MAX};
	uint64_t length = cursor_unit_length(&cursor, &record.offset_size);
	uint64_t id_offset, id;

	if (cursor.failed || !length)
		return false;
	record.body = cursor_take(&cursor, length);
	if (cursor.failed)
		return false;
	record.next = offset_of(section, &cursor);
	id_offset = offset_of(section, &record.body);
	if (section->eh) {
		id = cursor_u32(&record.body);
		if (id) {
			if (id > id_offset)
				return false;
			record.cie = id_offset - id;
		}
	} else {
		id = cursor_unsigned(&record.body, record.offset_size);
		if (id != (record.offset_size == 4 ? UINT32_MAX : UINT64_MAX))
			record.cie = id;
	}
	*out = record;
	return !record.body.failed;
}

/* Read a pointer in one of the encodings of the LSB ("DWARF Exception Header
 * Encoding"). If the encoding is not supported, the cursor is marked as
 * failed. */
static uint64_t read_pointer(const struct cfi_section *section,
			     struct cursor *cursor, uint8_t encoding)
{
	uint64_t here = section->address + offset_of(section, cursor), value;

	switch (encoding & 0x0f) {
	case DW_EH_PE_absptr:
	case DW_EH_PE_udata8:
	case DW_EH_PE_sdata8:
		value = cursor_u64(cursor);
		break;
	case DW_EH_PE_uleb128:
		value = cursor_uleb(cursor);
		break;
	case DW_EH_PE_sleb128:
		value = (uint64_t)cursor_sleb(cursor);
		break;
	case DW_EH_PE_udata2:
		value = cursor_u16(cursor);
		break;
	case DW_EH_PE_sdata2:
		value = (uint64_t)(int16_t)cursor_u16(cursor);
		break;
	case DW_EH_PE_udata4:
		value = cursor_u32(cursor);
		break;
	case DW_EH_PE_sdata4:
		value = (uint64_t)(int32_t)cursor_u32(cursor);
		break;
	default:
		cursor_skip(cursor, UINT64_MAX);
		return 0;
	}
	switch (encoding & 0x70) {
	case 0:
		return value;
	case DW_EH_PE_pcrel:
		return here + value;
	default:
		/* Pointers in these encodings are relative to the text, the
		 * data or the function. Compilers do not use them on x86-64. */
		cursor_skip(cursor, UINT64_MAX);
		return 0;
	}
}

static bool read_cie(const struct cfi_section *section, uint64_t offset,
		     struct cie *cie)
{
	const char *augmentation;
	struct cursor *cursor, data;
	struct record record;
	unsigned version, address_size, segment_size;

	*cie = (struct cie){.encoding = DW_EH_PE_absptr};
	if (!read_record(section, offset, &record) || record.cie != UINT64_MAX)
		return false;
	cursor = &record.body;
	version = cursor_u8(cursor);
	if (version != 1 && version != 3 && version != 4)
		return false;
	augmentation = cursor_string(cursor);
	if (version == 4) {
		address_size = cursor_u8(cursor);
		segment_size = cursor_u8(cursor);
		if (address_size != 8 || segment_size != 0)
			return false;
	}
	cie->code_align = cursor_uleb(cursor);
	cie->data_align = cursor_sleb(cursor);
	cie->return_register = version == 1 ? cursor_u8(cursor)
					    : (unsigned)cursor_uleb(cursor);
	if (*augmentation == 'z') {
		cie->augmented = true;
		data = cursor_take(cursor, cursor_uleb(cursor));
		while (*++augmentation && !data.failed) {
			uint8_t encoding;

			switch (*augmentation) {
			case 'R':
				cie->encoding = cursor_u8(&data);
				break;
			case 'P':
				encoding = cursor_u8(&data);
				read_pointer(section, &data, encoding & 0x0f);
				break;
			case 'L':
				cie->table_encoding = cursor_u8(&data);
				cie->has_table =
					cie->table_encoding != DW_EH_PE_omit;
				break;
			case 'S':
				cie->signal_frame = true;
				break;
			case 'B':
				break;
			default:
				/* The letter is not known, so the reader cannot
				 * interpret the rest of the augmentation data.
				 * It skips this rest, whose size is known. */
				augmentation += strlen(augmentation) - 1;
				break;
			}
		}
	} else if (*augmentation) {
		return false;
	}
	cie->instructions = *cursor;
	return !cursor->failed && cie->return_register < CFI_REGISTERS;
}

/* Read the part of an FDE behind its CIE pointer. `cie` is the FDE's CIE. */
static bool read_fde(const struct cfi_section *section, struct record *record,
		     const struct cie *cie, struct fde *fde)
{
	struct cursor *cursor = &record->body, data;
	uint64_t size;

	fde->cie = *cie;
	fde->low = read_pointer(section, cursor, cie->encoding);
	size = read_pointer(section, cursor, cie->encoding & 0x0f);
	fde->high = fde->low + size;
	fde->table = 0;
	if (cie->augmented) {
		data = cursor_take(cursor, cursor_uleb(cursor));
		/* A stored value of 0 means that there is no table, even if the
		 * encoding is relative to the pointer's place. So read the
		 * value without adding the place. */
		if (cie->has_table && cursor_left(&data)) {
			uint64_t here =
				section->address + offset_of(section, &data);

			fde->table = read_pointer(section, &data,
						  cie->table_encoding & 0x0f);
			if (fde->table && cie->table_encoding & DW_EH_PE_pcrel)
				fde->table += here;
		}
	}
	fde->instructions = *cursor;
	return !cursor->failed && fde->high > fde->low;
}

void cfi_read_index(const struct cfi_section *section, struct cfi_index *out)
{
	uint64_t offset = 0, cie_offset = UINT64_MAX;
	bool cie_good = false;
	struct record record;
	struct cie cie = {0};
	struct fde fde;

	while (read_record(section, offset, &record)) {
		if (record.cie != UINT64_MAX) {
			if (record.cie != cie_offset) {
				cie_offset = record.cie;
				cie_good = read_cie(section, cie_offset, &cie);
			}
			if (cie_good && read_fde(section, &record, &cie, &fde))
				vec_push(out,
					 (struct cfi_entry){fde.low, fde.high,
							    offset});
		}
		offset = record.next;
	}
}

/* The state of the interpreter that runs the instructions of a CIE and an FDE
 * (DWARF 5, 6.4.2). */
struct machine {
	const struct cfi_section *section;
	const struct fde *fde;
	/* `location`: the address for which the current row is valid; `wanted`:
	 * the address whose rules the caller wants */
	uint64_t location, wanted;
	/* `row`: the current row; `initial`: the row after the CIE's
	 * instructions, to which DW_CFA_restore returns */
	struct cfi_row row, initial;
	struct cfi_row remembered[MAX_REMEMBERED];
	unsigned remembered_count;
};

/* Where to store the rule of a register. struct cfi_row has no room for the
 * rules of some registers (vector registers, for example). Their rules go to
 * `nowhere`, which the caller ignores. */
static struct cfi_rule *rule_of(struct machine *machine, uint64_t reg,
				struct cfi_rule *nowhere)
{
	return reg < CFI_REGISTERS ? &machine->row.rules[reg] : nowhere;
}

static struct bytes read_block(struct cursor *cursor)
{
	struct cursor block = cursor_take(cursor, cursor_uleb(cursor));

	return (struct bytes){block.at, cursor_left(&block)};
}

static void set_offset(struct machine *machine, uint64_t reg,
		       enum cfi_kind kind, int64_t factored)
{
	struct cfi_rule nowhere, *rule = rule_of(machine, reg, &nowhere);

	*rule = (struct cfi_rule){
		.kind = kind,
		.offset = (int64_t)((uint64_t)factored *
				    (uint64_t)machine->fde->cie.data_align),
	};
}

static void set_kind(struct machine *machine, uint64_t reg, enum cfi_kind kind)
{
	struct cfi_rule nowhere;

	*rule_of(machine, reg, &nowhere) = (struct cfi_rule){.kind = kind};
}

static void restore(struct machine *machine, uint64_t reg)
{
	if (reg < CFI_REGISTERS)
		machine->row.rules[reg] = machine->initial.rules[reg];
}

static void set_cfa(struct machine *machine, uint64_t reg, int64_t offset)
{
	machine->row.cfa_is_expression = false;
	machine->row.cfa_register = reg;
	machine->row.cfa_offset = offset;
}

/* Move the location forward by `delta` code alignment units. False: the
 * location is now beyond the wanted address. */
static bool advance(struct machine *machine, uint64_t delta)
{
	machine->location += delta * machine->fde->cie.code_align;
	return machine->location <= machine->wanted;
}

static int64_t factored(const struct machine *machine, struct cursor *cursor)
{
	return (int64_t)((uint64_t)cursor_sleb(cursor) *
			 (uint64_t)machine->fde->cie.data_align);
}

/* Run an instruction whose opcode has no operand in its low 6 bits. False: the
 * instruction makes no sense. */
static bool run_extended(struct machine *machine, struct cursor *cursor,
			 unsigned opcode);

/* Run the instructions until they end, or until the location is beyond the
 * wanted address. False: the instructions make no sense. */
static bool run(struct machine *machine, struct cursor cursor)
{
	while (cursor_left(&cursor) && !cursor.failed) {
		unsigned opcode = cursor_u8(&cursor), low = opcode & 0x3f;

		switch (opcode & 0xc0) {
		case DW_CFA_advance_loc:
			if (!advance(machine, low))
				return true;
			break;
		case DW_CFA_offset:
			set_offset(machine, low, CFI_OFFSET,
				   (int64_t)cursor_uleb(&cursor));
			break;
		case DW_CFA_restore:
			restore(machine, low);
			break;
		default:
			if (!run_extended(machine, &cursor, opcode))
				return false;
			if (machine->location > machine->wanted)
				return true;
			break;
		}
	}
	return !cursor.failed;
}

static bool run_extended(struct machine *machine, struct cursor *cursor,
			 unsigned opcode)
{
	struct cfi_rule nowhere, *rule;
	uint64_t reg;
	bool value;

	switch (opcode) {
	case DW_CFA_nop:
		break;
	case DW_CFA_set_loc:
		machine->location = read_pointer(machine->section, cursor,
						 machine->fde->cie.encoding);
		break;
	case DW_CFA_advance_loc1:
		advance(machine, cursor_u8(cursor));
		break;
	case DW_CFA_advance_loc2:
		advance(machine, cursor_u16(cursor));
		break;
	case DW_CFA_advance_loc4:
		advance(machine, cursor_u32(cursor));
		break;
	case DW_CFA_offset_extended:
		reg = cursor_uleb(cursor);
		set_offset(machine, reg, CFI_OFFSET,
			   (int64_t)cursor_uleb(cursor));
		break;
	case DW_CFA_offset_extended_sf:
		reg = cursor_uleb(cursor);
		set_offset(machine, reg, CFI_OFFSET, cursor_sleb(cursor));
		break;
	case DW_CFA_GNU_negative_offset_extended:
		reg = cursor_uleb(cursor);
		set_offset(machine, reg, CFI_OFFSET,
			   (int64_t)(0 - cursor_uleb(cursor)));
		break;
	case DW_CFA_val_offset:
		reg = cursor_uleb(cursor);
		set_offset(machine, reg, CFI_VALUE_OFFSET,
			   (int64_t)cursor_uleb(cursor));
		break;
	case DW_CFA_val_offset_sf:
		reg = cursor_uleb(cursor);
		set_offset(machine, reg, CFI_VALUE_OFFSET, cursor_sleb(cursor));
		break;
	case DW_CFA_restore_extended:
		restore(machine, cursor_uleb(cursor));
		break;
	case DW_CFA_undefined:
		set_kind(machine, cursor_uleb(cursor), CFI_UNDEFINED);
		break;
	case DW_CFA_same_value:
		set_kind(machine, cursor_uleb(cursor), CFI_SAME);
		break;
	case DW_CFA_register:
		rule = rule_of(machine, cursor_uleb(cursor), &nowhere);
		*rule = (struct cfi_rule){.kind = CFI_REGISTER,
					  .reg = cursor_uleb(cursor)};
		break;
	case DW_CFA_remember_state:
		if (machine->remembered_count == MAX_REMEMBERED)
			return false;
		machine->remembered[machine->remembered_count++] = machine->row;
		break;
	case DW_CFA_restore_state:
		if (!machine->remembered_count)
			return false;
		machine->row = machine->remembered[--machine->remembered_count];
		break;
	case DW_CFA_def_cfa:
		reg = cursor_uleb(cursor);
		set_cfa(machine, reg, (int64_t)cursor_uleb(cursor));
		break;
	case DW_CFA_def_cfa_sf:
		reg = cursor_uleb(cursor);
		set_cfa(machine, reg, factored(machine, cursor));
		break;
	case DW_CFA_def_cfa_register:
		set_cfa(machine, cursor_uleb(cursor), machine->row.cfa_offset);
		break;
	case DW_CFA_def_cfa_offset:
		set_cfa(machine, machine->row.cfa_register,
			(int64_t)cursor_uleb(cursor));
		break;
	case DW_CFA_def_cfa_offset_sf:
		set_cfa(machine, machine->row.cfa_register,
			factored(machine, cursor));
		break;
	case DW_CFA_def_cfa_expression:
		machine->row.cfa_is_expression = true;
		machine->row.cfa_expression = read_block(cursor);
		break;
	case DW_CFA_expression:
	case DW_CFA_val_expression:
		value = opcode == DW_CFA_val_expression;
		rule = rule_of(machine, cursor_uleb(cursor), &nowhere);
		*rule = (struct cfi_rule){.kind = value ? CFI_VALUE_EXPRESSION
							: CFI_EXPRESSION,
					  .expression = read_block(cursor)};
		break;
	case DW_CFA_GNU_args_size:
		cursor_uleb(cursor);
		break;
	default:
		return false;
	}
	return !cursor->failed;
}

bool cfi_row_at(const struct cfi_section *section, uint64_t offset,
		uint64_t address, struct cfi_row *out)
{
	struct machine machine = {.section = section, .wanted = UINT64_MAX};
	struct record record;
	struct cie cie;
	struct fde fde;

	if (!read_record(section, offset, &record) ||
	    record.cie == UINT64_MAX || !read_cie(section, record.cie, &cie) ||
	    !read_fde(section, &record, &cie, &fde) || address < fde.low ||
	    address >= fde.high)
		return false;
	machine.fde = &fde;
	machine.location = fde.low;
	if (!run(&machine, cie.instructions))
		return false;
	machine.initial = machine.row;
	machine.remembered_count = 0;
	machine.location = fde.low;
	machine.wanted = address;
	if (!run(&machine, fde.instructions))
		return false;
	*out = machine.row;
	out->return_register = cie.return_register;
	out->table = fde.table;
	out->low = fde.low;
	out->signal_frame = cie.signal_frame;
	return true;
}
