/*
 * provenance.h - does memory hold what a module's file has there?
 * See provenance.c
 */
#ifndef PROBE_PROVENANCE_H
#define PROBE_PROVENANCE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct error;
struct insn;
struct space;

/* The most bytes that is_of_file() compares. */
#define MOST_COMPARED 16

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
