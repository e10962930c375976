/*
 * served_pages.h - pages of files that another process or another machine
 * provides; see served_pages.c
 */
#ifndef TARGET_SERVED_PAGES_H
#define TARGET_SERVED_PAGES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "perftool/target.h"

/* What the tool knows of such pages of one process. */
struct served_pages *served_pages_create(void);
/* The process has another memory. */
void served_pages_forget(struct served_pages *served);
/* NULL is allowed. */
void served_pages_destroy(struct served_pages *served);

/*
 * May the tool access the memory without a wait that it cannot end? If a page
 * is missing that a file system must provide, the function waits for the page,
 * for a limited time. False: the page has not come; errno says why.
 */
bool served_pages_await(const struct process *process, uint64_t address,
			size_t size);

#endif
