/*
 * module.c - the program and the libraries of a process
 *
 * /proc/PID/maps says what is loaded: a file with an executable mapping is a
 * module. A file is opened when something about it is needed. It stays open
 * from run to run, unless it changes on disk.
 */
#include <elf.h>
#include <fcntl.h>
#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "callers.h"
#include "code_map.h"
#include "mapping.h"
#include "module.h"
#include "perftool/base/alloc.h"
#include "perftool/base/path.h"
#include "perftool/base/str.h"
#include "perftool/probe/breakpoint_requests.h"
#include "perftool/probe/loaded_modules.h"
#include "perftool/target/memory_maps.h"
#include "probe/probe_state.h"

/* the beginning of the path that /proc shows for a memfd */
#define MEMFD "/memfd:"

struct open_file {
	struct stat stat;
	/* how many directories of separate debug information the tool had when
	 * it opened the file */
	size_t directories;
	struct debugfile *file;
};

static bool same_file(const struct stat *a, const struct stat *b)
{
	return a->st_dev == b->st_dev && a->st_ino == b->st_ino &&
	       a->st_size == b->st_size &&
	       a->st_mtim.tv_sec == b->st_mtim.tv_sec &&
	       a->st_mtim.tv_nsec == b->st_mtim.tv_nsec;
}

struct error *probe_open_file(struct probe *probe, const char *path,
			      struct debugfile **out)
{
	struct open_file *entry;
	struct debugfile *file;
	struct stat stat_now = {0};

	/* If this fails, debugfile_open() reports the error with a better
	 * message. */
	(void)!stat(path, &stat_now);
	for (size_t i = 0; i < probe->files.list.count; i++) {
		entry = probe->files.list.data[i];
		if (same_file(&entry->stat, &stat_now) &&
		    (entry->directories ==
			     probe->files.debug_directories.count ||
		     debugfile_facts(entry->file)->has_dwarf)) {
			*out = entry->file;
			return NULL;
		}
	}
	TRY(debugfile_open_with(path, &probe->files.debug_directories, &file));
	debugfile_cache_index(file, probe->files.cache_folder,
			      INDEX_CACHE_LEAST);
	entry = xcalloc(1, sizeof(*entry));
	entry->directories = probe->files.debug_directories.count;
	entry->stat = stat_now;
	entry->file = file;
	vec_push(&probe->files.list, entry);
	*out = file;
	return NULL;
}

void probe_check_files(struct probe *probe)
{
	for (size_t i = 0; i < probe->files.list.count; i++)
		note_error(probe,
			   debugfile_check(probe->files.list.data[i]->file));
}

void close_files(struct probe *probe)
{
	for (size_t i = 0; i < probe->files.list.count; i++) {
		struct open_file *entry = probe->files.list.data[i];

		debugfile_close(entry->file);
		free(entry);
	}
	vec_free(&probe->files.list);
	for (size_t i = 0; i < probe->files.debug_directories.count; i++)
		free(probe->files.debug_directories.data[i]);
	vec_free(&probe->files.debug_directories);
	free(probe->files.cache_folder);
}

void probe_add_debug_directory(struct probe *probe, const char *directory)
{
	vec_push(&probe->files.debug_directories, xstrdup(directory));
	forget_problem(probe);
}

void probe_set_index_cache(struct probe *probe, bool on)
{
	free(probe->files.cache_folder);
	probe->files.cache_folder = on ? debuginfo_cache_folder() : NULL;
	for (size_t i = 0; i < probe->files.list.count; i++)
		debugfile_cache_index(probe->files.list.data[i]->file,
				      probe->files.cache_folder,
				      INDEX_CACHE_LEAST);
}

struct module *module_create(struct probe *probe, const char *path,
			     char *opened)
{
	struct module *module = xcalloc(1, sizeof(*module));

	module->probe = probe;
	module->users = 1;
	module->path = xstrdup(path);
	module->opened = opened;
	module->name = xstrdup(path_file_name(path));
	return module;
}

