/*
 * whole_file.h - a file that gets its name only when all of it has been written
 *
 * The bytes go to a temporary file beside the wanted one, which takes its place
 * at the end. If the disk is full, or if the user interrupts, there is no half
 * file, and a file of that name keeps its old content. A FIFO, a device or a
 * terminal cannot be replaced, so the bytes go there directly. So they do if
 * the user may write a file, but create none beside it with the same owner.
 */
#ifndef PERFTOOL_BASE_WHOLE_FILE_H
#define PERFTOOL_BASE_WHOLE_FILE_H

#include <stddef.h>

#include "perftool/base/error.h"
#include "perftool/base/writer.h"

/* All zero is no file. */
struct whole_file {
	struct writer writer;
	char *path;      /* as the user wrote it */
	char *target;    /* the file that is replaced; `path` may be a link */
	char *temporary; /* NULL: the bytes go to `path` directly */
	int fd;
};

/* Begin to write the file `path`. A file that exists must be writable, and
 * keeps its mode. A program is refused (perftool/base/replaced_file.h). */
struct error *whole_file_begin(struct whole_file *file,
			       const struct writer *writer, const char *path);

/* Append bytes to the file. After an error the caller gives up the file. */
struct error *whole_file_write(struct whole_file *file, const char *bytes,
			       size_t length);

/* All has been written: the file gets its name. The object is then empty, also
 * after an error. */
struct error *whole_file_finish(struct whole_file *file);

/* The file is not wanted any more. The function does nothing to an empty
 * object. */
void whole_file_give_up(struct whole_file *file);

#endif
