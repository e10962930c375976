/*
 * restoration.c - taking the int3s of a tool that died out of the program's
 * code
 *
 * The program has gone on since that tool died, perhaps for hours. Where an
 * int3 of that tool was, there may be other memory now, in which a byte 0xcc is
 * the program's own. So an original byte is only put back if the code is the
 * same as the code into which the int3 was put. The code is recognized as
 * follows:
 *
 *	memory		same code if		the int3 is removed if
 *	a file's code	device, inode and	the file has the original
 *			offset are the same	byte there
 *	other memory	it is no file's, or	the instruction's other bytes
 *			is writable		and those before it are there
 *
 * If the code is not the same, the int3 may still be the tool's: code may have
 * been copied to other memory at the same address, or an operand may have been
 * patched. If there is reason to think so, the int3 stays, and so does the
 * handler that lets threads go on there. If not, the site is forgotten.
 */
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "perftool/base/alloc.h"
#include "perftool/target/memory_maps.h"
#include "probe/probe_state.h"
#include "probe/process/process.h"
#include "probe/site/site.h"
#include "recovery.h"

enum verdict { OUT, OURS, CHANGED, FOREIGN };

struct restoring {
	struct space *space;
	const struct mapping_list *maps;
	/* for each mapping: the descriptor of its file, or NOT_OPENED or
	 * NO_FILE */
	int *files;
	struct map entries; /* site -> struct store_entry */
};

enum { NOT_OPENED = -1, NO_FILE = -2 };

/* ---- comparing memory ---------------------------------------------------- */

static bool is_same_mapping(const struct mapping *mapping,
			    const struct store_entry *entry)
{
	if (mapping->inode != entry->inode)
		return false;
	return !entry->inode ||
	       (mapping->device == entry->device &&
		mapping->offset + entry->site - mapping->low == entry->offset);
}

/* Read the byte that the file of a mapping has for the address. Returns false
 * if the file has no such byte, or if memory may rightly differ from the
 * file. */
static bool read_file(struct restoring *restoring,
		      const struct mapping *mapping, uint64_t address,
		      uint8_t *byte)
{
	int *file = &restoring->files[mapping - restoring->maps->data];

	if (*file == NOT_OPENED) {
		char *path = NULL;

		if (mapping->inode && !mapping->shared && !mapping->writable)
			path = target_file_of_mapping(
				restoring->space->process->pid, mapping, NULL);
		*file = path ? open(path, O_RDONLY | O_CLOEXEC) : NO_FILE;
		if (*file < 0)
			*file = NO_FILE;
		free(path);
	}
	return *file != NO_FILE &&
	       pread(*file, byte, 1,
		     (off_t)(mapping->offset + address - mapping->low)) == 1;
}

/* Are these bytes of a site a jump to memory of the tool? */
static bool is_our_jump(const struct restoring *restoring,
			const struct store_entry *entry, const uint8_t *bytes,
			size_t size)
{
	const struct mapping *mapping;
	struct error *error;
	struct insn insn;

	error = arch_decode(bytes, size, entry->site, &insn);
	if (error) {
		error_destroy(error);
		return false;
	}
	if (insn.kind != INSN_JUMP)
		return false;
	mapping = find_mapping(restoring->maps, insn.target);
	return mapping && is_own_mapping(mapping);
}

/* Is the int3 or the jump of the earlier tool still in memory? */
static bool is_in(const struct restoring *restoring,
		  const struct store_entry *entry)
{
	struct process *process = restoring->space->process;
	uint8_t bytes[ARCH_MAX_INSN];
	size_t size = sizeof(bytes);

	while (size && !target_read_callback(process, entry->site, bytes, size))
		size--;
	return size && (bytes[0] == ARCH_INT3 ||
			is_our_jump(restoring, entry, bytes, size));
}

/* May the patch of another site have displaced a byte `wanted` at this
 * address? */
static bool is_displaced(const struct restoring *restoring, uint64_t address,
			 uint8_t wanted)
{
	for (size_t i = 0; i < PATCH_SIZE; i++) {
		const struct store_entry *other =
			map_get(&restoring->entries, address - i);

		if (other && i < other->length && other->original[i] == wanted)
			return true;
	}
	return false;
}

