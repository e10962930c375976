/*
 * thread_storage.h - where a thread's own copy of a thread-local variable is
 */
#ifndef PERFTOOL_DEBUGINFO_THREAD_STORAGE_H
#define PERFTOOL_DEBUGINFO_THREAD_STORAGE_H

#include "debuginfo/elf/elf.h"

/* The address of what is `offset` bytes into the file's block of thread-local
 * storage, in the reader's thread. ERROR_EVALUATE: it has none yet, or nobody
 * can tell. */
struct error *tls_address(struct debugfile *file,
			  const struct frame_reader *reader, uint64_t offset,
			  uint64_t *out);

/* The address of a thread-local variable of the program is the thread pointer
 * plus `*distance` plus the variable's place in the program's block. False: the
 * file has no such block, or is no program. */
bool tls_program_distance(struct debugfile *file, uint64_t *size,
			  int64_t *distance);

/* How a file's block is found, as far as its file tells. */
struct tls_module;
void tls_module_destroy(struct tls_module *module);

#endif
