/*
 * script_space.c - finds room for the scripts of remote calls
 *
 * A script is code by which a thread of the process makes system calls for the
 * tool. The tool places a script in zero bytes that are executable and that no
 * code of the program uses as data. These bytes are in the memory that the
 * caller has set up in the process (target_set_scripts()), else behind the end
 * of the vdso's file, which every process has.
 *
 * A tool that died may have left a script there, and a thread may be in the
 * script, or the frame of a signal handler may lead back to it. So the tool
 * never writes over bytes that are not zero. It does not use zeros next to such
 * bytes either, because they may be a part of a script: a script begins with a
 * signal mask and data, and ends with an address.
 */
#include <elf.h>
#include <stdlib.h>
#include <string.h>

#include "perftool/base/alloc.h"
#include "perftool/base/str.h"
#include "perftool/target/memory_maps.h"
#include "perftool/target/remote_calls.h"
#include "remote.h"
#include "target/memory/memory.h"
#include "target/target_state.h"

#define ALIGNMENT 16UL
#define ALIGN_UP(n) (((n) + ALIGNMENT - 1) & ~(ALIGNMENT - 1))

/* How many zero bytes behind the last byte that is not zero may still belong to
 * a script: a script ends with the address of a jump, whose high bytes may be
 * zeros. */
#define GAP_BEHIND 8

void target_set_scripts(struct process *process, uint64_t address, size_t size)
{
	process->scripts = address;
	process->scripts_size = size;
}

/* Find the end of the vdso's file. Its mapping is larger, because it consists
 * of whole pages. */
static struct error *vdso_end(struct process *process, uint64_t low,
			      uint64_t high, uint64_t *end)
{
	Elf64_Ehdr header;
	Elf64_Phdr segment;

	TRY(target_read(process, low, &header, sizeof(header)));
	*end = low + header.e_shoff +
	       (uint64_t)header.e_shnum * header.e_shentsize;
	for (unsigned i = 0; i < header.e_phnum; i++) {
		TRY(target_read(process,
				low + header.e_phoff + i * sizeof(segment),
				&segment, sizeof(segment)));
		if (low + segment.p_offset + segment.p_filesz > *end)
			*end = low + segment.p_offset + segment.p_filesz;
	}
	if (memcmp(header.e_ident, ELFMAG, SELFMAG) != 0 || *end > high)
		return error_create(ERROR_OTHER,
				    "the vdso of process %d is not an ELF file",
				    process->pid);
	/* the zero byte that ends the file's last string may be behind the end
	 * that the headers tell */
	*end = ALIGN_UP(*end + 1);
	return NULL;
}

struct error *target_vdso_room(struct process *process, uint64_t *low,
			       uint64_t *high)
{
	struct mapping_list maps;
	uint64_t from = 0, to = 0;

	TRY(target_read_maps(process->pid, &maps));
	for (size_t i = 0; i < maps.count; i++) {
		if (str_equal(maps.data[i].path, "[vdso]")) {
			from = maps.data[i].low;
			to = maps.data[i].high;
		}
	}
	mapping_list_deinit(&maps);
	/* the process may have ended while its maps were read */
	if (!from)
		TRY(memory_is_there(process));
	if (!from)
		return error_create(ERROR_OTHER, "process %d has no vdso",
				    process->pid);
	*high = to;
	return vdso_end(process, from, to, low);
}

/* The number of zero bytes from `at` to the next byte that is not zero, or to
 * the end. */
static size_t zeros_at(const uint8_t *bytes, size_t size, size_t at)
{
	size_t end = at;
	uint64_t word;

	/* The room is large and mostly zeros, and the tool searches it at each
	 * calibration while the thread waits. So the tool compares words first,
	 * and bytes only at the end of the zeros. */
	for (; end + sizeof(word) <= size; end += sizeof(word)) {
		memcpy(&word, bytes + end, sizeof(word));
		if (word)
			break;
	}
	while (end < size && !bytes[end])
		end++;
	return end - at;
}

/* Find `wanted` bytes of room, and return their offset; `size`: there is no
 * room. */
static size_t find_zeros(const uint8_t *bytes, size_t size, size_t wanted)
{
	size_t at = 0;

	while (at < size) {
		size_t run = zeros_at(bytes, size, at);
		size_t start = at ? ALIGN_UP(at + GAP_BEHIND) : 0;
		size_t end = at + run;

		/* If other bytes follow, they may be a script that begins with
		 * zeros (its mask and data). So the tool leaves the end of this
		 * run of zeros free. */
		if (end < size)
			end = run > ARCH_SCRIPT_SIZE ? end - ARCH_SCRIPT_SIZE
						     : at;
		if (start + wanted <= end)
			return start;
		for (at += run; at < size && bytes[at]; at++)
			;
	}
	return size;
}

struct error *target_find_script_room(struct process *process, size_t size,
				      uint64_t *address)
{
	uint64_t low = process->scripts, high = low + process->scripts_size;
	struct error *error;
	uint8_t *bytes;
	size_t at;

	if (!low)
		TRY(target_vdso_room(process, &low, &high));
	bytes = xmalloc(high - low);
	error = target_read(process, low, bytes, high - low);
	if (!error) {
		at = find_zeros(bytes, high - low, size);
		if (at < high - low)
			*address = low + at;
		else
			error = error_create(ERROR_OTHER,
					     "no room for a remote call in "
					     "process %d",
					     process->pid);
	}
	free(bytes);
	return error;
}
