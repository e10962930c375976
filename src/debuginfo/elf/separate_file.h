/*
 * separate_file.h - debug information in a file of its own
 *
 * The debug information of a stripped file may be in a separate file. The
 * stripped file has a build id, which the separate file has, too, or it has the
 * name and a checksum of the separate file (.gnu_debuglink). A debug directory
 * (DEBUG-DIR) is a directory with separate files, such as /usr/lib/debug. The
 * reader tries these paths in this order:
 *
 *	DEBUG-DIR/.build-id/XX/REST.debug	with XXREST the build id
 *	the cache of debuginfod's client
 *	DIR-OF-FILE/NAME, DIR-OF-FILE/.debug/NAME, DEBUG-DIR/DIR-OF-FILE/NAME,
 *	DEBUG-DIR/NAME			with NAME of .gnu_debuglink
 *	DEBUG-DIR/FILE.debug		if there is a build id to check it by
 *
 * The reader uses a file only if the build id is that of the stripped file. If
 * one of the two files has no build id, the checksum of .gnu_debuglink must be
 * right.
 */
#ifndef PERFTOOL_DEBUGINFO_SEPARATE_FILE_H
#define PERFTOOL_DEBUGINFO_SEPARATE_FILE_H

#include "image.h"
#include "perftool/debuginfo.h"

struct separate {
	struct image image; /* has no sections if no file was found */
	char *path;         /* NULL: no file was found */
	/* the path of a file that was not used because it belongs to another
	 * build, or NULL */
	char *mismatch;
};

/* Find the separate file of debug information of the file at `path`. The
 * function searches `directories` before the system's debug directory. It is
 * not an error if no file is found. The caller frees `*out` with
 * separate_deinit(). */
void separate_find(const char *path, const struct image *image,
		   const struct debug_directories *directories,
		   struct separate *out);
void separate_deinit(struct separate *separate);

/* The root directory of the process that uses the file: "/proc/PID/root" if
 * `path` leads through such a directory, else "". The caller frees the
 * result. */
char *separate_root(const char *path);

/*
 * Find the file that several debug files share: .gnu_debugaltlink, which dwz
 * writes, or .debug_sup of DWARF 5, among the sections of `image`, which is the
 * file at `path`. The function first tries the path that is written in this
 * section, then the paths that are made of the build id (head of this file),
 * then the last component of the written path in the debug directories and
 * their subdirectories .dwz.
 */
void separate_find_shared(const char *path, const struct image *image,
			  const struct debug_directories *directories,
			  struct separate *out);

/* The name of the shared file as it is written in `image`, or NULL if the image
 * names no shared file. */
const char *separate_shared_name(const struct image *image);

#endif
