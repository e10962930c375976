/*
 * elf.h - the bytes of an ELF file
 *
 * This folder reads ELF files as containers: it opens a file, checks its
 * headers, and hands out bytes. It does not interpret debug information. It
 * reads segments, sections (which it inflates if they are compressed),
 * relocations, and what the dynamic section and its symbol table tell the
 * run-time linker. For a stripped file it finds the separate file that has the
 * debug information, or the name of the Debian package that has it.
 *
 * To the other folders it offers
 *
 * - struct debugfile (debugfile.h), the open file. All data that the layer has
 *   about a file is in this structure, and each folder keeps its part there.
 *   The folder elf/ knows the parts of the other folders only as pointers.
 * - struct bytes and struct cursor (cursor.h), with which all parsers of the
 *   layer read bytes that cannot be trusted.
 * - the sections of debug information (sections.h), and struct image (image.h),
 *   through which all other sections are read.
 *
 * All other folders use this folder. It uses none of them.
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
