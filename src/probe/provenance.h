/*
 * provenance.h - does memory hold what a module's file has there?
 * See provenance.c
 */
#ifndef PROBE_PROVENANCE_H
#define PROBE_PROVENANCE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct debugfile;
struct error;
struct insn;
struct mapping;
struct mapping_list;
struct space;

/* The most bytes that is_of_file() compares. */
#define MOST_COMPARED 16

/* Is this a mapping of the file with that number? */
bool is_mapping_of(const struct mapping *mapping, uint64_t device,
		   uint64_t inode);

/* Is the file that `of` is a mapping of loaded with this bias? More than half
 * of its segments begin where the program headers put them then. (The program
 * may have put other memory in the place of one, and it may map a part of the
 * file once more, for itself.) */
bool is_load_bias(const struct mapping_list *maps, const struct mapping *of,
		  const struct debugfile *file, uint64_t bias);

/* Is the address one of a module whose file has a byte for it? */
bool is_in_file(struct space *space, uint64_t address);

/* Why no site may be at the address, whatever it holds; NULL: one may. */
struct error *check_mapping(struct space *space, uint64_t address);
/* Why no site may be where memory holds this byte: it is the int3 of another
 * tool. */
struct error *check_first_byte(struct space *space, uint64_t address,
			       uint8_t byte);
/* Why no site may displace this instruction: the file has another one. */
struct error *check_code(struct space *space, const struct insn *insn);
/* Are these bytes those of the file, if a file has the address, and if nobody
 * is known to change them? */
bool is_of_file(struct space *space, uint64_t address, const uint8_t *bytes,
		size_t size);

/* Memory holds an int3 where a site of ours put one: may it be that one, and
 * not a byte of other memory that is there now? */
bool may_be_ours(struct space *space, uint64_t address);

#endif
