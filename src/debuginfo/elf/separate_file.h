/*
 * separate_file.h - debug information in a file of its own
 *
 * A file that was stripped says of what build it is (its build id), or what
 * the file is called that its debug information went to (.gnu_debuglink).
 * Looked for, in this order:
 *
 *	DIR/.build-id/XX/REST.debug	of every debug directory
 *	the cache of debuginfod's client
 *	DIR-OF-FILE/NAME, DIR-OF-FILE/.debug/NAME, DEBUG-DIR/DIR-OF-FILE/NAME,
 *	DEBUG-DIR/NAME			NAME of .gnu_debuglink
 *	DEBUG-DIR/FILE.debug		when there is a build id to know it by
 *
 * What has another build id, or, where there is none, another checksum than
 * .gnu_debuglink says, is not taken.
 */
#ifndef PERFTOOL_DEBUGINFO_SEPARATE_FILE_H
#define PERFTOOL_DEBUGINFO_SEPARATE_FILE_H

#include "image.h"
#include "perftool/debuginfo.h"

struct separate {
	struct image image; /* of no sections, when nothing was found */
	char *path;         /* NULL: nothing was found */
	char *mismatch;     /* a file that is of another build, or NULL */
};

/* `directories` are asked before the system's. Finding none is no error. */
void separate_find(const char *path, const struct image *image,
		   const struct debug_directories *directories,
		   struct separate *out);
void separate_deinit(struct separate *separate);

/* Where a file at `path` sees the root of its file system: "/proc/PID/root" if
 * the path leads through one, else "". The caller frees it. */
char *separate_root(const char *path);

/*
 * The file that several debug files share (dwz's .gnu_debugaltlink, or
 * .debug_sup of DWARF 5, in the sections of `image`, a file at `path`): at the
 * place that is named there, by its build id as above, or by its last name in
 * the debug directories, and their .dwz.
 */
void separate_find_shared(const char *path, const struct image *image,
			  const struct debug_directories *directories,
			  struct separate *out);

/* The name of that file as it stands there, or NULL: nothing is shared. */
const char *separate_shared_name(const struct image *image);

#endif