/* Does memory hold the bytes `wanted`, which are the program's? Other int3s and
 * jumps of the dead tool may still be among them. */
static bool is_there(const struct restoring *restoring, uint64_t address,
		     const uint8_t *wanted, size_t size)
{
	struct process *process = restoring->space->process;
	uint8_t bytes[ARCH_MAX_INSN];

	if (!target_read_callback(process, address, bytes, size))
		return size == 0;
	for (size_t i = 0; i < size; i++)
		if (bytes[i] != wanted[i] &&
		    !is_displaced(restoring, address + i, wanted[i]))
			return false;
	return true;
}

/* Does memory hold the rest of the site's instruction, and the bytes that
 * preceded the instruction? */
static bool is_same_code(const struct restoring *restoring,
			 const struct store_entry *entry)
{
	size_t before = store_before_size(entry->site);
	struct error *error;
	struct insn insn;

	error = arch_decode(entry->original, sizeof(entry->original),
			    entry->site, &insn);
	if (error) {
		error_destroy(error);
		return false;
	}
	return is_there(restoring, entry->site + entry->length,
			entry->original + entry->length,
			insn.length > entry->length
				? insn.length - entry->length
				: 0) &&
	       is_there(restoring, entry->site - before,
			entry->before + STORE_BEFORE - before, before);
}

/* ---- deciding about a site ----------------------------------------------- */

static enum verdict judge(struct restoring *restoring,
			  const struct store_entry *entry,
			  const struct mapping *mapping)
{
	uint8_t byte;
	bool same;

	if (!mapping || !is_in(restoring, entry))
		return OUT;
	if (is_own_mapping(mapping))
		return OURS;
	same = is_same_mapping(mapping, entry);
	if (same && mapping->executable &&
	    read_file(restoring, mapping, entry->site, &byte))
		return byte == entry->original[0] ? OURS : CHANGED;
	if (is_same_code(restoring, entry))
		return same && mapping->executable ? OURS : CHANGED;
	return same ? CHANGED : FOREIGN;
}

static struct error *restore(struct restoring *restoring,
			     struct leftover leftover, struct restored *out)
{
	struct space *space = restoring->space;
	struct store_entry *entry = &leftover.entry;
	const struct mapping *mapping =
		find_mapping(restoring->maps, entry->site);

	switch (judge(restoring, entry, mapping)) {
	case OUT:
		break;
	case OURS:
		TRY(target_write(space->process, entry->site, entry->original,
				 entry->length));
		out->removed += !is_own_mapping(mapping);
		break;
	case CHANGED:
		out->changed++;
		map_set(&space->store.left, entry->site,
			(void *)(uintptr_t)(entry->original[0] + 1));
		return NULL;
	case FOREIGN:
		out->foreign++;
		/* If a thread executes an int3 there now, the program wants
		 * that. So the handler must not find a slot for this address
		 * any more. */
		entry->slot = 0;
		break;
	}
	entry->length = 0;
	return store_write_entry(space, leftover.number, entry);
}

static int compare(const void *a, const void *b)
{
	const struct leftover *x = a, *y = b;

	return x->entry.site < y->entry.site ? -1 : 1;
}

struct error *restore_sites(struct space *space,
			    const struct mapping_list *maps,
			    struct leftover_list *leftovers,
			    struct restored *out)
{
	struct restoring restoring = {.space = space, .maps = maps};
	struct error *error = NULL;

	restoring.files = xmalloc(maps->count * sizeof(int));
	for (size_t i = 0; i < maps->count; i++)
		restoring.files[i] = NOT_OPENED;
	/* The displacement of a jump may end in the bytes of the next jump, so
	 * sites are restored in the order of their addresses. */
	if (leftovers->count)
		qsort(leftovers->data, leftovers->count,
		      sizeof(*leftovers->data), compare);
	for (size_t i = 0; i < leftovers->count; i++)
		map_set(&restoring.entries, leftovers->data[i].entry.site,
			&leftovers->data[i].entry);
	for (size_t i = 0; !error && i < leftovers->count; i++)
		error = restore(&restoring, leftovers->data[i], out);
	for (size_t i = 0; i < maps->count; i++)
		if (restoring.files[i] >= 0)
			close(restoring.files[i]);
	free(restoring.files);
	map_deinit(&restoring.entries);
	return error;
}
