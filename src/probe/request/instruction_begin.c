/*
 * instruction_begin.c - does an instruction begin at the place that the user
 * has named by an address or by a distance from a function?
 *
 * An int3 within an instruction would make another instruction of it, and the
 * program would crash, or compute something else.
 */
#include "call_spots.h"
#include "perftool/arch.h"
#include "probe/breakpoint.h"

/* Decodes the instruction at an address. Returns 0 if there is none, or its
 * length. */
static uint64_t length_at(struct debugfile *file, uint64_t address)
{
	uint8_t bytes[ARCH_MAX_INSN];
	size_t size = debugfile_read(file, address, bytes, sizeof(bytes));
	struct insn insn;
	struct error *error = arch_decode(bytes, size, address, &insn);

	if (!error)
		return insn.length;
	error_destroy(error);
	return 0;
}

struct error *check_instruction_begin(struct debugfile *file,
				      const struct breakpoint *breakpoint,
				      uint64_t address)
{
	struct function function;
	uint64_t at, length = 0;

	if (!debugfile_function_at(file, address, &function) ||
	    address < function.address ||
	    address - function.address >= function.size)
		return NULL;
	/* The instructions of a function follow each other from its begin. If
	 * something else is among them, nothing can be said. */
	for (at = function.address; at < address; at += length) {
		length = length_at(file, at);
		if (!length)
			return NULL;
	}
	if (at == address)
		return NULL;
	return error_create(
		ERROR_NOT_FOUND,
		"%s is within an instruction, where a breakpoint "
		"would make the program crash: the instruction "
		"begins %d bytes before it, and the next one %d behind it",
		breakpoint->location.text, (int)(address - (at - length)),
		(int)(at - address));
}
