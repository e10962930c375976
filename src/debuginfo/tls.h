/*
 * tls.h - where a thread's own copy of a thread-local variable is
 */
#ifndef PERFTOOL_DEBUGINFO_TLS_H
#define PERFTOOL_DEBUGINFO_TLS_H

#include "file.h"

/* The address of what is `offset` bytes into the file's block of thread-local
 * storage, in the reader's thread. ERROR_EVALUATE: it has none yet, or nobody
 * can tell. */
struct error *tls_address(struct debugfile *file,
			  const struct frame_reader *reader, uint64_t offset,
			  uint64_t *out);

/* How a file's block is found, as far as its file tells. */
struct tls_module;
void tls_module_destroy(struct tls_module *module);

#endif
