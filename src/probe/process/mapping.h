/*
 * mapping.h - what is mapped in a process, and which file is mapped where:
 * mapping.c
 */
#ifndef PROBE_MAPPING_H
#define PROBE_MAPPING_H

#include "perftool/debuginfo.h"
#include "perftool/target.h"
#include "perftool/target/memory_maps.h"

struct space;

/* The mappings of a process, as the tool last read them. */
struct known_maps {
	struct mapping_list list; /* empty: to be read again */
	/* as read together with `list`; 0: not known */
	uint64_t start_of_heap;
	/* Memory may be mapped where the heap may grow, but not within
	 * TARGET_HEAP_LEAST above it. */
	bool is_scarce;
};

/* The mappings of a process, and the mapping that contains an address (NULL:
 * none). The results are valid until the next space_forget_maps(), or until
 * memory is mapped. */
const struct mapping_list *space_maps(struct space *space);
const struct mapping *space_mapping_at(struct space *space, uint64_t address);
/* Is there free memory for a mapping of this size within [low, high)? The rules
 * are those of target_has_room(). */
bool space_has_room(struct space *space, uint64_t low, uint64_t high,
		    uint64_t size);
/* The room that is to be left free above the heap. */
uint64_t space_heap_room(const struct space *space);
/* The mappings may change from now on: forget what was read. */
void space_forget_maps(struct space *space);
const struct mapping *find_mapping(const struct mapping_list *maps,
				   uint64_t address);

/* Is this a mapping of the file with that device and inode? */
bool is_mapping_of(const struct mapping *mapping, uint64_t device,
		   uint64_t inode);
/* Is the byte at `address` of the mapping the byte at `offset` of its file? */
bool is_mapped_from(const struct mapping *mapping, uint64_t address,
		    uint64_t offset);

/* Is the file of the mapping `of` loaded with this bias (run-time address minus
 * address in the file)? The answer is yes if more than half of the file's
 * segments begin where the program headers put them with this bias. (The
 * program may have replaced one segment by other memory, and it may have mapped
 * a part of the file once more for itself.) */
bool is_load_bias(const struct mapping_list *maps, const struct mapping *of,
		  const struct debugfile *file, uint64_t bias);

#endif