void module_called(struct module *module, const char *path)
{
	free(module->called);
	module->called = xstrdup(path);
	free(module->name);
	module->name = xstrdup(path_file_name(path));
}

struct module *module_ref(struct module *module)
{
	if (module)
		module->users++;
	return module;
}

void module_unref(struct module *module)
{
	if (!module || --module->users)
		return;
	free(module->path);
	free(module->opened);
	free(module->called);
	free(module->name);
	code_map_destroy(module->code);
	free(module);
}

const char *module_name(const struct module *module)
{
	return module->name;
}

const char *module_path(const struct module *module)
{
	return module->path;
}

uint64_t module_bias(const struct module *module)
{
	return module->bias;
}

struct debugfile *module_file(const struct module *module)
{
	/* The module counts as const, because opening its file changes nothing
	 * that a caller can observe. */
	struct module *opened = (struct module *)module;
	struct error *error;

	if (module->file || module->unreadable || !module->opened)
		return module->file;
	error = probe_open_file(module->probe, module->opened, &opened->file);
	if (error) {
		opened->unreadable = true;
		error_destroy(error);
	}
	return module->file;
}

/* Are both files of the same build? The linker gives each build an ID, if it is
 * not told otherwise. */
static bool is_same_build(const struct debugfile *a, const struct debugfile *b)
{
	const char *first = debugfile_facts(a)->build_id;
	const char *second = debugfile_facts(b)->build_id;

	return a == b || (first && second && str_equal(first, second));
}

/* Have the files at both paths the same bytes? */
static bool is_same_content(const char *a, const char *b)
{
	FILE *first = fopen(a, "re"), *second = fopen(b, "re");
	struct stat one, other;
	bool same = first && second && !fstat(fileno(first), &one) &&
		    !fstat(fileno(second), &other) &&
		    one.st_size == other.st_size;
	int byte = 0;

	while (same && byte != EOF) {
		byte = getc_unlocked(first);
		same = byte == getc_unlocked(second);
	}
	if (first)
		fclose(first);
	if (second)
		fclose(second);
	return same;
}

bool module_is_copy_in_memory(const struct module *module,
			      const struct module *of)
{
	if (!str_starts(module->path, MEMFD) || !module_file(module) ||
	    !module_file(of))
		return false;
	return is_same_build(module->file, of->file) ||
	       (!debugfile_facts(of->file)->build_id &&
		is_same_content(module->opened, of->opened));
}

struct debugfile *module_file_again(const struct module *module)
{
	struct debugfile *file = NULL;

	if (!module_file(module))
		return NULL;
	if (!module->opened)
		return module->file;
	/* the file may be gone from disk meanwhile, or be another one */
	error_destroy(probe_open_file(module->probe, module->opened, &file));
	return file && is_same_build(file, module->file) ? file : module->file;
}

struct range module_range(const struct module *module)
{
	return (struct range){module->low, module->high};
}

const struct module *module_keep(const struct module *module)
{
	return module_ref((struct module *)module);
}

void module_drop(const struct module *module)
{
	module_unref((struct module *)module);
}

bool module_is_same_file(const struct module *a, const struct module *b)
{
	return a->device == b->device && a->inode == b->inode &&
	       str_equal(a->path, b->path);
}

uint64_t probe_module_changes(const struct probe *probe)
{
	return probe->module_changes;
}

/* NAME means the module libfoo.so.1 if it is the module's file name, its path,
 * its soname, the part of its file name before a dot, or a glob that matches
 * its file name. */
bool module_matches(const struct module *module, const char *name)
{
	struct debugfile *file;
	const char *soname;
	size_t length = strlen(name);

	if (str_equal(module->name, name) || str_equal(module->path, name) ||
	    str_equal(path_file_name(module->path), name))
		return true;
	if (str_is_glob(name))
		return fnmatch(name, module->name, 0) == 0 ||
		       fnmatch(name, path_file_name(module->path), 0) == 0;
	if (str_starts(module->name, name) && module->name[length] == '.')
		return true;
	/* The file is only opened to read its soname if NAME and the file's
	 * name begin with the same four characters. */
	if (strncmp(module->name, name, 4) != 0)
		return false;
	file = module_file(module);
	soname = file ? debugfile_facts(file)->soname : NULL;
	return soname && str_equal(soname, name);
}

