/*
 * mapping.h - what is mapped in a process, and which file is where: mapping.c
 */
#ifndef PROBE_MAPPING_H
#define PROBE_MAPPING_H

#include "perftool/debuginfo.h"
#include "perftool/target.h"

struct space;

/* What a process has mapped, when the tool last read it. */
struct known_maps {
	struct mapping_list list; /* empty: read it anew */
	uint64_t start_of_heap;   /* then; 0: not known */
};

/* What is mapped, as far as it is known, and the mapping of an address; valid
 * until the next space_forget_maps(), or memory is mapped. */
const struct mapping_list *space_maps(struct space *space);
const struct mapping *space_mapping_at(struct space *space, uint64_t address);
/* Is there room for a mapping, as target_has_room() has it? */
bool space_has_room(struct space *space, uint64_t low, uint64_t high,
		    uint64_t size);
/* What is mapped may be another from now on. */
void space_forget_maps(struct space *space);
const struct mapping *find_mapping(const struct mapping_list *maps,
				   uint64_t address);

/* Is this a mapping of the file with that number? */
bool is_mapping_of(const struct mapping *mapping, uint64_t device,
		   uint64_t inode);
/* Does it have that offset of its file at the address? */
bool is_mapped_from(const struct mapping *mapping, uint64_t address,
		    uint64_t offset);

/* Is the file that `of` is a mapping of loaded with this bias? More than half
 * of its segments begin where the program headers put them then. (The program
 * may have put other memory in the place of one, and it may map a part of the
 * file once more, for itself.) */
bool is_load_bias(const struct mapping_list *maps, const struct mapping *of,
		  const struct debugfile *file, uint64_t bias);

#endif
