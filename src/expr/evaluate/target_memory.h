/*
 * target_memory.h - instructions that read the memory of the target
 *
 * Errors are ERROR_EVALUATE with the address that cannot be read. `top` is the
 * value on the stack that an instruction replaces.
 */
#ifndef EXPR_TARGET_MEMORY_H
#define EXPR_TARGET_MEMORY_H

#include "code.h"
#include "perftool/debuginfo/frame_rules.h"

/* CODE_LOAD: replace an address by the value at it. */
struct error *memory_load(const struct instruction *at,
			  const struct expr_input *input, union number *top);

/*
 * CODE_BLOCKS: replace the address of an iterator of a std::deque by the
 * address of the element that is `index` elements behind the iterator's.
 */
struct error *memory_find_element(const struct instruction *at,
				  const struct expr_input *input, int64_t index,
				  union number *top);

/* CODE_STRING: is the string at the address equal to the string of the node? */
struct error *memory_compare(const struct instruction *at,
			     const struct expr_input *input, union number *top);

/* CODE_TEXT: does the object at the address hold the string of the node? */
struct error *memory_compare_text(const struct instruction *at,
				  const struct expr_input *input,
				  union number *top);

/* CODE_VARIANT: ERROR_EVALUATE if the object at the address is now another
 * variant than the instruction requires. */
struct error *memory_check_variant(const struct instruction *at,
				   const struct expr_input *input,
				   const union number *top);

/*
 * Read a string of at most `most` bytes, up to its zero, which `*length` does
 * not count. False: not even the first byte can be read.
 */
bool memory_read_string(const struct frame_reader *reader, uint64_t address,
			size_t most, uint8_t *bytes, size_t *length);

#endif
