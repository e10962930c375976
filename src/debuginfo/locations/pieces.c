/* pieces.c - see pieces.h */
#include "pieces.h"

#include <string.h>

#include "perftool/arch.h"
#include "perftool/debuginfo/frame_rules.h"

/* The most bytes of memory of a piece that does not begin and end at the
 * boundary of a byte. */
#define MAX_ODD_BYTES 256

/* ---- memory and scratch -------------------------------------------------- */

static bool is_missing(const uint8_t *missing, size_t index)
{
	return missing[index / 8] >> (index % 8) & 1;
}

bool frame_read(const struct frame_reader *reader, uint64_t address,
		void *buffer, size_t size)
{
	const struct scratch *scratch = reader->scratch;
	size_t at = (size_t)(address - SCRATCH_BASE);

	if (!scratch_has(address))
		return reader->read &&
		       reader->read(reader->context, address, buffer, size);
	if (!scratch || at > scratch->used || size > scratch->used - at)
		return false;
	for (size_t i = 0; i < size; i++)
		if (is_missing(scratch->missing, at + i))
			return false;
	memcpy(buffer, scratch->bytes + at, size);
	return true;
}

struct error *scratch_take(const struct frame_reader *reader, size_t size,
			   uint8_t **bytes, uint64_t *address)
{
	struct scratch *scratch = reader->scratch;
	size_t at;

	if (!scratch)
		return error_create(ERROR_EVALUATE,
				    "it is not in memory: it has no address");
	at = (scratch->used + 15) & ~(size_t)15;
	/* One byte behind each value stays missing, so that a read beyond the
	 * end of a value does not reach the next value. */
	if (size >= SCRATCH_SIZE || at >= SCRATCH_SIZE - size)
		return error_create(ERROR_EVALUATE,
				    "it is not in memory as a whole, and too "
				    "large for perftool to put together");
	for (size_t i = scratch->used; i <= at + size; i++)
		scratch->missing[i / 8] |= (uint8_t)(1U << (i % 8));
	for (size_t i = at; i < at + size; i++)
		scratch->missing[i / 8] &= (uint8_t) ~(1U << (i % 8));
	scratch->used = at + size + 1;
	*bytes = scratch->bytes + at;
	*address = SCRATCH_BASE + at;
	return NULL;
}

void scratch_mark(const struct frame_reader *reader, uint64_t address,
		  const uint8_t *missing, size_t size)
{
	size_t at = (size_t)(address - SCRATCH_BASE);

	for (size_t i = 0; i < size; i++)
		if (is_missing(missing, i))
			reader->scratch->missing[(at + i) / 8] |=
				(uint8_t)(1U << ((at + i) % 8));
}

/* ---- pieces -------------------------------------------------------------- */

static struct error *out_of_register(void)
{
	return error_create(
		ERROR_EVALUATE,
		"it is in a register of a kind that perftool cannot "
		"read");
}

struct error *place_register(const struct frame_reader *reader, uint64_t number,
			     uint8_t bytes[static 16], size_t *size)
{
	struct user_fpregs_struct vectors;
	uint64_t value;

	if (number > UINT8_MAX)
		return out_of_register();
	if (arch_dwarf_register((unsigned)number, reader->regs, &value)) {
		memcpy(bytes, &value, sizeof(value));
		*size = sizeof(value);
		return NULL;
	}
	if (!arch_is_dwarf_vector((unsigned)number))
		return out_of_register();
	if (!reader->read_vectors ||
	    !reader->read_vectors(reader->context, &vectors))
		return error_create(ERROR_EVALUATE,
				    "it is in a vector register, and perftool "
				    "cannot read the vector registers of this "
				    "frame");
	*size = arch_dwarf_vector((unsigned)number, &vectors, bytes);
	return NULL;
}

static void copy_bits(uint8_t *to, uint64_t to_bit, const uint8_t *from,
		      uint64_t from_bit, uint64_t count)
{
	for (uint64_t i = 0; i < count; i++) {
		uint64_t target = to_bit + i, source = from_bit + i;
		unsigned bit = from[source / 8] >> (source % 8) & 1;

		to[target / 8] =
			(uint8_t)((to[target / 8] & ~(1U << (target % 8))) |
				  bit << (target % 8));
	}
}

static struct error *unreadable(uint64_t address)
{
	return error_create(ERROR_EVALUATE, "memory at %#lx cannot be read",
			    address);
}

/* Copy `bits` bits of memory into the value `bytes`, from bit `first` of the
 * value on. */
