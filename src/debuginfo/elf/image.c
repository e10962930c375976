/* image.c - see image.h */
#include "image.h"

#include <errno.h>
#include <fcntl.h>
#include <gelf.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "compressed_section.h"
#include "file_blocks.h"
#include "perftool/base/alloc.h"
#include "perftool/base/str.h"

#define HUGE_PAGE (2UL * 1024 * 1024)

/* The longest string, with its zero byte, that image_read_string() accepts (the
 * name of an interpreter, a soname). */
#define STRING_MAX 4096

/* Store the errno of a failed read for image_take_failure(). If errno is 0, the
 * read itself did not fail, but libelf found that the bytes make no sense. */
static void note_failure(const struct image *image)
{
	/* The store is atomic, because several threads may read sections at the
	 * same time. */
	if (errno && image->failure)
		__atomic_store_n(image->failure, errno, __ATOMIC_RELAXED);
}

int image_take_failure(const struct image *image)
{
	return image->failure ? __atomic_exchange_n(image->failure, 0,
						    __ATOMIC_RELAXED)
			      : 0;
}

bool image_has_failed(const struct image *image)
{
	return image->failure &&
	       __atomic_load_n(image->failure, __ATOMIC_RELAXED);
}

static struct error *bad(const char *path, const char *why)
{
	return error_create(ERROR_BAD_FILE, "%s: %s", path, why);
}

/* Check the ELF header. If the file is not an x86-64 program or library, the
 * error says what the file is instead. */
static struct error *check_header(const char *path, const uint8_t *bytes,
				  size_t size, enum image_use use)
{
	uint16_t type, machine;

	if (size == 0)
		return bad(path, "the file is empty");
	if (size >= 2 && memcmp(bytes, "#!", 2) == 0)
		return bad(path, "a script, not a program: measure its "
				 "interpreter instead");
	if (size < EI_NIDENT || memcmp(bytes, ELFMAG, SELFMAG) != 0)
		return bad(path, "not an ELF file");
	if (bytes[EI_CLASS] == ELFCLASS32)
		return bad(path, "a 32-bit program; only x86-64 ones can be "
				 "measured");
	if (bytes[EI_CLASS] != ELFCLASS64)
		return bad(path, "not a valid ELF file");
	if (bytes[EI_DATA] != ELFDATA2LSB)
		return bad(path,
			   "a program for another processor (big-endian)");
	if (size < sizeof(Elf64_Ehdr))
		return bad(path, "the file is truncated");
	memcpy(&type, bytes + offsetof(Elf64_Ehdr, e_type), sizeof(type));
	memcpy(&machine, bytes + offsetof(Elf64_Ehdr, e_machine),
	       sizeof(machine));
	if (machine != EM_X86_64)
		return bad(path, "a program for another processor, not x86-64");
	if (use == IMAGE_PART)
		return NULL;
	if (type == ET_REL)
		return bad(path, "an object file, not yet linked");
	if (type == ET_CORE)
		return bad(path, "a core file, not a program");
	if (type != ET_EXEC && type != ET_DYN)
		return bad(path, "neither a program nor a library");
	return NULL;
}

/* The error for a file that libelf has refused or could not read. If libelf
 * could not read it, errno has the reason. */
static struct error *unreadable(const char *path, const char *what)
{
	return errno ? error_system(errno, "%s: %s", path, what)
		     : bad(path, what);
}

static struct error *open_file(const char *path, enum image_use use,
			       struct image *image)
{
	uint8_t header[sizeof(Elf64_Ehdr)];
	struct stat status;
	ssize_t got;

	/* O_NONBLOCK: the open of a FIFO must not wait for a writer. */
	image->fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	if (image->fd < 0) {
		if (errno == ENOENT || errno == ENOTDIR)
			return error_create(ERROR_NOT_FOUND, "%s: no such file",
					    path);
		return error_system(errno, "%s", path);
	}
	if (fstat(image->fd, &status) != 0)
		return error_system(errno, "%s", path);
	if (S_ISDIR(status.st_mode))
		return bad(path, "a directory");
	if (!S_ISREG(status.st_mode))
		return bad(path, "not a regular file");
	image->file_size = (uint64_t)status.st_size;
	got = pread(image->fd, header, sizeof(header), 0);
	if (got < 0)
		return error_system(errno, "%s", path);
	return check_header(path, header, (size_t)got, use);
}

