/*
 * cold_parts.c - cold parts that are called, and so are functions of their own
 *
 * gcc's NAME.cold is jumped to by NAME, and is in its frame. LLVM's hot/cold
 * splitting (-mllvm -hot-cold-split) makes NAME.cold.1 and so on, which NAME
 * calls: their returns are none of NAME's. gcc 8 numbers its parts, too, so the
 * code of NAME is looked at.
 */
#include <string.h>

#include "perftool/arch.h"
#include "perftool/base/alloc.h"
#include "symbol_table.h"

/* So much code is looked through, of all functions together: what a corrupt
 * file's symbols reach over may be more than it has. */
#define MOST_CODE (64u * 1024 * 1024)

static bool has_call_to(const uint8_t *code, size_t size, uint64_t low,
			uint64_t target)
{
	struct insn insn;

	for (size_t at = 0; at < size; at += insn.length) {
		struct error *error =
			arch_decode(code + at, size - at, low + at, &insn);

		if (error) {
			/* data between the code, or padding */
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
