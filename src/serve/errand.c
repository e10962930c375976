/* errand.c - see errand.h */
#include "errand.h"

#include <stdlib.h>
#include <sys/mman.h>
#include <ucontext.h>

#include "perftool/base/alloc.h"

/* As much as a process has for its first thread; only what is used takes
 * memory. Below it is a page that cannot be written. */
#define STACK_SIZE ((size_t)8 << 20)
#define GUARD_SIZE ((size_t)4096)

struct errand {
	struct server *server;
	struct front_end *front_end;
	struct request request;
	void (*work)(struct server *server, struct front_end *front_end,
		     struct request *request);
	void *stack;
	ucontext_t own, servers;
	/* what it waits for */
	bool (*enough)(void *context);
	void *context;
	bool must_end, is_done;
};

static void *make_stack(struct server *server)
{
	void *stack = server->spare_stack;

	server->spare_stack = NULL;
	if (stack)
		return stack;
	stack = mmap(NULL, STACK_SIZE, PROT_READ | PROT_WRITE,
		     MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_STACK,
		     -1, 0);
	if (stack == MAP_FAILED)
		out_of_memory(STACK_SIZE);
	mprotect(stack, GUARD_SIZE, PROT_NONE);
	return stack;
}

void errand_free_stack(struct server *server)
{
	if (server->spare_stack)
		munmap(server->spare_stack, STACK_SIZE);
	server->spare_stack = NULL;
}

static void free_errand(struct errand *errand)
{
	struct server *server = errand->server;

	errand_free_stack(server);
	server->spare_stack = errand->stack;
	request_deinit(&errand->request);
	free(errand);
}

/* The time that a line waits for is over when that of the server is. */
static bool ends_well(const struct errand *errand)
{
	return !errand->must_end || server_is_time_over(errand->server);
}

/* The caller's `wait`: leaves the errand's stack. */
static bool wait_aside(void *context, bool (*enough)(void *enough_context),
		       void *enough_context)
{
	struct errand *errand = context;

	if (errand->must_end || enough(enough_context))
		return ends_well(errand);
	errand->enough = enough;
	errand->context = enough_context;
	perftool_session_step_aside(errand->server->session, true);
	swapcontext(&errand->own, &errand->servers);
	perftool_session_step_aside(errand->server->session, false);
	return ends_well(errand);
}

/* makecontext(3) hands over numbers only. */
static void begin(unsigned high, unsigned low)
{
	struct errand *errand =
		(struct errand *)((uintptr_t)high << 32 | (uintptr_t)low);

	errand->work(errand->server, errand->front_end, &errand->request);
	errand->is_done = true;
}

/* Goes to the errand's stack, until it waits or is done. Only there it has a
 * `wait`. */
static bool go(struct errand *errand)
{
	struct caller *caller = &errand->front_end->caller;

	caller->wait = wait_aside;
	caller->wait_context = errand;
	swapcontext(&errand->servers, &errand->own);
	caller->wait = NULL;
	if (!errand->is_done)
		return false;
	free_errand(errand);
	return true;
}

struct errand *errand_begin(struct server *server, struct front_end *front_end,
			    struct request *request,
			    void (*work)(struct server *server,
					 struct front_end *front_end,
					 struct request *request))
{
	struct errand *errand = xcalloc(1, sizeof(*errand));
	uintptr_t address = (uintptr_t)errand;

	*errand = (struct errand){.server = server,
				  .front_end = front_end,
				  .request = *request,
				  .work = work,
				  .stack = make_stack(server)};
	*request = (struct request){0};
	getcontext(&errand->own);
	errand->own.uc_stack.ss_sp = errand->stack;
	errand->own.uc_stack.ss_size = STACK_SIZE;
	errand->own.uc_link = &errand->servers;
	makecontext(&errand->own, (void (*)(void))begin, 2,
		    (unsigned)(address >> 32), (unsigned)address);
	return go(errand) ? NULL : errand;
}

bool errand_is_due(const struct errand *errand)
{
	return errand->must_end || errand->enough(errand->context);
}

bool errand_go_on(struct errand *errand, bool must_end)
{
	errand->must_end |= must_end;
	return go(errand);
}
