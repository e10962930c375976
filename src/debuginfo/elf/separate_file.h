/*
 * separate_file.h - debug information in a file of its own
 *
 * A stripped file has the identity of its build (its build id), or the name of
 * the file that has its debug information (.gnu_debuglink). The reader tries
 * these paths in this order:
 *
 *	DIR/.build-id/XX/REST.debug	in every debug directory DIR
 *	the cache of debuginfod's client
 *	DIR-OF-FILE/NAME, DIR-OF-FILE/.debug/NAME, DEBUG-DIR/DIR-OF-FILE/NAME,
 *	DEBUG-DIR/NAME			with NAME of .gnu_debuglink
 *	DEBUG-DIR/FILE.debug		if there is a build id to check it by
 *
 * The reader does not use a file with another build id. If there is no build
 * id, it does not use a file with another checksum than .gnu_debuglink gives.
 */
#ifndef PERFTOOL_DEBUGINFO_SEPARATE_FILE_H
#define PERFTOOL_DEBUGINFO_SEPARATE_FILE_H

#include "image.h"
#include "perftool/debuginfo.h"

struct separate {
	struct image image; /* It has no sections if no file was found. */
	char *path;         /* NULL: no file was found */
	/* path of a file that belongs to another build, or NULL */
	char *mismatch;
};

/* Find the separate file of debug information of the file at `path`.
 * `directories` are searched before the system's directory. It is not an error
 * if no file is found. The caller frees `*out` with separate_deinit(). */
void separate_find(const char *path, const struct image *image,
		   const struct debug_directories *directories,
		   struct separate *out);
void separate_deinit(struct separate *separate);

/* The root directory that the file's process sees: "/proc/PID/root" if `path`
 * leads through such a directory, else "". The caller frees it. */
char *separate_root(const char *path);

/*
 * Find the file that several debug files share: .gnu_debugaltlink, which dwz
 * writes, or .debug_sup of DWARF 5, among the sections of `image`, which is
 * the file at `path`. The function tries the path that is written there, then
 * paths made of the build id as above, then the last component of the name in
 * the debug directories and their subdirectories .dwz.
 */
void separate_find_shared(const char *path, const struct image *image,
			  const struct debug_directories *directories,
			  struct separate *out);

/* The name of the shared file as the section has it, or NULL if nothing is
 * shared. */
const char *separate_shared_name(const struct image *image);

#endif
