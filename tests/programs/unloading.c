/*
 * unloading.c - a library that stays half unloaded: its memory is gone, and the
 * run-time linker has not yet told of that
 *
 * usage: unloading LIBRARY
 *
 * The second thread calls plugin_work() 10 times and says "loaded". At each
 * line that it reads it goes on. It unloads the library, says "unmapped" in the
 * middle of that, and "unloaded" at its end. Then it loads the library again,
 * calls plugin_work() 20 times and says "finished".
 *
 * The second thread may not unmap memory. A filter makes it call a handler
 * instead, which unmaps the memory by a call that the filter lets pass.
 */
#include <dlfcn.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <ucontext.h>
#include <unistd.h>

/* The filter knows the handler's call by this third argument, which munmap does
 * not have. */
#define PASS 4711

static const char *library;
static volatile sig_atomic_t is_unloading;

static void say(const char *what)
{
	char line[80];

	puts(what);
	fflush(stdout);
	if (!fgets(line, sizeof(line), stdin))
		exit(1);
}

static void on_unmap(int signal, siginfo_t *info, void *context)
{
	greg_t *regs = ((ucontext_t *)context)->uc_mcontext.gregs;

	(void)signal;
	(void)info;
	regs[REG_RAX] = syscall(SYS_munmap, regs[REG_RDI], regs[REG_RSI], PASS);
	if (is_unloading)
		say("unmapped");
	is_unloading = 0;
}

static void filter_unmap(void)
{
	struct sock_filter rules[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS,
			 offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_munmap, 0, 3),
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS,
			 offsetof(struct seccomp_data, args[2])),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, PASS, 1, 0),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_TRAP),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog program = {sizeof(rules) / sizeof(*rules), rules};

	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) ||
	    prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program))
		exit(2);
}

static void *use(unsigned times)
{
	void *handle = dlopen(library, RTLD_NOW);
	unsigned (*work)(unsigned);

	if (!handle)
		exit(3);
	*(void **)&work = dlsym(handle, "plugin_work");
	for (unsigned i = 0; i < times; i++)
		work(i);
	return handle;
}

static void *load_and_unload(void *unused)
{
	void *handle = use(10);

	filter_unmap();
	say("loaded");
	is_unloading = 1;
	dlclose(handle);
	say("unloaded");
	use(20);
	say("finished");
	exit(0);
	return unused;
}

int main(int argc, char **argv)
{
	struct sigaction action = {.sa_sigaction = on_unmap,
				   .sa_flags = SA_SIGINFO};
	pthread_t id;

	if (argc != 2)
		return 2;
	library = argv[1];
	sigaction(SIGSYS, &action, NULL);
	if (pthread_create(&id, NULL, load_and_unload, NULL))
		return 2;
	for (;;)
		pause();
}
