/*
 * go.c - Go programs: how to find the goroutine that a thread executes
 *
 * The Go runtime keeps the address of the running goroutine's descriptor (its
 * `struct g`) in a thread-local variable, runtime.tlsg. Go's own linker places
 * this variable 8 bytes below the thread pointer. Another linker places it in
 * the program's block of thread-local variables. The descriptor begins with the
 * bounds of the goroutine's stack. The offset of the goroutine's number in the
 * descriptor depends on the version of the runtime. The debug information gives
 * this offset; without debug information the tool derives the offset from the
 * version. The same is true of the members that tell where a goroutine has left
 * its stack for that of the thread.
 */
#include "go.h"

#include <elf.h>
#include <gelf.h>
#include <stdlib.h>
#include <string.h>

#include "debuginfo/elf/elf.h"
#include "debuginfo/locations/locations.h"
#include "debuginfo/symbols/symbols.h"
#include "perftool/arch.h"
#include "perftool/base/alloc.h"
#include "perftool/base/str.h"
#include "perftool/debuginfo/debug_variables.h"
#include "perftool/debuginfo/go_program.h"
#include "perftool/debugtype.h"

/* The offset of runtime.tlsg from the thread pointer, if Go's own linker made
 * the file. */
#define GO_TLS (-8)

/* The offset of stack.hi, the end of the goroutine's stack, in struct g of
 * runtime/runtime2.go. It is fixed, because compilers and cgo know the offsets
 * of the first members, as a comment there says. */
#define GO_STACK_TOP 8

/* The offsets in struct g of m, and of sched, which begins with sp and pc. */
#define GO_THREAD 48
#define GO_LEFT 56
/* The offset of bp in sched (struct gobuf), and of curg in struct m, where
 * debug information does not tell. */
#define GOBUF_BP 48
#define GO_RUNNING 192

/*
 * The layout of the section .go.buildinfo: what it begins with, and the offset
 * of its flags, the flag that the strings are in the section itself, and the
 * offset of the strings. The package debug/buildinfo of Go's library describes
 * it.
 */
#define BUILDINFO_MAGIC "\xff Go buildinf:"
#define BUILDINFO_FLAGS 15
#define BUILDINFO_INLINE 2
#define BUILDINFO_STRINGS 32

/* ---- recognising a Go program -------------------------------------------- */

/* The N of go1.N in a version text; 0: there is none. */
static unsigned minor_of(const char *version)
{
	const char *at = strstr(version, "go1.");

	return at ? (unsigned)strtoul(at + 4, NULL, 10) : 0;
}

/* The N of the Go version go1.N that built the file; 0: not known. The result
 * is 17 for all versions before go1.18, because they do not write the version
 * into this section. */
static unsigned read_minor(const struct debugfile *file)
{
	size_t index = image_find_section(&file->image, ".go.buildinfo");
	size_t magic = sizeof(BUILDINFO_MAGIC) - 1, length;
	struct bytes bytes;
	char text[64];

	if (!index)
		return 0;
	bytes = image_section_bytes(&file->image, index);
	if (bytes.size <= BUILDINFO_STRINGS ||
	    memcmp(bytes.data, BUILDINFO_MAGIC, magic) != 0)
		return 0;
	if (!(bytes.data[BUILDINFO_FLAGS] & BUILDINFO_INLINE))
		return 17;
	/* The length is a varint, but a version is so short that the varint has
	 * one byte. */
	length = bytes.data[BUILDINFO_STRINGS];
	if (length >= sizeof(text) ||
	    length > bytes.size - BUILDINFO_STRINGS - 1)
		return 0;
	memcpy(text, bytes.data + BUILDINFO_STRINGS + 1, length);
	text[length] = 0;
	return minor_of(text);
}

/* The offset of the goroutine's number (goid) in struct g for the version
 * go1.`minor`, from runtime/runtime2.go; 0: not known. */
static uint32_t goid_by_version(unsigned minor)
{
	if (minor >= 17 && minor <= 22)
		return 152;
	return minor == 23 || minor == 24 ? 160 : 0;
}

/* The offset of a member of a type of the runtime; 0: debug information does
 * not tell. */
static uint32_t find_offset(struct debugfile *file, uint64_t code,
			    const char *name, const char *member_name)
{
	struct debugtype *type = debugfile_find_type(file, code, name);
	struct debugmember member;

	if (type && debugtype_find_member(type, member_name, &member) &&
	    member.offset && member.offset < ARCH_PAGE)
		return (uint32_t)member.offset;
	return 0;
}

