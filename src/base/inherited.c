/* inherited.c - see inherited.h */
#include "perftool/base/inherited.h"

#include <pthread.h>
#include <sys/prctl.h>

void inherited_change(struct inherited *inherited)
{
	struct rlimit files;
	int counter = PR_TSC_ENABLE;

	pthread_sigmask(SIG_SETMASK, NULL, &inherited->mask);
	inherited->is_limit_changed = false;
	if (getrlimit(RLIMIT_NOFILE, &inherited->files) == 0) {
		files = inherited->files;
		files.rlim_cur = files.rlim_max;
		inherited->is_limit_changed =
			setrlimit(RLIMIT_NOFILE, &files) == 0;
	}
	prctl(PR_GET_TSC, &counter);
	inherited->is_counter_forbidden = counter != PR_TSC_ENABLE;
	if (inherited->is_counter_forbidden)
		prctl(PR_SET_TSC, PR_TSC_ENABLE);
}

void inherited_restore(const struct inherited *inherited)
{
	sigprocmask(SIG_SETMASK, &inherited->mask, NULL);
	if (inherited->is_limit_changed)
		setrlimit(RLIMIT_NOFILE, &inherited->files);
	if (inherited->is_counter_forbidden)
		prctl(PR_SET_TSC, PR_TSC_SIGSEGV);
}