static struct error *read_segments(const char *path, enum image_use use,
				   struct image *image)
{
	size_t count;

	errno = 0;
	if (elf_getphdrnum(image->elf, &count) != 0)
		return unreadable(path, "its program headers cannot be read");
	for (size_t i = 0; i < count && i < INT32_MAX; i++) {
		GElf_Phdr header;
		struct segment segment;

		if (!gelf_getphdr(image->elf, (int)i, &header))
			return unreadable(path,
					  "its program headers cannot be read");
		if (header.p_type == PT_DYNAMIC) {
			image->dynamic_address = header.p_vaddr;
			image->dynamic_size = header.p_filesz;
		} else if (header.p_type == PT_GNU_EH_FRAME) {
			image->unwind_address = header.p_vaddr;
		} else if (header.p_type == PT_INTERP) {
			image->has_interpreter = true;
			image->interpreter_address = header.p_vaddr;
			image->interpreter_size = header.p_filesz;
		}
		if (header.p_type != PT_LOAD)
			continue;
		if (header.p_filesz > header.p_memsz ||
		    header.p_vaddr + header.p_memsz < header.p_vaddr)
			return bad(path, "a program header makes no sense");
		if (use == IMAGE_PROGRAM &&
		    (header.p_offset > image->file_size ||
		     header.p_filesz > image->file_size - header.p_offset))
			return bad(path, "the file is truncated");
		segment = (struct segment){
			.address = header.p_vaddr,
			.memory_size = header.p_memsz,
			.offset = header.p_offset,
			.file_size = header.p_filesz,
			.readable = header.p_flags & PF_R,
			.executable = header.p_flags & PF_X,
		};
		vec_push(&image->segments, segment);
	}
	if (image->segments.count == 0 && use == IMAGE_PROGRAM)
		return bad(path, "the file has no segment to load");
	return NULL;
}

/* Read the section headers. A header that cannot be read becomes a section
 * without a name, and is no error, because the reader can work without
 * sections. */
static void read_sections(struct image *image)
{
	size_t count = 0, names = 0;

	errno = 0;
	if (elf_getshdrnum(image->elf, &count) != 0) {
		note_failure(image);
		return;
	}
	if (elf_getshdrstrndx(image->elf, &names) != 0)
		names = 0;
	for (size_t i = 0; i < count; i++) {
		Elf_Scn *scn = elf_getscn(image->elf, i);
		struct section section = {.name = ""};
		GElf_Shdr header;
		const char *name;

		if (scn && gelf_getshdr(scn, &header)) {
			section.address = header.sh_addr;
			section.size = header.sh_size;
			section.offset = header.sh_offset;
			section.compressed = header.sh_flags & SHF_COMPRESSED;
			section.type = header.sh_type;
			section.link = header.sh_link;
			section.executable = (header.sh_flags & SHF_ALLOC) &&
					     (header.sh_flags & SHF_EXECINSTR);
			name = names ? elf_strptr(image->elf, names,
						  header.sh_name)
				     : NULL;
			if (name)
				section.name = name;
			else
				note_failure(image);
		} else {
			note_failure(image);
		}
		vec_push(&image->sections, section);
	}
}

static struct error *open_image(const char *path, enum image_use use,
				struct image *image)
{
	GElf_Ehdr header;

	TRY(open_file(path, use, image));
	if (elf_version(EV_CURRENT) == EV_NONE)
		return error_create(ERROR_OTHER, "libelf is too old");
	errno = 0;
	image->elf = elf_begin(image->fd, ELF_C_READ, NULL);
	if (!image->elf || !gelf_getehdr(image->elf, &header))
		return unreadable(path, "not a valid ELF file");
	image->entry = header.e_entry;
	image->position_independent = header.e_type == ET_DYN;
	TRY(read_segments(path, use, image));
	read_sections(image);
	return NULL;
}