static struct loaded *loaded_at(struct space *space, uint64_t address)
{
	for (size_t i = 0; i < space->modules.count; i++) {
		const struct module *module = space->modules.data[i].module;

		if (address >= module->low && address < module->high)
			return &space->modules.data[i];
	}
	return NULL;
}

struct module *space_module_at(struct space *space, uint64_t address)
{
	struct loaded *loaded = loaded_at(space, address);

	return loaded ? loaded->module : NULL;
}

/* Compute the load bias from one mapping of the file, with the file's headers.
 * Returns false if the mapping was not made by loading the program or library:
 * the program has mapped a part of the file once more. */
static bool find_bias(struct module *module, const struct mapping_list *maps,
		      const struct mapping *mapping)
{
	struct debugfile *file = module_file(module);
	const struct debugfile_facts *facts;
	uint64_t address;

	if (!file ||
	    !debugfile_address_of_offset(file, mapping->offset, &address))
		return false;
	facts = debugfile_facts(file);
	module->bias = mapping->low - address;
	if (!is_load_bias(maps, mapping, file, module->bias))
		return false;
	module->low = facts->low + module->bias;
	module->high = facts->high + module->bias;
	return true;
}

static bool is_memfd(const struct mapping *mapping)
{
	return str_starts(mapping->path, MEMFD) && mapping->inode;
}

static bool is_file(const struct mapping *mapping)
{
	return mapping->path[0] == '/' && mapping->inode && !is_memfd(mapping);
}

/* (The file is read and not the memory, which the program may have to provide
 * first.) */
static bool is_elf(pid_t pid, const struct mapping *mapping)
{
	CLEANUP(free_pointer)
	char *path = target_file_of_mapping(pid, mapping, NULL);
	int file = path ? open(path, O_RDONLY | O_CLOEXEC) : -1;
	char magic[SELFMAG];
	bool is = file >= 0 &&
		  pread(file, magic, sizeof(magic), 0) == sizeof(magic) &&
		  memcmp(magic, ELFMAG, SELFMAG) == 0;

	if (file >= 0)
		close(file);
	return is;
}

/* How many mappings of an ELF file may be before that of its code */
#define MOST_BEFORE 8

/*
 * Is the mapping of a memfd a part of an ELF file: of a program that was
 * executed by fexecve(3), or of a library that was loaded from memory? Other
 * memfds have code that a compiler has made, or the tool's own. An ELF file is
 * mapped from its header on.
 */
static bool is_elf_in_memory(pid_t pid, const struct mapping_list *maps,
			     const struct mapping *mapping)
{
	const struct mapping *first = mapping;

	if (!is_memfd(mapping) ||
	    str_starts(mapping->path, MEMFD STORE_NAME " "))
		return false;
	for (int i = 0; i < MOST_BEFORE && first->offset && first > maps->data;
	     i++)
		first--;
	return !first->offset && first->inode == mapping->inode &&
	       first->device == mapping->device && is_elf(pid, first);
}

/* The path of the module of a mapping. /proc shows that a memfd has no name in
 * any folder, which is not a part of its name. */
static char *module_path_of(const struct mapping *mapping)
{
	static const char deleted[] = " (deleted)";
	size_t length = strlen(mapping->path);
	size_t more = sizeof(deleted) - 1;

	if (is_memfd(mapping) && length > more &&
	    str_equal(mapping->path + length - more, deleted))
		length -= more;
	return xstrndup(mapping->path, length);
}

