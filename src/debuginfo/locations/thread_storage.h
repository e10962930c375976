/*
 * thread_storage.h - finds a thread's own copy of a thread-local variable
 */
#ifndef PERFTOOL_DEBUGINFO_THREAD_STORAGE_H
#define PERFTOOL_DEBUGINFO_THREAD_STORAGE_H

#include "debuginfo/elf/elf.h"
#include "perftool/debuginfo/frame_rules.h"

/* Find the address of the byte at `offset` in the block of thread-local storage
 * that the reader's thread has for the file. ERROR_EVALUATE: the thread has no
 * such block yet, or its place cannot be found. */
struct error *tls_address(struct debugfile *file,
			  const struct frame_reader *reader, uint64_t offset,
			  uint64_t *out);

/*
 * How to find a thread-local variable of the program: its address is the
 * thread pointer plus `*distance` plus the variable's offset in the program's
 * block. `*size` is the block's size. False: the file has no such block, or is
 * not a program.
 */
bool tls_program_distance(struct debugfile *file, uint64_t *size,
			  int64_t *distance);

/* How to find the block of thread-local storage of a file, as far as the file
 * tells. */
struct tls_module;
void tls_module_destroy(struct tls_module *module);

#endif
