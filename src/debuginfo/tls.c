/* tls.c - see tls.h */
#include "tls.h"

void tls_module_destroy(struct tls_module *module)
{
	(void)module;
}

struct error *tls_address(struct debugfile *file,
			  const struct frame_reader *reader, uint64_t offset,
			  uint64_t *out)
{
	(void)file;
	(void)reader;
	(void)offset;
	(void)out;
	return error_create(ERROR_EVALUATE,
			    "it is thread-local (TLS), which cannot be read");
}
