/*
 * plt_stub.h - the stubs of a procedure linkage table, as code has them
 *
 * A stub jumps through a word, which the run-time linker fills in: at the
 * start, or when the stub is called for the first time.
 */
#ifndef PROBE_PLT_STUB_H
#define PROBE_PLT_STUB_H

#include <stdbool.h>
#include <stdint.h>

struct insn;
struct space;

/* The first instruction at an address, but for an endbr64. */
bool stub_read_first(struct space *space, uint64_t address, struct insn *out);
/* The address of the word that an indirect jump goes through, if it is written
 * relative to the code; false: the instruction is no such jump. */
bool stub_find_word(const struct insn *insn, uint64_t *word);
/* Is the target, a word's contents, a stub's own code, so that the word is not
 * filled in? `*linker`: where the run-time linker then begins. */
bool stub_is_unbound(struct space *space, uint64_t target, uint64_t *linker);
/* Is the target, a word's contents, a function? */
bool stub_is_bound(struct space *space, uint64_t target);

#endif
