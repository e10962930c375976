/*
 * microhttpd.h - the functions of libmicrohttpd that the live page needs
 *
 * The library is loaded only when a page is served. If perftool were linked
 * with it, each start of perftool would also load libgnutls and the libraries
 * that libgnutls needs.
 */
#ifndef SERVE_HTTP_MICROHTTPD_H
#define SERVE_HTTP_MICROHTTPD_H

#include <microhttpd.h>

#include "perftool/base/error.h"

/* The names are those of the library, without MHD_. */
struct microhttpd {
	void *library;
	__typeof__(MHD_start_daemon) *start_daemon;
	__typeof__(MHD_stop_daemon) *stop_daemon;
	__typeof__(MHD_run) *run;
	__typeof__(MHD_get_timeout) *get_timeout;
	__typeof__(MHD_get_daemon_info) *get_daemon_info;
	__typeof__(MHD_get_connection_info) *get_connection_info;
	__typeof__(MHD_lookup_connection_value) *lookup_connection_value;
	__typeof__(MHD_create_response_from_buffer) *create_response;
	__typeof__(MHD_add_response_header) *add_response_header;
	__typeof__(MHD_queue_response) *queue_response;
	__typeof__(MHD_destroy_response) *destroy_response;
};

/* Loads the library. The caller calls microhttpd_unload(). */
struct error *microhttpd_load(struct microhttpd *out);
void microhttpd_unload(struct microhttpd *library);

#endif
