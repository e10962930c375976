/*
 * elf.h - the bytes of an ELF file
 *
 * This folder is responsible for files as containers: it opens them, believes
 * nothing of what they say, and hands out bytes. It knows segments, sections
 * (which it inflates if they are compressed), the separate file that has the
 * debug information of a stripped one, relocations, and what the dynamic
 * section and its symbol table tell the run-time linker. It also finds the
 * package of Debian that has the debug information of a file.
 *
 * To the other folders it offers
 *
 *  - struct debugfile (debugfile.h), the open file. All that the layer knows of
 *    a file hangs off it, and each folder keeps its part there. The folder elf
 *    knows the parts of the others only as pointers.
 *  - struct bytes and struct cursor (cursor.h), by which all parsers of the
 *    layer read bytes that cannot be trusted.
 *  - the sections of debug information (sections.h), and the image with all
 *    others (image.h).
 *
 * All other folders use it. It uses none of them.
 */
#ifndef PERFTOOL_DEBUGINFO_ELF_H
#define PERFTOOL_DEBUGINFO_ELF_H

#include "compressed_section.h"
#include "cursor.h"
#include "debian_package.h"
#include "debugfile.h"
#include "dynamic_section.h"
#include "dynamic_symbols.h"
#include "image.h"
#include "relocations.h"
#include "sections.h"
#include "separate_file.h"

#endif
