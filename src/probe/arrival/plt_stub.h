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

/* Read the first instruction at an address. An endbr64 is skipped. */
bool stub_read_first(struct space *space, uint64_t address, struct insn *out);
/* The address of the word that an indirect jump goes through, if the jump
 * addresses the word relative to the code. Returns false if the instruction is
 * no such jump. */
bool stub_find_word(const struct insn *insn, uint64_t *word);
/* `target` is the content of a stub's word. Does it lead back to the table's
 * own code, so that the word is not filled in yet? `*linker` is then the
 * address at which the run-time linker begins. */
bool stub_is_unbound(struct space *space, uint64_t target, uint64_t *linker);
/* `target` is the content of a stub's word. Is it the address of a function? */
bool stub_is_bound(struct space *space, uint64_t target);

#endif
