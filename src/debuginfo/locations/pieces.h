/*
 * pieces.h - where the bytes of a value are: at one place, or in pieces
 *
 * The code in locations/ and frames/ turns what debug information or the ABI
 * says about a variable into a struct place. This is a list of pieces: some
 * bits of the value are in memory, some in a register, others are known but not
 * stored. The functions here put the bytes of the value together.
 */
#ifndef PERFTOOL_DEBUGINFO_PIECES_H
#define PERFTOOL_DEBUGINFO_PIECES_H

#include "debuginfo/elf/elf.h"
#include "perftool/debuginfo.h"
#include "perftool/debuginfo/frame_rules.h"

enum piece_kind {
	PIECE_MEMORY,   /* in memory, at the run-time address `value` */
	PIECE_REGISTER, /* in DWARF register `value` */
	PIECE_NUMBER,   /* the `size` bytes of `number` */
	PIECE_BYTES,    /* the bytes in `bytes` */
	/* a pointer: the address of the variable whose DIE is at `value`, plus
	 * `offset`; that variable need not be in memory */
	PIECE_POINTER,
	PIECE_NOWHERE, /* optimized out */
};

struct piece {
	enum piece_kind kind;
	unsigned size; /* size of `number` in bytes */
	uint64_t value;
	int64_t offset;
	unsigned __int128 number;
	struct bytes bytes;
	/* number of bits of the value that are in this piece; 0: all bits of
	 * the value */
	uint64_t bits;
	/* number of the piece's first bit in its register, memory or number,
	 * counted from the lowest bit */
	uint64_t bit_offset;
};

/* The most pieces of one value. No compiler is known to make more. */
#define MAX_PIECES 64

struct place {
	unsigned count;
	struct piece pieces[MAX_PIECES];
};

/* Find the address that a PIECE_POINTER stands for. place_read() calls this. */
typedef struct error *place_resolve_fn(const void *context,
				       const struct piece *piece,
				       uint64_t *address);

/*
 * Put the `size` bytes of a value together. `missing` has a bit for each byte,
 * which is set if the byte is optimized out. If `missing` is NULL, the
 * function returns ERROR_EVALUATE for an optimized-out byte. ERROR_EVALUATE:
 * some bytes cannot be read.
 */
struct error *place_read(const struct frame_reader *reader,
			 const struct place *place, place_resolve_fn *resolve,
			 const void *context, uint8_t *bytes, size_t size,
			 uint8_t *missing);

/* Is the whole value at one place in memory? */
bool place_in_memory(const struct place *place, uint64_t *address);

/* Read a register by its DWARF number. `*size` is its size in bytes: 8, 10 or
 * 16. */
struct error *place_register(const struct frame_reader *reader, uint64_t number,
			     uint8_t bytes[static 16], size_t *size);

/* Reserve `size` bytes in the scratch (see struct frame_reader), and mark none
 * of them as missing. ERROR_EVALUATE: there is no scratch, or it has no
 * room. */
struct error *scratch_take(const struct frame_reader *reader, size_t size,
			   uint8_t **bytes, uint64_t *address);

/* Mark bytes at `address` in the scratch as missing: those whose bit in
 * `missing` is set. frame_read() then refuses to read them. */
void scratch_mark(const struct frame_reader *reader, uint64_t address,
		  const uint8_t *missing, size_t size);

#endif
