/*
 * restartable_sequences.c - finds the restartable sequences of a file
 *
 * A restartable sequence is code that the kernel restarts from an abort handler
 * if it interrupts the thread in it: rseq(2), struct rseq_cs of linux/rseq.h.
 *
 * By convention a file keeps the descriptors of its sequences in the section
 * __rseq_cs, so that debuggers see them. In a position-independent file, the
 * start address of a descriptor is in a relocation of the file; in other files
 * it is in the section itself.
 */
#include <elf.h>
#include <linux/rseq.h>
#include <stddef.h>
#include <string.h>

#include "debugfile.h"

static const struct section *find(const struct image *image, const char *name,
				  struct bytes *bytes)
{
	size_t index = image_find_section(image, name);

	*bytes = image_section_bytes(image, index);
	return bytes->size ? &image->sections.data[index] : NULL;
}

static void add(struct debugfile *file, uint64_t start, uint64_t length)
{
	if (start && length)
		vec_push(&file->sequences,
			 (struct range){start, start + length});
}

static struct rseq_cs descriptor_at(struct bytes descriptors, size_t offset)
{
	struct rseq_cs descriptor;

	memcpy(&descriptor, descriptors.data + offset, sizeof(descriptor));
	return descriptor;
}

/* Read the descriptors whose start address is not in the section __rseq_cs but
 * in a relocation. `low` is the address of this section. */
static void read_relocated(struct debugfile *file, struct bytes descriptors,
			   uint64_t low)
{
	struct bytes bytes;

	if (!find(&file->image, ".rela.dyn", &bytes))
		return;
	for (size_t at = 0; bytes.size - at >= sizeof(Elf64_Rela);
	     at += sizeof(Elf64_Rela)) {
		Elf64_Rela relocation;
		uint64_t start;

		memcpy(&relocation, bytes.data + at, sizeof(relocation));
		start = relocation.r_offset - low -
			offsetof(struct rseq_cs, start_ip);
		if (ELF64_R_TYPE(relocation.r_info) != R_X86_64_RELATIVE ||
		    start % sizeof(struct rseq_cs) || start >= descriptors.size)
			continue;
		add(file, (uint64_t)relocation.r_addend,
		    descriptor_at(descriptors, start).post_commit_offset);
	}
}

static void read_sequences(struct debugfile *file)
{
	struct bytes bytes;
	const struct section *section = find(&file->image, "__rseq_cs", &bytes);

	file->sequences_known = true;
	if (!section)
		return;
	bytes.size -= bytes.size % sizeof(struct rseq_cs);
	for (size_t at = 0; at < bytes.size; at += sizeof(struct rseq_cs)) {
		struct rseq_cs descriptor = descriptor_at(bytes, at);

		add(file, descriptor.start_ip, descriptor.post_commit_offset);
	}
	read_relocated(file, bytes, section->address);
}

bool debugfile_in_sequence(struct debugfile *file, uint64_t address)
{
	if (!file->sequences_known)
		read_sequences(file);
	return range_list_has(&file->sequences, address);
}
