/*
 * runtime_folder.h - the folder where servers and front ends of one user meet
 *
 * It is $XDG_RUNTIME_DIR/perftool, or else /tmp/perftool-UID. Another user may
 * have made a folder of this name, or may be able to put another one in its
 * place, and could then answer for a server. So both functions check the folder
 * before they return its path:
 *
 * - The folder is no link, belongs to this user, and nobody else may enter it.
 * - No other user can replace it: each folder above it, after all links have
 *   been followed, belongs to this user or to root. If a group or everybody may
 *   write there, it is sticky.
 */
#ifndef PERFTOOL_BASE_RUNTIME_FOLDER_H
#define PERFTOOL_BASE_RUNTIME_FOLDER_H

#include "perftool/base/error.h"
#include "perftool/base/str.h"

/* Appends the path, which has no links. Returns ERROR_GONE if there is no such
 * folder. */
struct error *runtime_folder_find(struct str *out);
/* The same, but makes the folder if there is none. */
struct error *runtime_folder_make(struct str *out);

#endif
