/*
 * process_image.h - what the measured process executes, and how it was called
 */
#ifndef PERFTOOL_SESSION_PROCESS_IMAGE_H
#define PERFTOOL_SESSION_PROCESS_IMAGE_H

#include <stdbool.h>
#include <time.h>

#include "perftool/base/string_list.h"

struct session;

struct process_image {
	char *path;     /* of the program; NULL: not known */
	char *build_id; /* hexadecimal digits, or NULL */
	/* The arguments without the program's name; false: they are not known,
	 * because the process has written over them. */
	bool has_args;
	struct string_list args;
	struct string_list environment; /* NAME=VALUE each */
	/* When the process was created, to a hundredth of a second. An exec
	 * does not change that. 0: no process was started yet. */
	struct timespec started;
};

/* Describes the main process. If it has executed another program since perftool
 * has started it or attached to it, this is what the kernel tells of the other
 * program. If there is no process, it is what `run` would start. The caller
 * calls process_image_deinit(). */
void session_process_image(struct session *session, struct process_image *out);
void process_image_deinit(struct process_image *image);

#endif
