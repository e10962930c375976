/*
 * watch_memory.c - what patches of memory do: they watch an object
 */
#include "operations/instrumentation/instrumentation.h"

struct error *watch_memory(struct session *session, const char *object,
			   bool reads, const char *condition, uint32_t *id)
{
	struct str said = {0};
	struct error *error =
		session_watch(session, object, reads, condition, id, &said);

	str_deinit(&said);
	return error;
}