struct error *image_open(const char *path, enum image_use use,
			 struct image *out)
{
	struct image image = {.fd = -1,
			      .failure = xcalloc(1, sizeof(*image.failure)),
			      .blocks = file_blocks_create()};
	struct error *error = open_image(path, use, &image);

	if (error) {
		image_close(&image);
		return error;
	}
	*out = image;
	return NULL;
}

void image_close(struct image *image)
{
	if (image->elf)
		elf_end(image->elf);
	if (image->fd >= 0)
		close(image->fd);
	for (size_t i = 0; i < image->sections.count; i++)
		free(image->sections.data[i].inflated);
	free(image->failure);
	file_blocks_destroy(image->blocks);
	vec_free(&image->segments);
	vec_free(&image->sections);
	*image = (struct image){.fd = -1};
}

/* Has a section this name? The section ".zdebug_info" counts as ".debug_info":
 * old GNU tools gave compressed sections such names. */
static bool is_called(const char *name, const char *wanted)
{
	return str_equal(name, wanted) ||
	       (str_starts(name, ".z") && *wanted == '.' &&
		str_equal(name + 2, wanted + 1));
}

size_t image_next_section(const struct image *image, const char *name,
			  size_t after)
{
	for (size_t i = after + 1; i < image->sections.count; i++) {
		const struct section *section = &image->sections.data[i];

		if (section->type != SHT_NOBITS && section->size > 0 &&
		    is_called(section->name, name))
			return i;
	}
	return 0;
}

size_t image_find_section(const struct image *image, const char *name)
{
	return image_next_section(image, name, 0);
}

void image_let_go(struct image *image)
{
	if (image->fd >= 0)
		close(image->fd);
	image->fd = -1;
}

struct packed *image_packed(const struct image *image, size_t index)
{
	const struct section *section;

	if (!index)
		return NULL;
	section = &image->sections.data[index];
	if (!section->compressed || section->type == SHT_NOBITS ||
	    section->offset > image->file_size ||
	    section->size > image->file_size - section->offset)
		return NULL;
	return packed_open(image->fd, section->offset, section->size,
			   image->failure);
}

/* Allocate memory for `size` bytes, all of which will be used. A large block is
 * put into huge pages, because page faults would otherwise take more time than
 * inflating the section. */
static uint8_t *large_block(size_t size)
{
	void *block;

	if (size < 4 * HUGE_PAGE)
		return malloc(size);
	if (posix_memalign(&block, HUGE_PAGE, size) != 0)
		return NULL;
	madvise(block, size, MADV_HUGEPAGE);
	return block;
}

/* All bytes of a section, inflated by compressed_section.c. Empty:
 * compressed_section.c does not support the section's compression, or the
 * section is broken. */
static struct bytes inflated(const struct image *image, size_t index)
{
	struct section *section = &image->sections.data[index];
	struct packed *packed = image_packed(image, index);
	struct bytes bytes = {0};

	if (!packed)
		return bytes;
	bytes.size = packed_size(packed);
	if (!section->inflated && bytes.size) {
		section->inflated = large_block(bytes.size);
		if (section->inflated &&
		    !packed_read(packed, section->inflated, bytes.size)) {
			free(section->inflated);
			section->inflated = NULL;
		}
	}
	packed_close(packed);
	bytes.data = section->inflated;
	return bytes.data ? bytes : (struct bytes){0};
}

struct bytes image_section_bytes(const struct image *image, size_t index)
{
	Elf_Scn *scn = index ? elf_getscn(image->elf, index) : NULL;
	Elf_Data *data;
	GElf_Shdr header;

	errno = 0;
	if (!scn || !gelf_getshdr(scn, &header) || header.sh_type == SHT_NOBITS)
		return (struct bytes){0};
	if (header.sh_flags & SHF_COMPRESSED) {
		struct bytes bytes = inflated(image, index);

		if (bytes.data)
			return bytes;
		/* compressed_section.c cannot inflate the section, so libelf
		 * tries. libelf refuses a header whose inflated size is
		 * impossible for so few compressed bytes. */
		errno = 0;
		data = elf_compress(scn, 0, 0) < 0 ? NULL
						   : elf_getdata(scn, NULL);
	} else if (str_starts(image->sections.data[index].name, ".zdebug")) {
		data = elf_compress_gnu(scn, 0, 0) < 0 ? NULL
						       : elf_getdata(scn, NULL);
	} else {
		data = elf_rawdata(scn, NULL);
	}
	if (!data || !data->d_buf) {
		note_failure(image);
		return (struct bytes){0};
	}
	return (struct bytes){data->d_buf, data->d_size};
}

