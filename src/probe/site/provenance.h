/*
 * provenance.h - does memory hold what a module's file has there? See
 * provenance.c
 */
#ifndef PROBE_PROVENANCE_H
#define PROBE_PROVENANCE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct error;
struct insn;
struct space;

/* The largest number of bytes that is_of_file() compares. */
#define MOST_COMPARED 16

/* Is the address in a module whose file has a byte for it? */
bool is_in_file(struct space *space, uint64_t address);

/* The reason why no site may be at the address, whatever memory holds there;
 * NULL if one may. */
struct error *check_mapping(struct space *space, uint64_t address);
/* The reason why no site may be where memory holds this byte: the byte is the
 * int3 of another tool. NULL if the byte allows a site. */
struct error *check_first_byte(struct space *space, uint64_t address,
			       uint8_t byte);
/* The reason why no site may displace this instruction: the file has another
 * instruction there. NULL if a site may displace it. */
struct error *check_code(struct space *space, const struct insn *insn);
/* Are these the bytes that the module's file has at the address? The answer is
 * also yes if no file has the address, or if the run-time linker is known to
 * change the code. */
bool is_of_file(struct space *space, uint64_t address, const uint8_t *bytes,
		size_t size);

/* Memory holds an int3 where a site has put one. May it be the site's int3? The
 * answer is no if the byte belongs to other memory that is there now. */
bool may_be_ours(struct space *space, uint64_t address);

#endif
