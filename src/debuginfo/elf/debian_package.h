/*
 * debian_package.h - which package of Debian brings a file's debug information
 */
#ifndef PERFTOOL_DEBUGINFO_DEBIAN_PACKAGE_H
#define PERFTOOL_DEBUGINFO_DEBIAN_PACKAGE_H

/*
 * The package with the debug information of the file at `path` (as its process
 * sees it) of the system at `root` ("": this one), or NULL: the file is of no
 * package, or this is no Debian. The caller frees it.
 */
char *package_with_debuginfo(const char *root, const char *path);

#endif
