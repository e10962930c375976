/* stack_reader.c - reads the memory of a stack; see stack_reader.h */
#include "stack_reader.h"

#include <string.h>

/* How much is read at first. A stack of 30 frames fits in most cases; what
 * follows is read in larger and larger pieces. */
#define FIRST 8192

void stack_reader_live(struct stack_reader *reader, struct process *process)
{
	reader->copy = NULL;
	reader->low = reader->high = 0;
	reader->process = process;
	reader->next = 0;
	reader->piece = FIRST;
	reader->is_beyond = reader->is_elsewhere = false;
	reader->is_fleeting = false;
	for (size_t i = 0; i < STACK_WINDOWS; i++)
		reader->windows[i].low = reader->windows[i].high = 0;
}

void stack_reader_copy(struct stack_reader *reader, const void *copy,
		       uint64_t low, size_t size)
{
	stack_reader_live(reader, NULL);
	reader->copy = copy;
	reader->low = low;
	reader->high = low + size;
}

static bool fill(struct stack_reader *reader, struct stack_window *window,
		 uint64_t low, size_t size)
{
	window->low = window->high = 0;
	if (low + size < low ||
	    !target_read_callback(reader->process, low, window->bytes, size))
		return false;
	window->low = low;
	window->high = low + size;
	return true;
}

bool stack_reader_fetch(struct stack_reader *reader, uint64_t address,
			void *buffer, size_t size)
{
	uint64_t page = address & ~(uint64_t)(ARCH_PAGE - 1);
	struct stack_window *window;
	bool follows = false;

	for (size_t i = 0; i < STACK_WINDOWS; i++) {
		window = &reader->windows[i];
		if (address >= window->low && address < window->high &&
		    window->high - address >= size) {
			memcpy(buffer, window->bytes + (address - window->low),
			       size);
			return true;
		}
		follows |= window->high && page >= window->low &&
			   page <= window->high + ARCH_PAGE;
	}
	if (!reader->process) {
		reader->is_beyond |= address >= reader->low;
		return false;
	}
	/* A read that straddles two pages is rare enough to be done apart. */
	if (address + size > page + ARCH_PAGE)
		return target_read_callback(reader->process, address, buffer,
					    size);
	window = &reader->windows[reader->next++ % STACK_WINDOWS];
	if (follows && reader->piece < STACK_WINDOW)
		reader->piece *= 2;
	if (!fill(reader, window, page, follows ? reader->piece : FIRST) &&
	    !fill(reader, window, page, ARCH_PAGE))
		return false;
	memcpy(buffer, window->bytes + (address - page), size);
	return true;
}
