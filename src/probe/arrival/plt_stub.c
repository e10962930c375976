/*
 * plt_stub.c - the stubs of a procedure linkage table, recognized by their
 * code: see plt_stub.h
 */
#include "plt_stub.h"
#include "perftool/probe/loaded_modules.h"

#include <string.h>

#include "probe/probe_state.h"
#include "probe/process/process.h"
#include "probe/site/site.h"

static bool read_insn(struct space *space, uint64_t address, struct insn *out)
{
	uint8_t bytes[ARCH_MAX_INSN];
	struct error *error;
	size_t got;

	error = read_original(space, address, bytes, sizeof(bytes), &got);
	if (!error)
		error = arch_decode(bytes, got, address, out);
	if (!error)
		return true;
	error_destroy(error);
	return false;
}

static bool is_landing_pad(const struct insn *insn)
{
	static const uint8_t endbr64[] = {0xf3, 0x0f, 0x1e, 0xfa};

	return insn->length == sizeof(endbr64) &&
	       memcmp(insn->bytes, endbr64, sizeof(endbr64)) == 0;
}

/* Read the first instruction at an address, other than an endbr64, which has no
 * effect. */
bool stub_read_first(struct space *space, uint64_t address, struct insn *out)
{
	return read_insn(space, address, out) &&
	       (!is_landing_pad(out) ||
		read_insn(space, address + out->length, out));
}

/* Find the word through which an indirect jump goes, if the jump addresses the
 * word relative to the code. */
bool stub_find_word(const struct insn *insn, uint64_t *word)
{
	/* The jump may begin with a bnd prefix. */
	size_t prefix = insn->bytes[0] == 0xf2;
	const uint8_t *bytes = insn->bytes + prefix;
	int32_t offset;

	if (insn->kind != INSN_JUMP_INDIRECT || insn->length != prefix + 6 ||
	    bytes[0] != 0xff || bytes[1] != 0x25)
		return false;
	memcpy(&offset, bytes + 2, sizeof(offset));
	*word = insn->address + insn->length + (uint64_t)(int64_t)offset;
	return true;
}

static bool is_push(const struct insn *insn)
{
	return insn->bytes[0] == 0x68 ||
	       (insn->bytes[0] == 0xff && insn->bytes[1] == 0x35);
}

/*
 * If the run-time linker has not filled in the word of a stub, the word leads
 * back to the procedure linkage table. The code there pushes the number of the
 * relocation and jumps to the first entry of the table. The first entry pushes
 * another value and jumps to the run-time linker. `*linker` gets the address of
 * the run-time linker.
 */
bool stub_is_unbound(struct space *space, uint64_t target, uint64_t *linker)
{
	struct insn insn;
	uint64_t word;

	if (!stub_read_first(space, target, &insn) || !is_push(&insn) ||
	    !read_insn(space, insn.address + insn.length, &insn) ||
	    insn.kind != INSN_JUMP || !read_insn(space, insn.target, &insn) ||
	    !is_push(&insn) ||
	    !read_insn(space, insn.address + insn.length, &insn) ||
	    !stub_find_word(&insn, &word))
		return false;
	return target_read_callback(space->process, word, linker,
				    sizeof(*linker));
}

/* Is `target`, the content of a stub's word, the address of a function? Then
 * the word is filled in. */
bool stub_is_bound(struct space *space, uint64_t target)
{
	struct module *module = space_module_at(space, target);
	struct debugfile *file = module ? module_file(module) : NULL;
	struct function function;
	uint64_t linker;

	return file && !stub_is_unbound(space, target, &linker) &&
	       debugfile_function_at(file, target - module->bias, &function);
}
