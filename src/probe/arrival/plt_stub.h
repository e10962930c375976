/*
 * plt_stub.h - the stubs of a procedure linkage table, recognized by their code
 *
 * A stub jumps through a word in memory. The run-time linker fills in the word,
 * either at the start of the program or when the stub is called for the first
 * time.
 */
#ifndef PROBE_PLT_STUB_H
#define PROBE_PLT_STUB_H

#include <stdbool.h>
#include <stdint.h>

struct insn;
struct space;

/* Read the first instruction at an address; an endbr64 is skipped. Returns
 * false if it cannot be read. */
bool stub_read_first(struct space *space, uint64_t address, struct insn *out);
/* Find the address of the word through which an indirect jump goes, if the jump
 * addresses the word relative to the code. Returns false if the instruction is
 * no such jump. */
bool stub_find_word(const struct insn *insn, uint64_t *word);
/* `target` is the content of a stub's word. Does it lead back to the procedure
 * linkage table itself, so that the run-time linker has not filled in the word
 * yet? `*linker` is then the address of the run-time linker to which the table
 * jumps. */
bool stub_is_unbound(struct space *space, uint64_t target, uint64_t *linker);
/* `target` is the content of a stub's word. Is it the address of a function? */
bool stub_is_bound(struct space *space, uint64_t target);

#endif
