/*
 * function_code.c - the bytes of a function's code
 */
#include "perftool/base/alloc.h"
#include "perftool/debuginfo.h"

/* No function is larger. */
#define MOST_CODE (64u * 1024 * 1024)

struct error *debugfile_function_code(struct debugfile *file,
				      const struct function *function,
				      const struct range *range, uint8_t **code,
				      size_t *size)
{
	size_t wanted = range->high - range->low;

	*code = NULL;
	*size = 0;
	if (range->high < range->low || wanted > MOST_CODE)
		return error_create(ERROR_BAD_FILE,
				    "%s: the file gives an impossible size for "
				    "this function",
				    function->name ? function->name : "?");
	*code = xmalloc(wanted + 1);
	*size = debugfile_read(file, range->low, *code, wanted);
	return NULL;
}
