/*
 * target_memory.c - instructions that read the memory of the target; see
 * target_memory.h
 */
#include "target_memory.h"
#include "perftool/debuginfo/frame_rules.h"

#include <string.h>

static struct error *unreadable(const struct instruction *at, uint64_t address)
{
	if (scratch_has(address))
		return error_create(ERROR_EVALUATE, "column %zu: optimized out",
				    at->node->column);
	return error_create(ERROR_EVALUATE,
			    "column %zu: cannot read memory at 0x%lx",
			    at->node->column, (unsigned long)address);
}

struct error *memory_load(const struct instruction *at,
			  const struct expr_input *input, union number *top)
{
	uint64_t address = top->u + at->number.u;
	uint8_t bytes[16];
	size_t size = at->bits.size ? bits_bytes(&at->bits)
				    : (size_t)type_size(at->type);

	if (frame_read(&input->reader, address, bytes, size)) {
		number_from_memory(top, at->type, &at->bits, bytes);
		return NULL;
	}
	if (!top->u && address)
		return error_create(ERROR_EVALUATE,
				    "column %zu: cannot read memory at 0x%lx: "
				    "a member of a null pointer",
				    at->node->column, (unsigned long)address);
	return unreadable(at, address);
}

/*
 * An iterator of libstdc++ has four words: the address of the element, the
 * beginning and the end of its block, and the address of its entry in the table
 * of blocks. A block has 512 bytes, or one element if that is larger.
 */
struct error *memory_find_element(const struct instruction *at,
				  const struct expr_input *input, int64_t index,
				  union number *top)
{
	int64_t size = (int64_t)at->number.u,
		most = size < 512 ? 512 / size : 1;
	uint64_t words[4], start, entry;
	int64_t block;

	if (!frame_read(&input->reader, top->u, words, sizeof(words)))
		return unreadable(at, top->u);
	if (__builtin_add_overflow(index, (int64_t)(words[0] - words[1]) / size,
				   &index))
		index = 0;
	block = index / most - (index % most < 0);
	entry = words[3] + (uint64_t)block * sizeof(start);
	if (!frame_read(&input->reader, entry, &start, sizeof(start)))
		return unreadable(at, entry);
	top->u = start + (uint64_t)((index - block * most) * size);
	return NULL;
}

/*
 * Are `left` bytes of memory at `address` equal to `expected`? The function
 * reads the memory piece by piece, and no further than the piece with the first
 * difference, because memory behind that may not be mapped.
 */
static struct error *compare(const struct instruction *at,
			     const struct expr_input *input, uint64_t address,
			     const char *expected, size_t left, bool *equal)
{
	char buffer[256];

	*equal = false;
	while (left) {
		size_t size = sizeof(buffer) - address % sizeof(buffer);

		if (size > left)
			size = left;
		if (!frame_read(&input->reader, address, buffer, size))
			return unreadable(at, address);
		if (memcmp(buffer, expected, size) != 0)
			return NULL;
		expected += size;
		address += size;
		left -= size;
	}
	*equal = true;
	return NULL;
}

struct error *memory_compare(const struct instruction *at,
			     const struct expr_input *input, union number *top)
{
	/* the number of bytes with the final zero, for which the parser left
	 * room */
	size_t size = at->node->length + at->node->type.size;
	uint64_t bound = at->number.u; /* 0, or the size of an array; a string
					  that fills it needs no final zero */
	uint64_t address = top->u;
	bool equal;

	top->u = 0;
	if (!address) /* a null pointer is no string */
		return NULL;
	if (bound && bound < at->node->length)
		return NULL;
	if (bound && bound < size)
		size = bound;
	TRY(compare(at, input, address, at->node->text, size, &equal));
	top->u = equal;
	return NULL;
}

struct error *memory_compare_text(const struct instruction *at,
				  const struct expr_input *input,
				  union number *top)
{
	uint64_t pointer, length, address = top->u;
	bool equal;

	top->u = 0;
	if (!text_object_read(&at->text, &input->reader, address, &pointer,
			      &length))
		return unreadable(at, address);
	if (length != at->node->length)
		return NULL;
	TRY(compare(at, input, pointer, at->node->text, at->node->length,
		    &equal));
	top->u = equal;
	return NULL;
}

struct error *memory_check_variant(const struct instruction *at,
				   const struct expr_input *input,
				   const union number *top)
{
	const struct debugvariant *variants;
	size_t count, index;

	variants = debugtype_variants(at->type.of, &count);
	if (!debugtype_active_variant(at->type.of, &input->reader, top->u,
				      &index))
		return unreadable(at, top->u);
	if (index == at->number.u)
		return NULL;
	return error_create(ERROR_EVALUATE,
			    "column %zu: the value is not the variant %s but "
			    "the variant %s",
			    at->node->column,
			    variants[at->number.u].member.name,
			    variants[index].member.name);
}

bool memory_read_string(const struct frame_reader *reader, uint64_t address,
			size_t most, uint8_t *bytes, size_t *length)
{
	size_t count = 0;

	*length = 0;
	while (count < most) {
		/*
		 * a piece never crosses a page, as the next page may not be
		 * mapped
		 */
		size_t left = 256 - (address + count) % 256;
		const uint8_t *zero;

		if (left > most - count)
			left = most - count;
		if (!frame_read(reader, address + count, bytes + count, left))
			return count > 0;
		zero = memchr(bytes + count, 0, left);
		count += left;
		*length = zero ? (size_t)(zero - bytes) : count;
		if (zero)
			break;
	}
	return true;
}
