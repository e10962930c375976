/*
 * thread_storage.c - see thread_storage.h
 *
 * Each thread has, for each module (program or library) with thread-local
 * variables, a block of memory with its copies of them. The tool finds the
 * block of a module without help from the program's thread library. The
 * run-time linker writes into certain words of the module how to find the
 * block, because the module's own code needs this; the relocations tell which
 * words these are. Such a word holds a variable's distance from the thread
 * pointer, or the module's number, which is an index in the thread's vector of
 * blocks. The program's own block is where the ABI puts it ("ELF Handling For
 * Thread-Local Storage", variant II).
 */
#include "thread_storage.h"

#include <gelf.h>

#include "debuginfo/elf/elf.h"
#include "perftool/base/alloc.h"
#include "perftool/debuginfo/frame_rules.h"

/* Module numbers (indexes in a thread's vector of blocks) are small. A word
 * with a larger value is taken not to hold a module number. */
#define MAX_MODULE (1U << 20)

/* The greatest distance of a block from the thread pointer, in bytes. */
#define MAX_DISTANCE (1ULL << 40)

/* The ways to find the file's block, best first. */
enum tls_way {
	/* the program's block, which ends at the thread pointer */
	TLS_PROGRAM,
	/* by a word that holds a variable's distance from the thread pointer */
	TLS_DISTANCE,
	TLS_MODULE, /* by a word that holds the module's number */
	/* by a descriptor (TLSDESC): the argument of its function leads to a
	 * distance or a module's number */
	TLS_DESCRIPTOR,
	TLS_UNKNOWN,
	TLS_ABSENT, /* the file has no block */
};

struct tls_module {
	enum tls_way way;
	/* `size`: of the block, in bytes; `distance`, only for TLS_PROGRAM: how
	 * many bytes below the thread pointer the block begins */
	uint64_t size, distance;
	uint64_t image; /* address of the block's initial contents */
	/* address of the word (or of the descriptor), as an address of the
	 * file */
	uint64_t slot;
	/* offset, in the block, of the variable for whose address the module
	 * uses the word */
	uint64_t symbol;
	/* the relocation of the word has no symbol, so the word is surely about
	 * a variable of this module */
	bool certain;
};

void tls_module_destroy(struct tls_module *module)
{
	free(module);
}

/* ---- the file ------------------------------------------------------------ */

/* Is the file a program, and not a library? libc.so.6 has an interpreter like a
 * program, but it also has a soname. */
static bool is_program(const struct relocations *relocations)
{
	const struct image *image = relocations->image;

	return !image->position_independent ||
	       (relocations->flags_1 & DF_1_PIE) ||
	       (image->has_interpreter && !relocations->has_soname);
}

static bool find_segment(const struct image *image, GElf_Phdr *out)
{
	size_t count;

	if (elf_getphdrnum(image->elf, &count) != 0)
		return false;
	for (size_t i = 0; i < count && i < INT32_MAX; i++)
		if (gelf_getphdr(image->elf, (int)i, out) &&
		    out->p_type == PT_TLS)
			return true;
	return false;
}

/* Find the offset, in the module's block, of the variable that a relocation is
 * about. False: the variable is in another module. */
static bool symbol_of(const struct relocation *relocation, uint64_t *offset)
{
	Elf64_Sym symbol = {0};

	if (relocation->symbol && (!relocation_symbol(relocation, &symbol) ||
				   symbol.st_shndx == SHN_UNDEF ||
				   ELF64_ST_TYPE(symbol.st_info) != STT_TLS))
		return false;
	*offset = symbol.st_value + relocation->addend;
	return true;
}

/*
 * Use the relocation if it gives a better way to find the block than those
 * before it. A relocation without a symbol is preferred: it is surely about
 * this module, whereas a variable with a symbol may be replaced by another
 * module's variable.
 */
