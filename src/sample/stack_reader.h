/*
 * stack_reader.h - the memory of a stack that is unwound: a copy of its
 * innermost part, the memory of the process, or the one and then the other
 */
#ifndef PERFTOOL_SAMPLE_STACK_READER_H
#define PERFTOOL_SAMPLE_STACK_READER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "perftool/target.h"

#define STACK_WINDOW 65536
#define STACK_WINDOWS 2

/* A part of the memory of the process, as it was when it was read. */
struct stack_window {
	uint64_t low, high;
	uint8_t bytes[STACK_WINDOW];
};

struct stack_reader {
	/* the copy that the kernel has made, of [low, high) */
	const uint8_t *copy;
	uint64_t low, high;
	/* NULL: there is only the copy */
	struct process *process;
	unsigned next; /* the window to use next */
	size_t piece;  /* how much to read at the next step outwards */
	struct stack_window windows[STACK_WINDOWS];
	/* a read has failed because it was beyond the end of the copy */
	bool is_beyond;
	/* what is needed next is on another stack, which no copy will have */
	bool is_elsewhere;
	/* `is_elsewhere`, and the thread leaves its present stack so soon that
	 * a stop would not find it there */
	bool is_fleeting;
};

/* Begin to read a stack of a process that stands still. */
void stack_reader_live(struct stack_reader *reader, struct process *process);
/* Begin to read a copy of [low, low + size). */
void stack_reader_copy(struct stack_reader *reader, const void *copy,
		       uint64_t low, size_t size);

/* Read a part that is not in the copy nor in a window. */
bool stack_reader_fetch(struct stack_reader *reader, uint64_t address,
			void *buffer, size_t size);

static inline bool stack_read(struct stack_reader *reader, uint64_t address,
			      void *buffer, size_t size)
{
	const struct stack_window *window = &reader->windows[0];

	if (address >= reader->low && address < reader->high &&
	    reader->high - address >= size) {
		__builtin_memcpy(buffer, reader->copy + (address - reader->low),
				 size);
		return true;
	}
	if (address >= window->low && address < window->high &&
	    window->high - address >= size) {
		__builtin_memcpy(buffer,
				 window->bytes + (address - window->low), size);
		return true;
	}
	return stack_reader_fetch(reader, address, buffer, size);
}

static inline bool stack_read_word(struct stack_reader *reader,
				   uint64_t address, uint64_t *out)
{
	return stack_read(reader, address, out, sizeof(*out));
}

#endif
