/*
 * static_probes.h - the notes of a file that describe its static probes
 */
#ifndef PERFTOOL_DEBUGINFO_STATIC_PROBES_H
#define PERFTOOL_DEBUGINFO_STATIC_PROBES_H

#include "cursor.h"
#include "perftool/debuginfo.h"

/* Append the probes that the notes (the bytes of .note.stapsdt) describe. Notes
 * of other kinds, and notes that are cut off or have no name, are left out.
 * `base` is the address of the section .stapsdt.base; 0: the file has none. The
 * texts are in the bytes. */
void static_probes_parse(struct bytes notes, uint64_t base,
			 struct static_probe_list *out);

#endif