static bool consider(void *context, const struct relocation *relocation)
{
	struct tls_module *module = context;
	bool nameless = relocation->symbol == 0;
	enum tls_way way;
	uint64_t symbol;

	switch (relocation->type) {
	case R_X86_64_TPOFF64:
		way = TLS_DISTANCE;
		break;
	case R_X86_64_DTPMOD64:
		way = TLS_MODULE;
		break;
	case R_X86_64_TLSDESC:
		way = TLS_DESCRIPTOR;
		break;
	default:
		return true;
	}
	if ((module->certain && !nameless) ||
	    (module->certain == nameless && way >= module->way) ||
	    !symbol_of(relocation, &symbol))
		return true;
	module->certain = nameless;
	module->way = way;
	module->slot = relocation->address;
	module->symbol = symbol;
	return true;
}

static const struct tls_module *tls_module_of(struct debugfile *file)
{
	const struct image *image = &file->image;
	struct tls_module *module = file->tls;
	struct relocations relocations;
	GElf_Phdr header;
	uint64_t align;

	if (module)
		return module;
	module = file->tls = xcalloc(1, sizeof(*module));
	module->way = TLS_ABSENT;
	if (!find_segment(image, &header))
		return module;
	module->size = header.p_memsz;
	module->image = header.p_vaddr;
	align = header.p_align ? header.p_align : 1;
	module->way = TLS_UNKNOWN;
	if (align & (align - 1))
		return module;
	relocations_find(image, &relocations);
	if (is_program(&relocations)) {
		module->way = TLS_PROGRAM;
		module->distance =
			header.p_memsz +
			((0 - header.p_vaddr - header.p_memsz) & (align - 1));
		return module;
	}
	relocations_each(&relocations, consider, module);
	return module;
}

bool tls_program_distance(struct debugfile *file, uint64_t *size,
			  int64_t *distance)
{
	const struct tls_module *module = tls_module_of(file);

	*size = module->size;
	*distance = -(int64_t)module->distance;
	return module->way == TLS_PROGRAM;
}

/* ---- the thread ---------------------------------------------------------- */

static struct error *cannot(const char *why)
{
	return error_create(ERROR_EVALUATE, "it is thread-local (TLS), and %s",
			    why);
}

static struct error *read_word(const struct frame_reader *reader,
			       uint64_t address, uint64_t *out)
{
	if (!frame_read(reader, address, out, sizeof(*out)))
		return error_create(ERROR_EVALUATE,
				    "memory at %#lx cannot be read", address);
	return NULL;
}

enum libc { LIBC_GNU, LIBC_MUSL, LIBC_OTHER };

/*
 * Find out which libc the program has. In glibc and in musl, the first word at
 * the thread pointer is the thread pointer itself, and the second is the
 * address of the vector of blocks. In glibc the thread pointer follows once
 * more, and then two small numbers. In musl two pointers of the list of threads
 * follow. They are null only in a new thread that its parent has not put into
 * the list yet.
 */
static struct error *find_libc(const struct frame_reader *reader,
			       uint64_t *vector, enum libc *out)
{
	uint64_t thread = reader->regs->fs_base, word[4];

	for (unsigned i = 0; i < 4; i++)
		TRY(read_word(reader, thread + i * 8, &word[i]));
	*vector = word[1];
	*out = LIBC_OTHER;
	if (word[0] != thread)
		return NULL;
	if (word[2] == thread && word[3] < 0x400000000ULL &&
	    (word[3] & UINT32_MAX) < 16)
		*out = LIBC_GNU;
	else if ((word[2] >= 0x10000 && word[3] >= 0x10000) ||
		 (!word[2] && !word[3]))
		*out = LIBC_MUSL;
	return NULL;
}

static struct error *not_used_yet(void)
{
	return cannot("this thread has not used the variable's module yet, and "
		      "has no memory for it");
}

static struct error *unknown_libc(void)
{
	return cannot("perftool does not know how this program's libc keeps "
		      "such variables");
}

