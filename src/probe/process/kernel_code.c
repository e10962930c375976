/*
 * kernel_code.c - the vdso: code of the kernel that each process has in its
 * memory, and that is in no file
 *
 * It is the image of a shared library, with symbols and call frame information.
 * Processes have the same image at different addresses, as long as nobody has
 * written to it, so it is opened once.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "kernel_code.h"
#include "module.h"
#include "perftool/base/alloc.h"
#include "perftool/probe/loaded_modules.h"
#include "probe/probe_state.h"

/* The largest image that is read. */
#define MOST_BYTES 65536

struct kernel_image {
	struct module *module;
	uint8_t *bytes;
	size_t size;
};

static struct debugfile *open_bytes(const uint8_t *bytes, size_t size)
{
	struct debugfile *file = NULL;
	char path[40];
	int memory = memfd_create("vdso", MFD_CLOEXEC);

	if (memory < 0)
		return NULL;
	snprintf(path, sizeof(path), "/proc/self/fd/%d", memory);
	if (write(memory, bytes, size) == (ssize_t)size)
		error_destroy(debugfile_open(path, &file));
	close(memory);
	return file;
}

const struct module *probe_vdso(struct probe *probe, struct process *process,
				uint64_t low, uint64_t end)
{
	const size_t size = end - low < MOST_BYTES ? end - low : MOST_BYTES;
	CLEANUP(free_pointer) uint8_t *bytes = xmalloc(size);
	struct kernel_image *image;
	struct debugfile *file;

	if (!target_read_callback(process, low, bytes, size))
		return NULL;
	for (size_t i = 0; i < probe->kernel_images.count; i++) {
		image = probe->kernel_images.data[i];
		if (image->size == size &&
		    memcmp(image->bytes, bytes, size) == 0)
			return image->module;
	}
	file = open_bytes(bytes, size);
	if (!file)
		return NULL;
	image = xcalloc(1, sizeof(*image));
	image->module = module_create(probe, PROBE_VDSO, NULL);
	image->module->file = file;
	/* A number of a module stands for its file (module_is_same_file()). */
	image->module->inode = probe->kernel_images.count;
	image->size = size;
	image->bytes = bytes;
	bytes = NULL;
	vec_push(&probe->kernel_images, image);
	return image->module;
}

void close_kernel_images(struct probe *probe)
{
	for (size_t i = 0; i < probe->kernel_images.count; i++) {
		struct kernel_image *image = probe->kernel_images.data[i];

		debugfile_close(image->module->file);
		module_unref(image->module);
		free(image->bytes);
		free(image);
	}
	vec_free(&probe->kernel_images);
}
