/*
 * taken_addresses.c - addresses of code that the run-time linker writes into
 * words of the loaded file
 *
 * In a file that is loaded anywhere, each word that holds an address needs a
 * relocation. So the relocations list the functions whose address is in data
 * (tables of functions, virtual tables) and the labels of computed jumps.
 */
#include "debugfile.h"
#include "relocations.h"

struct search {
	const struct range_list *ranges;
	struct address_list *out;
};

static bool visit(void *context, const struct relocation *relocation)
{
	const struct search *search = context;
	uint64_t address = relocation->addend;
	Elf64_Sym symbol;

	if (relocation->type == R_X86_64_64 &&
	    relocation_symbol(relocation, &symbol) && symbol.st_shndx)
		address += symbol.st_value;
	else if (relocation->type != R_X86_64_RELATIVE)
		return true;
	if (range_list_has(search->ranges, address))
		vec_push(search->out, address);
	return true;
}

void debugfile_taken_addresses(struct debugfile *file,
			       const struct range_list *ranges,
			       struct address_list *out)
{
	struct search search = {ranges, out};
	struct relocations relocations;

	relocations_find(&file->image, &relocations);
	relocations_each(&relocations, visit, &search);
}