/* Find the thread's block for the module with this number. */
static struct error *block_of(const struct frame_reader *reader,
			      uint64_t number, uint64_t *block)
{
	uint64_t vector, count;
	enum libc libc;

	if (!number || number > MAX_MODULE)
		return cannot("the run-time linker has given its module no "
			      "number yet");
	TRY(find_libc(reader, &vector, &libc));
	switch (libc) {
	/* The vector has two words per entry; its length is before it. */
	case LIBC_GNU:
		TRY(read_word(reader, vector - 16, &count));
		if (number > count)
			return not_used_yet();
		TRY(read_word(reader, vector + number * 16, block));
		break;
	/* The vector begins with its length; then comes one word per entry. */
	case LIBC_MUSL:
		TRY(read_word(reader, vector, &count));
		if (count > MAX_MODULE)
			return unknown_libc();
		if (number > count)
			return not_used_yet();
		TRY(read_word(reader, vector + number * 8, block));
		break;
	case LIBC_OTHER:
		return unknown_libc();
	}
	return *block && *block != UINT64_MAX ? NULL : not_used_yet();
}

/* Compute the block's address from the distance of one of its variables
 * (module->symbol) from the thread pointer. */
static struct error *block_at(const struct frame_reader *reader,
			      const struct tls_module *module,
			      uint64_t distance, uint64_t *block)
{
	if (distance - module->symbol < 0 - MAX_DISTANCE)
		return cannot("the run-time linker has given its module no "
			      "place yet");
	*block = reader->regs->fs_base + distance - module->symbol;
	return NULL;
}

/*
 * Find the block by the argument that a TLS descriptor has for its function.
 * The argument is either the variable's distance from the thread pointer, which
 * is negative, or the address of two words: the module's number, and the
 * variable's offset in the block.
 */
static struct error *block_described(const struct frame_reader *reader,
				     const struct tls_module *module,
				     uint64_t argument, uint64_t *block)
{
	uint64_t number, offset;

	if (argument >= 0 - MAX_DISTANCE)
		return block_at(reader, module, argument, block);
	TRY(read_word(reader, argument, &number));
	TRY(read_word(reader, argument + 8, &offset));
	if (offset != module->symbol)
		return cannot("the run-time linker has not given its module a "
			      "place yet");
	return block_of(reader, number, block);
}

static struct error *find_block(const struct frame_reader *reader,
				const struct tls_module *module,
				uint64_t *block)
{
	uint64_t slot = module->slot + reader->bias, word, symbol;

	switch (module->way) {
	case TLS_PROGRAM:
		*block = reader->regs->fs_base - module->distance;
		return NULL;
	case TLS_DISTANCE:
		TRY(read_word(reader, slot, &word));
		return block_at(reader, module, word, block);
	case TLS_MODULE:
		TRY(read_word(reader, slot, &word));
		/* The word behind the module's number is the variable's offset
		 * in the block. If it is not the offset that the file gives,
		 * another module's variable has replaced this one. */
		if (!module->certain) {
			TRY(read_word(reader, slot + 8, &symbol));
			if (symbol != module->symbol)
				break;
		}
		return block_of(reader, word, block);
	case TLS_DESCRIPTOR:
		TRY(read_word(reader, slot + 8, &word));
		return block_described(reader, module, word, block);
	case TLS_UNKNOWN:
	case TLS_ABSENT:
		break;
	}
	return cannot("perftool does not know how its module finds it");
}

struct error *tls_address(struct debugfile *file,
			  const struct frame_reader *reader, uint64_t offset,
			  uint64_t *out)
{
	const struct tls_module *module = tls_module_of(file);
	uint64_t block;

	if (!reader->regs->fs_base)
		return cannot("this thread has no thread-local variables yet");
	/* In split units gcc gives not the offset in the block, but the
	 * variable's address in the file, as for an ordinary variable. */
	if (offset >= module->size && offset >= module->image)
		offset -= module->image;
	if (offset >= module->size)
		return cannot("its offset makes no sense");
	TRY(find_block(reader, module, &block));
	*out = block + offset;
	return NULL;
}
