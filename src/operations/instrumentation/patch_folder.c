/*
 * patch_folder.c - the models of an instrumentation, and the folder of their
 * files: see instrumentation.h
 */
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "instrumentation.h"
#include "perftool/base/alloc.h"

void instrumentation_init(struct instrumentation *patches)
{
	patch_modes_init(&patches->modes);
}

/* Removes a folder that the tool has made, with the files in it. */
static void remove_folder(const char *path)
{
	DIR *folder = opendir(path);
	struct dirent *entry;

	while (folder && (entry = readdir(folder)))
		unlinkat(dirfd(folder), entry->d_name, 0);
	if (folder)
		closedir(folder);
	rmdir(path);
}

void instrumentation_deinit(struct instrumentation *patches)
{
	for (size_t i = 0; i < patches->models.count; i++)
		patch_model_deinit(&patches->models.data[i]);
	vec_free(&patches->models);
	for (size_t i = 0; i < patches->inserted.count; i++) {
		struct inserted_model *at = &patches->inserted.data[i];

		free(at->name);
		vec_free(&at->timed);
		vec_free(&at->breaks);
		holders_deinit(&at->holders);
	}
	vec_free(&patches->inserted);
	patch_modes_deinit(&patches->modes);
	if (patches->is_own)
		remove_folder(patches->directory);
	free(patches->directory);
}

struct patch_model *instrumentation_find(struct instrumentation *patches,
					 const char *name)
{
	for (size_t i = 0; i < patches->models.count; i++)
		if (str_equal(patches->models.data[i].name, name))
			return &patches->models.data[i];
	return NULL;
}

struct patch_model *instrumentation_model(struct instrumentation *patches,
					  const char *name)
{
	struct patch_model *model = instrumentation_find(patches, name);

	if (model)
		return model;
	vec_push(&patches->models, (struct patch_model){.name = xstrdup(name)});
	return &patches->models.data[patches->models.count - 1];
}

void instrumentation_drop_empty(struct instrumentation *patches)
{
	for (size_t i = patches->models.count; i-- > 0;) {
		if (patches->models.data[i].methods.count)
			continue;
		patch_model_deinit(&patches->models.data[i]);
		vec_remove(&patches->models, i);
	}
}

struct error *instrumentation_folder(struct instrumentation *patches,
				     const char **out)
{
	if (!patches->directory) {
		char path[] = "/tmp/perftool-patches.XXXXXX";

		if (!mkdtemp(path))
			return error_system(errno, "cannot make the folder %s",
					    path);
		patches->directory = xstrdup(path);
		patches->is_own = true;
	}
	*out = patches->directory;
	return NULL;
}

struct error *instrumentation_set_folder(struct instrumentation *patches,
					 const char *path)
{
	struct stat status;

	if (stat(path, &status) != 0)
		return error_system(errno, "%s", path);
	if (!S_ISDIR(status.st_mode))
		return error_create(ERROR_USAGE, "%s is not a directory", path);
	if (patches->is_own)
		remove_folder(patches->directory);
	free(patches->directory);
	patches->directory = xstrdup(path);
	patches->is_own = false;
	return NULL;
}