static struct module *open_mapping(struct probe *probe, pid_t pid,
				   const struct mapping_list *maps,
				   const struct mapping *mapping)
{
	CLEANUP(free_pointer) char *path = NULL;
	struct module *module;
	char *problem = NULL, *opened;

	opened = target_file_of_mapping(pid, mapping, &problem);
	if (problem)
		note(probe, "%s", problem);
	free(problem);
	if (!opened)
		return NULL;
	path = module_path_of(mapping);
	module = module_create(probe, path, opened);
	if (probe->program && str_equal(probe->program->path, path))
		module_called(module, probe->program->called);
	module->device = mapping->device;
	module->inode = mapping->inode;
	if (find_bias(module, maps, mapping))
		return module;
	module_unref(module);
	return NULL;
}

/* Is this a mapping of the module's file? A file may be renamed or removed
 * while it is mapped. Its path changes then, but not its inode. */
static bool is_of(const struct mapping *mapping, const struct module *module)
{
	return is_mapping_of(mapping, module->device, module->inode);
}

/* Is any part of the module still mapped? The program may have made its code
 * writable for a while, or replaced a part of it by other memory. The rest of
 * the module still contains the tool's patches. */
static bool is_mapped(const struct mapping_list *maps,
		      const struct module *module)
{
	for (size_t i = mapping_list_above(maps, module->low);
	     i < maps->count && maps->data[i].low < module->high; i++)
		if (is_of(&maps->data[i], module))
			return true;
	return false;
}

static void look_for_modules(struct space *space,
			     const struct mapping_list *maps)
{
	for (size_t i = 0; i < space->modules.count; i++)
		space->modules.data[i].present =
			is_mapped(maps, space->modules.data[i].module);
}

static void note_mapping(struct probe *probe, pid_t pid, struct space *space,
			 const struct mapping_list *maps,
			 const struct mapping *mapping)
{
	struct loaded *known = loaded_at(space, mapping->low);
	struct loaded loaded = {.present = true};

	if (known && is_of(mapping, known->module))
		return;
	loaded.module = open_mapping(probe, pid, maps, mapping);
	if (loaded.module)
		vec_push(&space->modules, loaded);
}

/* Drop the modules that are not mapped any more, with their sites. */
static void drop_absent(struct probe *probe, struct space *space)
{
	for (size_t i = space->modules.count; i-- > 0;) {
		struct loaded loaded = space->modules.data[i];

		if (loaded.present)
			continue;
		probe->module_changes++;
		vec_remove(&space->modules, i);
		callers_forget(&space->callers);
		space_drop_module(probe, space, &loaded);
		module_unref(loaded.module);
	}
}

static struct error *read_modules(struct probe *probe, pid_t pid,
				  struct space *space)
{
	struct mapping_list maps;

	probe->module_changes++;
	TRY(target_read_maps(pid, &maps));
	/* space->files is to be determined again, in the order of loading. */
	vec_clear(&space->files);
	callers_forget(&space->callers);
	look_for_modules(space, &maps);
	for (size_t i = 0; i < maps.count; i++)
		if (maps.data[i].executable &&
		    (is_file(&maps.data[i]) ||
		     is_elf_in_memory(pid, &maps, &maps.data[i])))
			note_mapping(probe, pid, space, &maps, &maps.data[i]);
	mapping_list_deinit(&maps);
	return NULL;
}

struct error *space_read_modules(struct probe *probe, struct space *space)
{
	TRY(read_modules(probe, space->process->pid, space));
	drop_absent(probe, space);
	return NULL;
}

void space_forget_unmapped(struct probe *probe, struct space *space)
{
	const struct mapping_list *maps = space_maps(space);

	if (!maps->count)
		return;
	look_for_modules(space, maps);
	drop_absent(probe, space);
}

void space_has_libraries(struct space *space)
{
	if (space->has_libraries)
		return;
	space->has_libraries = true;
	for (size_t i = 0; i < space->modules.count; i++)
		space->modules.data[i].linked = true;
}

struct error *preload_modules(struct probe *probe, pid_t pid,
			      struct space *space)
{
	return read_modules(probe, pid, space);
}
