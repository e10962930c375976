/*
 * target_memory.h - instructions that read the target's memory
 *
 * Errors: ERROR_EVALUATE with the address that cannot be read.
 */
#ifndef EXPR_TARGET_MEMORY_H
#define EXPR_TARGET_MEMORY_H

#include "code.h"

/* CODE_LOAD: the top of the stack is an address, then what is there. */
struct error *memory_load(const struct instruction *at,
			  const struct expr_input *input, union number *top);

/* CODE_BLOCKS */
struct error *memory_find_element(const struct instruction *at,
				  const struct expr_input *input, int64_t index,
				  union number *top);

/* CODE_STRING */
struct error *memory_compare(const struct instruction *at,
			     const struct expr_input *input, union number *top);

/* CODE_TEXT */
struct error *memory_compare_text(const struct instruction *at,
				  const struct expr_input *input,
				  union number *top);

/* CODE_VARIANT: ERROR_EVALUATE if it is another one. */
struct error *memory_check_variant(const struct instruction *at,
				   const struct expr_input *input,
				   const union number *top);

/* Read up to `most` bytes or a zero, which is not counted. False: not even the
 * first can be read. */
bool memory_read_string(const struct frame_reader *reader, uint64_t address,
			size_t most, uint8_t *bytes, size_t *length);

#endif