static void find_offsets(struct debugfile *file, struct go_runtime *runtime)
{
	uint64_t code = runtime->code.low;
	unsigned minor = read_minor(file);
	uint32_t bp = find_offset(file, code, "runtime.gobuf", "bp");

	runtime->goid = find_offset(file, code, "runtime.g", "goid");
	if (!runtime->goid)
		runtime->goid = goid_by_version(minor);
	runtime->thread = GO_THREAD;
	runtime->left_sp = GO_LEFT;
	runtime->left_pc = GO_LEFT + 8;
	runtime->left_bp = GO_LEFT + (bp ? bp : GOBUF_BP);
	runtime->running = find_offset(file, code, "runtime.m", "curg");
	if (!runtime->running && minor >= 17 && minor <= 24)
		runtime->running = GO_RUNNING;
}

/* The offset of the symbol runtime.tlsg in the program's TLS block. */
static bool find_tlsg(struct debugfile *file, uint64_t *offset)
{
	struct data_symbol symbol;

	if (!debugfile_find_data(file, "runtime.tlsg", DATA_GLOBAL, &symbol) &&
	    !debugfile_find_data(file, "runtime.tlsg", DATA_LOCAL, &symbol))
		return false;
	*offset = symbol.address;
	return symbol.is_thread_local;
}

/* Find the offset of runtime.tlsg from the thread pointer. False: the offset is
 * not known. */
static bool find_slot(struct debugfile *file, int32_t *slot)
{
	uint64_t size, offset;
	int64_t distance;

	*slot = GO_TLS;
	if (!tls_program_distance(file, &size, &distance))
		return true;
	/* The program's block of thread-local variables may also hold variables
	 * of C code. Without the symbol, runtime.tlsg is known to be in the
	 * block's first word only if the block has no other words. */
	if (find_tlsg(file, &offset) && offset < size)
		*slot = (int32_t)(distance + (int64_t)offset);
	else if (size != sizeof(uint64_t))
		return false;
	return true;
}

/* Is the file a Go program? A Go library is not one, because the offset of
 * runtime.tlsg is not known in a library. */
static bool is_go_program(const struct debugfile *file)
{
	const struct image *image = &file->image;

	return (image_find_section(image, ".note.go.buildid") ||
		image_find_section(image, ".go.buildinfo")) &&
	       (!image->position_independent ||
		(image->has_interpreter && !file->facts.soname));
}

const struct go_runtime *debugfile_go(struct debugfile *file)
{
	struct go_file *go = file->go;

	if (!go) {
		go = file->go = xcalloc(1, sizeof(*go));
		go->is_go = is_go_program(file);
		if (go->is_go) {
			struct go_runtime *runtime = &go->runtime;

			runtime->code =
				symbols_go_code(file, file_symbols(file));
			runtime->has_slot = find_slot(file, &runtime->slot);
			runtime->stack_top = GO_STACK_TOP;
			find_offsets(file, runtime);
		}
	}
	return go->is_go ? &go->runtime : NULL;
}

bool debugfile_is_go_code(struct debugfile *file, uint64_t address)
{
	const struct go_runtime *go = debugfile_go(file);

	return go && address >= go->code.low && address < go->code.high;
}

/* A static program has no thread pointer until runtime.settls has set one. The
 * functions that run before that are recognised by their names. */
bool debugfile_go_has_begun(struct debugfile *file, uint64_t address)
{
	static const char *const early[] = {"_rt0_", "runtime.rt0_go",
					    "runtime.settls"};
	const struct symbol *symbol;

	if (!file || !debugfile_is_go_code(file, address))
		return false;
	if (file->image.has_interpreter)
		return true;
	symbol = symbols_at(file, address);
	for (size_t i = 0; symbol && i < sizeof(early) / sizeof(*early); i++)
		if (str_starts(symbol->name, early[i]))
			return false;
	return symbol != NULL;
}

/* ---- changes of stacks ----------------------------------------------------
 */

enum go_stack_role debugfile_go_role(struct debugfile *file, uint64_t address)
{
	static const struct {
		const char *name;
		enum go_stack_role role;
	} roles[] = {
		{"goexit", GO_OUTERMOST},
		{"rt0_go", GO_OUTERMOST},
		/* leaves its goroutine, which may be executed by another thread
		 * before this one has found another goroutine */
		{"mcall", GO_OUTERMOST},
		{"clone", GO_OUTERMOST},
		{"systemstack", GO_SYSTEMSTACK},
		{"morestack", GO_MORESTACK},
		{"asmcgocall", GO_CGOCALL},
		{"cgocallback", GO_CALLBACK},
	};
	const struct symbol *symbol;
	const char *name;

