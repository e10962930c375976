/*
 * go.h - what is known of a Go program's runtime: go.c
 */
#ifndef PERFTOOL_DEBUGINFO_GO_H
#define PERFTOOL_DEBUGINFO_GO_H

#include "perftool/debuginfo.h"

struct go_file {
	bool is_go;
	struct go_runtime runtime;
};

#endif
