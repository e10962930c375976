/* separate_file.c - see separate_file.h */
#include "separate_file.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>

#include "perftool/base/alloc.h"
#include "perftool/base/str.h"
#include "perftool/debuginfo.h"

#define SYSTEM_DIRECTORY "/usr/lib/debug"

/* One search for a separate file. */
struct hunt {
	char *file; /* the path of the stripped file, with links resolved */
	/* "" or "/proc/PID/root": the root directory of the process that uses
	 * the file */
	char *root;
	/* the build id that the separate file must have, or NULL */
	const char *id;
	const char *link; /* the name of the separate file, or NULL */
	/* of all bytes of the separate file; used if there is no id */
	uint32_t checksum;
	bool has_checksum;
	bool shared; /* the search is that of separate_find_shared() */
	const struct debug_directories *directories;
	struct separate *out;
};

char *separate_root(const char *path)
{
	static const char proc[] = "/proc/";
	size_t length;

	if (!str_starts(path, proc))
		return xstrdup("");
	length = strlen(proc) + strspn(path + strlen(proc), "0123456789");
	if (!str_starts(path + length, "/root/"))
		return xstrdup("");
	return xstrndup(path, length + strlen("/root"));
}

static bool has_checksum(const struct image *image, uint32_t expected)
{
	uLong sum = crc32(0, NULL, 0);
	unsigned char buffer[65536];
	off_t at = 0;
	ssize_t got;

	while ((got = pread(image->fd, buffer, sizeof(buffer), at)) > 0) {
		sum = crc32(sum, buffer, (uInt)got);
		at += got;
	}
	return got == 0 && sum == expected;
}

/* The bytes of a build id as hexadecimal digits, which the caller frees. NULL:
 * there are too few or too many bytes for a build id. */
static char *digits(const uint8_t *bytes, size_t size)
{
	struct str text = {0};

	if (size < 2 || size > 64)
		return NULL;
	for (size_t i = 0; i < size; i++)
		str_printf(&text, "%02x", bytes[i]);
	return str_take(&text);
}

/* Read .debug_sup (DWARF 5). In a program's debug information, this section has
 * the name of the shared file and an identification number. The shared file has
 * the same number in its own .debug_sup (`is_shared`). `*id` gets the
 * number. */
static const char *read_supplement(const struct image *image, bool is_shared,
				   char **id)
{
	struct bytes bytes = image_section_bytes(
		image, image_find_section(image, ".debug_sup"));
	struct cursor cursor = cursor_at(bytes, 0), number;
	unsigned version = cursor_u16(&cursor);
	bool shared = cursor_u8(&cursor);
	const char *name = cursor_string(&cursor);

	number = cursor_take(&cursor, cursor_uleb(&cursor));
	if (cursor.failed || version != 5 || shared != is_shared)
		return NULL;
	if (id)
		*id = digits(number.at, cursor_left(&number));
	return name;
}

static char *number_of(const struct hunt *hunt, const struct image *image)
{
	char *id = image_build_id(image);

	if (!id && hunt->shared)
		read_supplement(image, true, &id);
	return id;
}

static bool is_wanted(const struct hunt *hunt, const struct image *image)
{
	char *id = number_of(hunt, image);
	bool same;

	if (hunt->id && id)
		same = str_equal(hunt->id, id);
	else
		same = hunt->has_checksum &&
		       has_checksum(image, hunt->checksum);
	free(id);
	return same;
}

/* Use the file at `path` if it is the wanted separate file. The function takes
 * ownership of `path`. */
static bool try(struct hunt *hunt, char *path)
{
	struct separate *out = hunt->out;
	struct error *error;
	struct image image;

	if (access(path, R_OK) != 0 || str_equal(path, hunt->file)) {
		free(path);
		return false;
	}
	error = image_open(path, hunt->shared ? IMAGE_PART : IMAGE_DEBUG_ONLY,
			   &image);
	if (error) {
		error_destroy(error);
		free(path);
		return false;
	}
	if (is_wanted(hunt, &image)) {
		out->image = image;
		out->path = path;
		return true;
	}
	image_close(&image);
	if (out->mismatch)
		free(path);
	else
		out->mismatch = path;
	return false;
}

/* Call `form`, which tries paths in one directory, with every debug directory
 * until `form` has found the file. */
static bool each_directory(struct hunt *hunt,
			   bool (*form)(struct hunt *hunt,
					const char *directory))
{
	bool found = false;

	for (size_t i = 0; !found && i < hunt->directories->count; i++)
		found = form(hunt, hunt->directories->data[i]);
	if (!found && *hunt->root) {
		char *inside = xasprintf("%s" SYSTEM_DIRECTORY, hunt->root);

		found = form(hunt, inside);
		free(inside);
	}
	return found || form(hunt, SYSTEM_DIRECTORY);
}

static bool try_id(struct hunt *hunt, const char *directory)
{
	return try(hunt, xasprintf("%s/.build-id/%.2s/%s.debug", directory,
				   hunt->id, hunt->id + 2));
}

/* Try the file that debuginfod-find or gdb may have put into their cache. */
static bool try_cache(struct hunt *hunt)
{
	const char *cache = getenv("DEBUGINFOD_CACHE_PATH");
	const char *base = getenv("XDG_CACHE_HOME");
	const char *home = getenv("HOME");

	if (cache && *cache)
		return try(hunt, xasprintf("%s/%s/debuginfo", cache, hunt->id));
	if (base && *base)
		return try(hunt, xasprintf("%s/debuginfod_client/%s/debuginfo",
					   base, hunt->id));
	return home &&
	       try(hunt, xasprintf("%s/.cache/debuginfod_client/%s/debuginfo",
				   home, hunt->id));
}

