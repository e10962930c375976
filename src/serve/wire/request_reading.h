/*
 * request_reading.h - makes a request of one whole message
 */
#ifndef SERVE_REQUEST_READING_H
#define SERVE_REQUEST_READING_H

#include "wire.h"

/* Makes the request of an XML message: the name of its outermost element, as it
 * was written, and what is in that. The function takes `content`. */
void request_of_xml(const char *name, struct json_object *content,
		    struct request *out);

/* Makes the request of a line of JSON. */
void request_of_line(const char *line, struct request *out);

/* Makes a request that says what is wrong with a message. The function takes
 * `problem`. */
void request_wrong(struct request *out, enum wire_code code, char *problem);

#endif