	if (!debugfile_is_go_code(file, address))
		return GO_SAME_STACK;
	symbol = symbols_at(file, address);
	if (!symbol || !str_starts(symbol->name, "runtime."))
		return GO_SAME_STACK;
	name = symbol->name + strlen("runtime.");
	for (size_t i = 0; i < sizeof(roles) / sizeof(*roles); i++) {
		size_t length = strlen(roles[i].name);

		/* Code in assembly has a suffix that names its ABI. */
		if (strncmp(name, roles[i].name, length) == 0 &&
		    (!name[length] || strcmp(name + length, ".abi0") == 0))
			return roles[i].role;
	}
	return GO_SAME_STACK;
}

bool debugfile_go_has_frame(struct debugfile *file, uint64_t address)
{
	/* push %rbp; mov %rsp,%rbp */
	static const uint8_t pushes[] = {0x55, 0x48, 0x89, 0xe5};
	const struct symbol *symbol = symbols_at(file, address);
	uint8_t code[sizeof(pushes)];

	return symbol &&
	       debugfile_read(file, symbol->address, code, sizeof(code)) ==
		       sizeof(code) &&
	       memcmp(code, pushes, sizeof(code)) == 0;
}

/* ---- the check of the stack ---------------------------------------------- */

/* A function begins with a check for room on the stack. This is the most
 * instructions before the jump that ends the check: lea or mov, sub, cmp,
 * jbe. */
#define MOST_CHECKING 5

static bool starts_with(const struct insn *insn, const char *bytes, size_t size)
{
	return insn->length >= size && memcmp(insn->bytes, bytes, size) == 0;
}

#define STARTS_WITH(insn, bytes) starts_with(insn, bytes, sizeof(bytes) - 1)

/*
 * Is the instruction cmp rsp, [r14+16], the comparison with the goroutine's
 * stackguard0? In place of rsp it may compare r12 or r13, which hold the value
 * that rsp will have.
 */
static bool compares_with_guard(const struct insn *insn)
{
	return STARTS_WITH(insn, "\x49\x3b\x66\x10") ||
	       STARTS_WITH(insn, "\x4d\x3b\x66\x10") ||
	       STARTS_WITH(insn, "\x4d\x3b\x6e\x10");
}

/* May the instruction stand before the comparison of the check for room on the
 * stack (compares_with_guard())? Such an instruction changes nothing but r12,
 * r13 and the flags, or is a conditional jump forwards. */
static bool prepares_comparison(const struct insn *insn)
{
	return STARTS_WITH(insn, "\x4c\x8d\x64\x24") || /* lea r12, [rsp+] */
	       STARTS_WITH(insn, "\x4c\x8d\xa4\x24") ||
	       STARTS_WITH(insn, "\x4c\x8d\x6c\x24") || /* lea r13, [rsp+] */
	       STARTS_WITH(insn, "\x4c\x8d\xac\x24") ||
	       STARTS_WITH(insn, "\x49\x89\xe4") || /* mov r12, rsp */
	       STARTS_WITH(insn, "\x49\x89\xe5") || /* mov r13, rsp */
	       STARTS_WITH(insn, "\x49\x81\xec") || /* sub r12, */
	       STARTS_WITH(insn, "\x49\x81\xed") || /* sub r13, */
	       (insn->kind == INSN_JUMP_IF && insn->target > insn->address);
}

uint64_t debugfile_go_begins(struct debugfile *file,
			     const struct function *function)
{
	uint8_t code[MOST_CHECKING * ARCH_MAX_INSN];
	bool compared = false;
	struct insn insn;
	size_t size, at = 0;

	if (!debugfile_is_go_code(file, function->address))
		return function->address;
	size = debugfile_read(file, function->address, code, sizeof(code));
	for (unsigned i = 0; i <= MOST_CHECKING && at < size; i++) {
		struct error *error = arch_decode(
			code + at, size - at, function->address + at, &insn);

		if (error) {
			error_destroy(error);
			break;
		}
		at += insn.length;
		if (compared && insn.kind == INSN_JUMP_IF)
			return function->address + at;
		if (compares_with_guard(&insn))
			compared = true;
		else if (compared || !prepares_comparison(&insn))
			break;
	}
	return function->address;
}