/* The length of a path without its last component. */
static int directory_length(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? (int)(slash - path) : 0;
}

static bool try_link(struct hunt *hunt, const char *directory)
{
	const char *inside = hunt->file + strlen(hunt->root);

	return try(hunt,
		   xasprintf("%s%.*s/%s", directory, directory_length(inside),
			     inside, hunt->link)) ||
	       try(hunt, xasprintf("%s/%s", directory, hunt->link));
}

static bool try_name(struct hunt *hunt, const char *directory)
{
	return try(hunt,
		   xasprintf("%s/%s.debug", directory,
			     hunt->file + directory_length(hunt->file) + 1));
}

static bool try_beside(struct hunt *hunt)
{
	int length = directory_length(hunt->file);

	return try(hunt,
		   xasprintf("%.*s/%s", length, hunt->file, hunt->link)) ||
	       try(hunt,
		   xasprintf("%.*s/.debug/%s", length, hunt->file, hunt->link));
}

/* Read .gnu_debuglink: the name of the separate file, a zero, zeros up to a
 * multiple of 4 bytes, and the checksum of the separate file. */
static void read_link(struct hunt *hunt, const struct image *image)
{
	struct bytes bytes = image_section_bytes(
		image, image_find_section(image, ".gnu_debuglink"));
	const char *name = bytes_string(bytes, 0);
	struct cursor cursor;

	/* A name with a slash is refused, because it could lead to any
	 * directory. */
	if (!name || !*name || strchr(name, '/'))
		return;
	cursor = cursor_at(bytes, (strlen(name) + 4) & ~3ULL);
	hunt->checksum = cursor_u32(&cursor);
	if (cursor.failed)
		return;
	hunt->has_checksum = true;
	hunt->link = name;
}

static void hunt_init(struct hunt *hunt, const char *path,
		      const struct debug_directories *directories,
		      struct separate *out)
{
	char *whole = realpath(path, NULL);

	*hunt = (struct hunt){
		/* If the path leads through /proc/PID/root, it is not resolved
		 * below, so that the search stays in the file system of that
		 * process. */
		.root = separate_root(path),
		.directories = directories,
		.out = out,
	};
	if (whole && !*hunt->root) {
		hunt->file = whole;
	} else {
		hunt->file = xstrdup(path);
		free(whole);
	}
	*out = (struct separate){.image = {.fd = -1}};
}

static void hunt_deinit(struct hunt *hunt)
{
	struct separate *out = hunt->out;

	/* Once the file is found, a file of another build that was tried
	 * before is of no interest. */
	if (out->path) {
		free(out->mismatch);
		out->mismatch = NULL;
	}
	free(hunt->file);
	free(hunt->root);
}

void separate_find(const char *path, const struct image *image,
		   const struct debug_directories *directories,
		   struct separate *out)
{
	char *id = image_build_id(image);
	struct hunt hunt;
	bool found = false;

	hunt_init(&hunt, path, directories, out);
	hunt.id = id;
	read_link(&hunt, image);
	if (id)
		found = each_directory(&hunt, try_id) || try_cache(&hunt);
	if (!found && hunt.link)
		found = try_beside(&hunt) || each_directory(&hunt, try_link);
	if (!found && id)
		each_directory(&hunt, try_name);
	hunt_deinit(&hunt);
	free(id);
}

/* Read the name of the shared file from .gnu_debugaltlink or .debug_sup. `*id`
 * gets the build id (or identification number) behind the name, which the
 * caller frees; `id` may be NULL. */
static const char *read_shared(const struct image *image, char **id)
{
	struct bytes bytes = image_section_bytes(
		image, image_find_section(image, ".gnu_debugaltlink"));
	const char *name = bytes_string(bytes, 0);
	size_t used;

	if (!name)
		return read_supplement(image, false, id);
	used = strlen(name) + 1;
	if (id)
		*id = digits(bytes.data + used, bytes.size - used);
	return name;
}

const char *separate_shared_name(const struct image *image)
{
	return read_shared(image, NULL);
}

/* Try the last component of the shared file's name in a debug directory and in
 * its subdirectory .dwz, the usual place of shared files. */
static bool try_moved(struct hunt *hunt, const char *directory)
{
	const char *slash = strrchr(hunt->link, '/');
	const char *last = slash ? slash + 1 : hunt->link;

	return try(hunt, xasprintf("%s/%s", directory, last)) ||
	       try(hunt, xasprintf("%s/.dwz/%s", directory, last));
}

void separate_find_shared(const char *path, const struct image *image,
			  const struct debug_directories *directories,
			  struct separate *out)
{
	struct hunt hunt;
	char *id = NULL;
	bool found;

	hunt_init(&hunt, path, directories, out);
	hunt.shared = true;
	hunt.link = read_shared(image, &id);
	hunt.id = id;
	if (hunt.link && *hunt.link && id) {
		const char *root = *hunt.link == '/' ? hunt.root : hunt.file;
		int length = *hunt.link == '/' ? (int)strlen(root)
					       : directory_length(root);

		found = try(&hunt,
			    xasprintf("%.*s/%s", length, root, hunt.link)) ||
			each_directory(&hunt, try_id) || try_cache(&hunt);
		if (!found)
			each_directory(&hunt, try_moved);
	}
	hunt_deinit(&hunt);
	free(id);
}

void separate_deinit(struct separate *separate)
{
	image_close(&separate->image);
	free(separate->path);
	free(separate->mismatch);
}
