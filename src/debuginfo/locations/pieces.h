/*
 * pieces.h - where the bytes of a value are: in one place, or in pieces
 *
 * What debug information or the ABI says about a variable comes to this: so
 * many bits in memory, so many in a register, others known without being
 * stored. Here they are put together.
 */
#ifndef PERFTOOL_DEBUGINFO_PIECES_H
#define PERFTOOL_DEBUGINFO_PIECES_H

#include "debuginfo/elf/elf.h"
#include "perftool/debuginfo.h"

enum piece_kind {
	PIECE_MEMORY,   /* at address `value` of the running program */
	PIECE_REGISTER, /* in DWARF register `value` */
	PIECE_NUMBER,   /* it is the `size` bytes of `number` */
	PIECE_BYTES,    /* it is `bytes` */
	PIECE_POINTER,  /* it is the address of the variable whose DIE is at
			   `value`, and of `offset` beyond that: a variable that
			   may be nowhere in memory */
	PIECE_NOWHERE,  /* optimized out */
};

struct piece {
	enum piece_kind kind;
	unsigned size; /* of `number` */
	uint64_t value;
	int64_t offset;
	unsigned __int128 number;
	struct bytes bytes;
	uint64_t bits;       /* how many; 0: all of the value */
	uint64_t bit_offset; /* the first of them in the place, from the lowest
			      */
};

/* More than that no compiler has been seen to make of one variable. */
#define MAX_PIECES 64

struct place {
	unsigned count;
	struct piece pieces[MAX_PIECES];
};

/* The address that a PIECE_POINTER stands for. */
typedef struct error *place_resolve_fn(const void *context,
				       const struct piece *piece,
				       uint64_t *address);

/*
 * Put the `size` bytes of a value together. What is optimized out of it is set
 * in `missing` (a bit for each byte, `size` of them); if that is NULL, it is
 * ERROR_EVALUATE, as is what cannot be read.
 */
struct error *place_read(const struct frame_reader *reader,
			 const struct place *place, place_resolve_fn *resolve,
			 const void *context, uint8_t *bytes, size_t size,
			 uint8_t *missing);

/* Is all of it at one place in memory? */
bool place_in_memory(const struct place *place, uint64_t *address);

/* The bytes of a register, by its DWARF number: 8 or 16 of them. */
struct error *place_register(const struct frame_reader *reader, uint64_t number,
			     uint8_t bytes[static 16], size_t *size);

/* Room for `size` bytes in the scratch, of which none is missing yet. */
struct error *scratch_take(const struct frame_reader *reader, size_t size,
			   uint8_t **bytes, uint64_t *address);

/* Mark those of the bytes at `address` that the bits of `missing` say: nobody
 * can read them. */
void scratch_mark(const struct frame_reader *reader, uint64_t address,
		  const uint8_t *missing, size_t size);

#endif
