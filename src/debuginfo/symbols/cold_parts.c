/*
 * cold_parts.c - cold parts that are called and therefore are functions of
 * their own
 *
 * A function NAME of gcc jumps to NAME.cold, which stays in NAME's frame.
 * LLVM's hot/cold splitting (-mllvm -hot-cold-split) makes functions
 * NAME.cold.1 and so on, which NAME calls. A return of such a function is not a
 * return of NAME. gcc 8 numbers its cold parts, too, so the name does not tell
 * a cold part of gcc from one of LLVM. The reader therefore looks for a call of
 * NAME.cold.1 in NAME's code.
 */
#include <string.h>

#include "perftool/arch.h"
#include "perftool/base/alloc.h"
#include "symbol_table.h"

/* The most code that is searched, for all functions together. The symbols of a
 * broken file may cover more bytes than the file has. */
#define MOST_CODE (64u * 1024 * 1024)

static bool has_call_to(const uint8_t *code, size_t size, uint64_t low,
			uint64_t target)
{
	struct insn insn;

	for (size_t at = 0; at < size; at += insn.length) {
		struct error *error =
			arch_decode(code + at, size - at, low + at, &insn);

		if (error) {
			/* These bytes are data between the code, or padding. */
			error_destroy(error);
			insn.length = 1;
		} else if (insn.kind == INSN_CALL && insn.target == target) {
			return true;
		}
	}
	return false;
}

static bool is_called_by(struct debugfile *file, const struct symbol *cold,
			 const struct symbol *parent, uint64_t *left)
{
	uint64_t size = symbol_extent(file, parent);
	CLEANUP(free_pointer) uint8_t *code = NULL;

	if (size > *left)
		return false;
	*left -= size;
	code = xmalloc(size + 1);
	size = debugfile_read(file, parent->address, code, size);
	return has_call_to(code, size, parent->address, cold->address);
}

static bool has_number(const struct symbol *cold)
{
	return cold->name[cold->base_length + strlen(".cold")] == '.';
}

void symbols_settle_cold(struct debugfile *file, struct symbols *symbols)
{
	uint64_t left = MOST_CODE;
	size_t kept = 0;

	for (size_t i = 0; i < symbols->cold.count; i++) {
		uint32_t index = symbols->cold.data[i];
		struct symbol *cold = &symbols->list[index];
		const struct symbol *parent =
			has_number(cold) ? symbols_parent(file, cold) : NULL;

		if (parent && is_called_by(file, cold, parent, &left))
			cold->part = PART_SPLIT;
		else
			symbols->cold.data[kept++] = index;
	}
	symbols->cold.count = kept;
}
