/* kernel_code.h - the vdso, which is code that no file has: see probe_vdso() */
#ifndef PROBE_KERNEL_CODE_H
#define PROBE_KERNEL_CODE_H

#include "perftool/probe.h"

struct kernel_image;

void close_kernel_images(struct probe *probe);

#endif