static struct error *take_memory(const struct frame_reader *reader,
				 const struct piece *piece, uint8_t *bytes,
				 uint64_t first, uint64_t bits)
{
	uint64_t address = piece->value + piece->bit_offset / 8;
	uint64_t skip = piece->bit_offset % 8;
	uint8_t odd[MAX_ODD_BYTES];
	size_t size = (size_t)((skip + bits + 7) / 8);

	if (first % 8 == 0 && skip == 0 && bits % 8 == 0)
		return frame_read(reader, address, bytes + first / 8, size)
			       ? NULL
			       : unreadable(address);
	if (size > sizeof(odd))
		return error_create(
			ERROR_EVALUATE,
			"the debug information spreads the bits of the value "
			"in a way that perftool does not support");
	if (!frame_read(reader, address, odd, size))
		return unreadable(address);
	copy_bits(bytes, first, odd, skip, bits);
	return NULL;
}

/*
 * Copy `bits` bits from the `size` bytes at `from`, which are the content of a
 * register, a number or constant bytes, into the value `bytes`, from bit
 * `first` of the value on. If the piece is a number with fewer bits, the rest
 * is zero. A register, or constant bytes, must have all the bits.
 */
static struct error *take_bytes(const struct piece *piece, const uint8_t *from,
				size_t size, uint8_t *bytes, uint64_t first,
				uint64_t bits)
{
	uint64_t there = (uint64_t)size * 8;

	if (piece->bit_offset > there)
		there = 0;
	else
		there -= piece->bit_offset;
	if (bits > there && (piece->kind != PIECE_NUMBER || !piece->bits))
		return error_create(ERROR_EVALUATE,
				    "it is larger than the place that the "
				    "debug information gives for it");
	/* The rest of the value is zero already. */
	if (bits > there)
		bits = there;
	if (first % 8 == 0 && piece->bit_offset % 8 == 0 && bits % 8 == 0)
		memcpy(bytes + first / 8, from + piece->bit_offset / 8,
		       (size_t)(bits / 8));
	else
		copy_bits(bytes, first, from, piece->bit_offset, bits);
	return NULL;
}

/* How many bits to copy from a register for a piece of `bits` bits. A long
 * double has 10 bytes in an x87 register, but 16 bytes in memory. */
static uint64_t bits_of_register(const struct piece *piece, uint64_t bits)
{
	bool x87 = piece->value >= 33 && piece->value <= 40;

	return x87 && bits == 128 ? 80 : bits;
}

static struct error *take_piece(const struct frame_reader *reader,
				const struct piece *piece,
				place_resolve_fn *resolve, const void *context,
				uint8_t *bytes, uint64_t first, uint64_t bits)
{
	uint8_t value[16];
	uint64_t address;
	size_t size;

	switch (piece->kind) {
	case PIECE_MEMORY:
		return take_memory(reader, piece, bytes, first, bits);
	case PIECE_REGISTER:
		TRY(place_register(reader, piece->value, value, &size));
		return take_bytes(piece, value, size, bytes, first,
				  bits_of_register(piece, bits));
	case PIECE_NUMBER:
		memcpy(value, &piece->number, sizeof(value));
		return take_bytes(piece, value, piece->size, bytes, first,
				  bits);
	case PIECE_BYTES:
		return take_bytes(piece, piece->bytes.data, piece->bytes.size,
				  bytes, first, bits);
	case PIECE_POINTER:
		/* cppcheck-suppress returnDanglingLifetime
		 * an error does not point to `value` or `address` */
		TRY(resolve(context, piece, &address));
		memcpy(value, &address, sizeof(address));
		return take_bytes(piece, value, sizeof(address), bytes, first,
				  bits);
	case PIECE_NOWHERE:
		break;
	}
	return NULL;
}

static struct error *miss(uint64_t first, uint64_t bits, uint8_t *missing)
{
	if (!missing)
		return error_create(ERROR_EVALUATE, "optimized out");
	if (bits == 0)
		return NULL;
	for (uint64_t i = first / 8; i <= (first + bits - 1) / 8; i++)
		missing[i / 8] |= (uint8_t)(1U << (i % 8));
	return NULL;
}

struct error *place_read(const struct frame_reader *reader,
			 const struct place *place, place_resolve_fn *resolve,
			 const void *context, uint8_t *bytes, size_t size,
			 uint8_t *missing)
{
	uint64_t done = 0, all = (uint64_t)size * 8;

	memset(bytes, 0, size);
	if (missing)
		memset(missing, 0, (size + 7) / 8);
	for (unsigned i = 0; i < place->count && done < all; i++) {
		const struct piece *piece = &place->pieces[i];
		uint64_t bits = piece->bits;

		if (!bits || bits > all - done)
			bits = all - done;
		if (piece->kind == PIECE_NOWHERE)
			TRY(miss(done, bits, missing));
		else
			TRY(take_piece(reader, piece, resolve, context, bytes,
				       done, bits));
		done += bits;
	}
	return done < all ? miss(done, all - done, missing) : NULL;
}

bool place_in_memory(const struct place *place, uint64_t *address)
{
	const struct piece *first = &place->pieces[0];

	if (place->count != 1 || first->kind != PIECE_MEMORY || first->bits)
		return false;
	*address = first->value;
	return true;
}
