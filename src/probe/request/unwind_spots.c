/*
 * unwind_spots.c - the spots of REQUEST_UNWINDS: where frames are left that do
 * not return
 *
 * These are the instructions with which longjmp, and the unwinders of
 * exceptions, go on in another frame, and the entry of _exit(), which exit()
 * calls at last. What the kernel does after that, to free the memory of the
 * process, is no time of the functions that are open.
 *
 * An unwinder ends by loading the stack pointer, and a jump or a return a
 * few instructions later. It may stand in a function of the library that has no
 * name, to which the functions lead that programs call. At the jump the stack
 * pointer says which frames have gone. The same is true of any other
 * instruction on the stack of a thread, so a spot that is none does no harm.
 */
#include "call_spots.h"
#include "perftool/base/str.h"
#include "probe/probe_state.h"
#include "probe/site/site.h"

static const char *const unwinders[] = {
	/* the C library's, and what is behind these names */
	"longjmp", "_longjmp", "siglongjmp", "__longjmp_chk", "__longjmp",
	/* libgcc's and LLVM's: exceptions, and the ends of threads */
	"_Unwind_RaiseException", "_Unwind_Resume", "_Unwind_Resume_or_Rethrow",
	"_Unwind_ForcedUnwind", "__libunwind_Registers_x86_64_jumpto"};

/* The C library's functions that end the process. */
static const char *const process_ends[] = {"_exit", "_Exit"};

/* The most bytes of a function that are looked at. */
#define MOST_CODE 2048
/* The same if its end is not known. */
#define FEW_CODE 320
/* How far behind the load of the stack pointer the jump may be, in
 * instructions. */
#define MOST_BEHIND 4
/* How many functions are between the one that a program calls and the one that
 * makes the jump. */
#define MOST_BETWEEN 2

static bool is_listed(const struct spot_list *list, uint64_t address)
{
	for (size_t i = 0; i < list->count; i++)
		if (list->data[i].address == address)
			return true;
	return false;
}

static bool is_seen(const struct address_list *seen, uint64_t address)
{
	for (size_t i = 0; i < seen->count; i++)
		if (seen->data[i] == address)
			return true;
	return false;
}

static void add_spot(struct debugfile *file, const struct insn *jump,
		     struct spot_list *out)
{
	struct spot spot = {.address = jump->address, .role = ROLE_UNWIND};

	if (is_listed(out, jump->address))
		return;
	if (!debugfile_function_at(file, jump->address, &spot.function))
		spot.function = (struct function){.address = jump->address};
	/* A return takes its address from the stack. */
	if (jump->kind != INSN_RETURN)
		spot.shift = -8;
	vec_push(out, spot);
}

static size_t read_code(struct debugfile *file, uint64_t address,
			uint8_t code[static MOST_CODE])
{
	struct function function;
	uint64_t size = FEW_CODE;

	if (debugfile_function_at(file, address, &function) && function.size &&
	    function.address == address)
		size = function.size;
	return debugfile_read(file, address, code,
			      size < MOST_CODE ? size : MOST_CODE);
}

/* Look through the code from an address on, and through the functions that it
 * leads to. */
static void look(struct debugfile *file, uint64_t address, unsigned between,
		 struct address_list *seen, struct spot_list *out)
{
	uint8_t code[MOST_CODE];
	unsigned behind = MOST_BEHIND;
	struct error *error;
	struct insn insn;
	size_t size;

	if (is_seen(seen, address))
		return;
	vec_push(seen, address);
	size = read_code(file, address, code);
	for (size_t at = 0; at < size; at += insn.length) {
		error = arch_decode(code + at, size - at, address + at, &insn);
		if (error) {
			error_destroy(error);
			return;
		}
		if (arch_loads_stack_pointer(&insn)) {
			behind = 0;
		} else if (behind++ < MOST_BEHIND &&
			   (insn.kind == INSN_JUMP_INDIRECT ||
			    insn.kind == INSN_RETURN)) {
			add_spot(file, &insn, out);
			behind = MOST_BEHIND;
		}
		if (behind > MOST_BEHIND)
			behind = MOST_BEHIND;
		if (between &&
		    (insn.kind == INSN_CALL || insn.kind == INSN_JUMP) &&
		    (insn.target < address || insn.target >= address + size))
			look(file, insn.target, between - 1, seen, out);
	}
}

/* Find the functions with one of these names, and no other name. */
static struct error *find_all(struct debugfile *file, const char *const *names,
			      size_t count, struct function_list *out)
{
	struct error *error = NULL;

	for (size_t i = 0; !error && i < count; i++) {
		struct function_list found = {0};

		error = debugfile_find_functions(file, names[i], &found);
		for (size_t j = 0; !error && j < found.count; j++)
			if (found.data[j].name &&
			    str_equal(found.data[j].name, names[i]))
				vec_push(out, found.data[j]);
		vec_free(&found);
	}
	return error;
}

static struct error *add_unwinders(struct debugfile *file,
				   struct spot_list *out)
{
	struct function_list found = {0};
	struct address_list seen = {0};
	struct error *error;

	error = find_all(file, unwinders,
			 sizeof(unwinders) / sizeof(*unwinders), &found);
	for (size_t i = 0; !error && i < found.count; i++)
		look(file, found.data[i].address, MOST_BETWEEN, &seen, out);
	vec_free(&found);
	vec_free(&seen);
	return error;
}

static struct error *add_process_ends(struct debugfile *file,
				      struct spot_list *out)
{
	struct function_list found = {0};
	struct error *error;

	error = find_all(file, process_ends,
			 sizeof(process_ends) / sizeof(*process_ends), &found);
	for (size_t i = 0; !error && i < found.count; i++)
		if (!is_listed(out, found.data[i].address))
			vec_push(out,
				 (struct spot){.address = found.data[i].address,
					       .role = ROLE_PROCESS_END,
					       .function = found.data[i]});
	vec_free(&found);
	return error;
}

struct error *spots_of_unwinds(struct debugfile *file, struct spot_list *out)
{
	TRY(add_unwinders(file, out));
	return add_process_ends(file, out);
}
