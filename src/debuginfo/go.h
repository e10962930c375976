/*
 * go.h - what go.c has found out about a file: is it a Go program, and how does
 * its runtime store the goroutine of a thread
 */
#ifndef PERFTOOL_DEBUGINFO_GO_H
#define PERFTOOL_DEBUGINFO_GO_H

#include "perftool/debuginfo.h"
#include "perftool/debuginfo/go_program.h"

struct go_file {
	bool is_go;
	struct go_runtime runtime;
};

#endif
