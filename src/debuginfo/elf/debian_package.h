/*
 * debian_package.h - finds the Debian package that has the debug information of
 * a file
 */
#ifndef PERFTOOL_DEBUGINFO_DEBIAN_PACKAGE_H
#define PERFTOOL_DEBUGINFO_DEBIAN_PACKAGE_H

/*
 * Find the name of the Debian package with the debug information of the file
 * at `path`. `path` is the path that the file's process uses; `root` is the
 * root directory of that process ("": the tool's own). NULL: the file belongs
 * to no package, or the system is not Debian. The caller frees the name.
 */
char *package_with_debuginfo(const char *root, const char *path);

#endif
