/*
 * microhttpd.c - see microhttpd.h
 */
#include "microhttpd.h"

#include <dlfcn.h>
#include <stdbool.h>
#include <string.h>

#define LIBRARY "libmicrohttpd.so.12"

/* The standard knows no conversion of a pointer to data into a pointer to a
 * function, so the bytes of the pointer are copied. */
static bool find(void *library, const char *name, void *out)
{
	void *found = dlsym(library, name);

	memcpy(out, &found, sizeof(found));
	return found != NULL;
}

static bool find_all(struct microhttpd *out)
{
	void *from = out->library;

	return find(from, "MHD_start_daemon", &out->start_daemon) &&
	       find(from, "MHD_stop_daemon", &out->stop_daemon) &&
	       find(from, "MHD_run", &out->run) &&
	       find(from, "MHD_get_timeout", &out->get_timeout) &&
	       find(from, "MHD_get_daemon_info", &out->get_daemon_info) &&
	       find(from, "MHD_get_connection_info",
		    &out->get_connection_info) &&
	       find(from, "MHD_lookup_connection_value",
		    &out->lookup_connection_value) &&
	       find(from, "MHD_create_response_from_buffer",
		    &out->create_response) &&
	       find(from, "MHD_add_response_header",
		    &out->add_response_header) &&
	       find(from, "MHD_queue_response", &out->queue_response) &&
	       find(from, "MHD_destroy_response", &out->destroy_response);
}

struct error *microhttpd_load(struct microhttpd *out)
{
	struct error *error = NULL;

	*out = (struct microhttpd){.library = dlopen(LIBRARY, RTLD_NOW)};
	if (!out->library)
		error = error_create(ERROR_OTHER,
				     "--http needs the library " LIBRARY
				     ": install the package libmicrohttpd12 "
				     "(%s)",
				     dlerror());
	else if (!find_all(out))
		error = error_create(ERROR_OTHER,
				     "--http needs another version of " LIBRARY
				     ": %s",
				     dlerror());
	if (error)
		microhttpd_unload(out);
	return error;
}

void microhttpd_unload(struct microhttpd *library)
{
	if (library->library)
		dlclose(library->library);
	library->library = NULL;
}
