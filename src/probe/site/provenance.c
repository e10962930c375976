/*
 * provenance.c - does memory hold what a module's file has there?
 *
 * A site is inserted only if the answer is yes. The address must be mapped from
 * the file of its module, at the offset that the site has in that file, and the
 * mapping must be private. The bytes must be those of the file. Code that is in
 * no file (code that the program made while it runs) only has to be mapped
 * privately.
 *
 * A site in a shared mapping is refused, because the kernel does not copy the
 * pages of such a mapping before they are written to: the breakpoint would be
 * in the file itself, and in every process that maps the file.
 */
#include "provenance.h"
#include "perftool/probe/loaded_modules.h"
#include "perftool/target/memory_maps.h"

#include <inttypes.h>
#include <string.h>

#include "probe/probe_state.h"
#include "probe/process/process.h"
#include "site.h"

/* ---- what is mapped at an address ---------------------------------------- */

/* The module at an address, and the offset that the address has in the module's
 * file. NULL if no file has a byte for the address. */
static const struct module *find_source(struct space *space, uint64_t address,
					uint64_t *offset)
{
	const struct module *module = space_module_at(space, address);
	struct debugfile *file = module ? module_file(module) : NULL;

	return file && debugfile_offset_of_address(file, address - module->bias,
						   offset)
		       ? module
		       : NULL;
}

bool is_in_file(struct space *space, uint64_t address)
{
	uint64_t offset;

	return find_source(space, address, &offset) != NULL;
}

static bool is_from_file(struct space *space, const struct module *module,
			 uint64_t address, uint64_t offset)
{
	const struct mapping *mapping = space_mapping_at(space, address);

	return mapping &&
	       is_mapping_of(mapping, module->device, module->inode) &&
	       is_mapped_from(mapping, address, offset);
}

struct error *check_mapping(struct space *space, uint64_t address)
{
	const struct mapping *mapping = space_mapping_at(space, address);
	const struct module *module;
	uint64_t offset;

	if (mapping && mapping->shared)
		return error_create(
			ERROR_OTHER,
			"0x%" PRIx64 " is in a shared mapping (%s), where a "
			"breakpoint would change the file and every process "
			"that maps it; only code that is mapped privately can "
			"be measured",
			address, *mapping->path ? mapping->path : "anonymous");
	module = find_source(space, address, &offset);
	if (!module || is_from_file(space, module, address, offset))
		return NULL;
	return error_create(
		ERROR_OTHER,
		"0x%" PRIx64
		" is not mapped from %s: the program has put other memory "
		"there, so the symbols of the file do not describe it",
		address, module->name);
}

/* ---- the bytes at an address --------------------------------------------- */

/* Read the bytes that the file has at the address; returns how many bytes the
 * file has there. */
static size_t read_file(const struct module *module, uint64_t address,
			uint8_t *bytes, size_t size)
{
	return debugfile_read(module_file(module), address - module->bias,
			      bytes, size);
}

/* Does the run-time linker write into the code (DT_TEXTREL)? */
static bool is_relocated(const struct module *module)
{
	return debugfile_facts(module_file(module))->has_text_relocations;
}

struct error *check_first_byte(struct space *space, uint64_t address,
			       uint8_t byte)
{
	const struct module *module;
	uint64_t offset;
	uint8_t original;

	if (byte != ARCH_INT3)
		return NULL;
	module = find_source(space, address, &offset);
	if (!module || read_file(module, address, &original, 1) != 1 ||
	    original == ARCH_INT3)
		return NULL;
	return error_create(ERROR_OTHER,
			    "0x%" PRIx64 ": another tool has an int3 there "
			    "(perhaps a kernel uprobe, as of bpftrace or "
			    "perf), and would get the hits; end that tool, or "
			    "measure another place",
			    address);
}

bool is_of_file(struct space *space, uint64_t address, const uint8_t *bytes,
		size_t size)
{
	const struct module *module;
	uint8_t original[MOST_COMPARED];
	uint64_t offset;

	module = find_source(space, address, &offset);
	if (!module || is_relocated(module))
		return true;
	return size <= sizeof(original) &&
	       read_file(module, address, original, size) == size &&
	       memcmp(bytes, original, size) == 0;
}

struct error *check_code(struct space *space, const struct insn *insn)
{
	const struct module *module;
	uint64_t offset;

	if (is_of_file(space, insn->address, insn->bytes, insn->length))
		return NULL;
	module = find_source(space, insn->address, &offset);
	return error_create(ERROR_OTHER,
			    "0x%" PRIx64 ": the code there is not that of %s: "
			    "the program or another tool has changed it, and "
			    "may do so again",
			    insn->address, module->name);
}

/* ---- may an int3 be taken out? ------------------------------------------- */

/* How many bytes behind a patched byte are compared with the file. They are the
 * bytes that the program has there, without the tool's patches. */
#define BEHIND (MOST_COMPARED - 1)

bool may_be_ours(struct space *space, uint64_t address)
{
	const struct mapping *mapping = space_mapping_at(space, address);
	const struct module *module;
	uint8_t bytes[BEHIND];
	struct error *error;
	uint64_t offset;
	size_t got;

	if (mapping && mapping->shared)
		return false;
	module = find_source(space, address, &offset);
	if (!module || is_from_file(space, module, address, offset))
		return true;
	/* The memory is not mapped from the file, but the program may have put
	 * a copy of its code there. */
	error = read_original(space, address + 1, bytes, sizeof(bytes), &got);
	if (error) {
		error_destroy(error);
		return false;
	}
	return is_of_file(space, address + 1, bytes, got);
}