uint64_t image_section_size(const struct image *image, size_t index)
{
	const struct section *section = &image->sections.data[index];
	Elf64_Chdr header;
	ssize_t got;

	if (!index)
		return 0;
	if (!section->compressed)
		return section->size;
	if (section->size < sizeof(header) || section->offset > INT64_MAX)
		return 0;
	/* gelf_getchdr() would read the whole section, which may be large. */
	errno = 0;
	got = pread(image->fd, &header, sizeof(header), (off_t)section->offset);
	if (got < 0)
		note_failure(image);
	return got == sizeof(header) ? header.ch_size : 0;
}

const struct segment *image_segment_at(const struct image *image,
				       uint64_t address)
{
	for (size_t i = 0; i < image->segments.count; i++) {
		const struct segment *segment = &image->segments.data[i];

		if (address >= segment->address &&
		    address - segment->address < segment->memory_size)
			return segment;
	}
	return NULL;
}

size_t image_read(const struct image *image, uint64_t address, void *buffer,
		  size_t size)
{
	size_t done = 0;

	while (done < size) {
		const struct segment *segment =
			image_segment_at(image, address + done);
		uint64_t skip, left;
		ssize_t got;

		if (!segment)
			break;
		skip = address + done - segment->address;
		if (skip >= segment->file_size)
			break;
		left = segment->file_size - skip;
		if (left > size - done)
			left = size - done;
		got = file_blocks_read(image->blocks, image->fd,
				       (char *)buffer + done, (size_t)left,
				       (off_t)(segment->offset + skip));
		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0)
			note_failure(image);
		if (got <= 0)
			break;
		done += (size_t)got;
	}
	return done;
}

char *image_read_string(const struct image *image, uint64_t address)
{
	char text[STRING_MAX];
	size_t size = image_read(image, address, text, sizeof(text));

	return memchr(text, '\0', size) ? xstrdup(text) : NULL;
}

/* Find the build id (NT_GNU_BUILD_ID) in the bytes of a note section. The
 * result is in hexadecimal digits, or NULL; the caller frees it. */
static char *build_id_of_notes(struct bytes notes)
{
	struct cursor cursor = cursor_at(notes, 0);

	while (!cursor.failed && cursor_left(&cursor) >= 12) {
		uint32_t name_size = cursor_u32(&cursor);
		uint32_t size = cursor_u32(&cursor);
		uint32_t type = cursor_u32(&cursor);
		struct cursor name =
			cursor_take(&cursor, ((uint64_t)name_size + 3) & ~3ULL);
		struct cursor id =
			cursor_take(&cursor, ((uint64_t)size + 3) & ~3ULL);
		struct str text = {0};

		if (cursor.failed || type != NT_GNU_BUILD_ID ||
		    name_size != 4 || memcmp(name.at, "GNU", 4) != 0 ||
		    size < 2 || size > 64)
			continue;
		for (uint32_t i = 0; i < size; i++)
			str_printf(&text, "%02x", id.at[i]);
		return str_take(&text);
	}
	return NULL;
}

char *image_build_id(const struct image *image)
{
	for (size_t i = 1; i < image->sections.count; i++) {
		const struct section *section = &image->sections.data[i];
		char *id;

		if (section->type != SHT_NOTE || section->size > 65536)
			continue;
		id = build_id_of_notes(image_section_bytes(image, i));
		if (id)
			return id;
	}
	return NULL;
}

bool image_dynamic(const struct image *image, size_t index, Elf64_Dyn *out)
{
	return (index + 1) * sizeof(*out) <= image->dynamic_size &&
	       image_read(image, image->dynamic_address + index * sizeof(*out),
			  out, sizeof(*out)) == sizeof(*out) &&
	       out->d_tag != DT_NULL;
}
