#!/usr/bin/env bash
# Programs and libraries whose files have no path that leads to them: those that are only
# in memory (memfd), and those of a process whose root is an empty directory.
# tier: core
# covers: probe/process target/proc
# shellcheck disable=SC2317 # wait_for calls by name
. "$(dirname "$0")/../lib.sh"

cat >image.c <<'END'
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <unistd.h>

extern char **environ;
static int copy;
static char next[] = "0";

__attribute__((noipa)) int work(int n) { return n * 3 + 1; }

static int copy_of(const char *path, const char *name)
{
	int from = open(path, O_RDONLY), to = memfd_create(name, MFD_CLOEXEC);
	struct stat file;

	fstat(from, &file);
	if (sendfile(to, from, NULL, (size_t)file.st_size) != file.st_size)
		exit(2);
	close(from);
	return to;
}

/* Code that a program makes at run time: not an ELF file. */
static int made(int n)
{
	static const unsigned char code[] = {0x8d, 0x47, 0x01, 0xc3}; /* n + 1 */
	int file = memfd_create("made", MFD_CLOEXEC);
	int (*function)(int);

	if (write(file, code, sizeof(code)) != sizeof(code))
		exit(3);
	function = (int (*)(int))mmap(NULL, 4096, PROT_READ | PROT_EXEC,
				      MAP_SHARED, file, 0);
	close(file);
	return function(n);
}

static void *execute(void *unused)
{
	char *argv[] = {"image", next, NULL};

	fexecve(copy, argv, environ);
	return unused;
}

int main(int argc, char **argv)
{
	int stage = argc > 1 ? atoi(argv[1]) : 0, sum = made(1);
	unsigned (*function)(unsigned);
	pthread_t thread;
	char path[64];
	void *library;

	for (int i = 0; i < 100 * (stage + 1); i++)
		sum += work(i);
	if (stage < 2) {
		copy = copy_of("/proc/self/exe", "image");
		next[0] = (char)('1' + stage);
		pthread_create(&thread, NULL, execute, NULL);
		pthread_join(thread, NULL);
		return 3;
	}
	/* two libraries of one name */
	for (int i = 1; i <= 2; i++) {
		int file = copy_of(getenv("PLUGIN"), "plugin.so");

		snprintf(path, sizeof(path), "/proc/self/fd/%d", file);
		library = dlopen(path, RTLD_NOW);
		if (!library)
			return 4;
		function = (unsigned (*)(unsigned))dlsym(library, "plugin_work");
		for (unsigned j = 0; j < 20u * (unsigned)i; j++)
			sum += (int)function(j);
	}
	printf("%s\n", sum ? "work 600 plugin_work 60" : "");
	return 7;
}
END
cat >jailed.c <<'END'
#include <stdio.h>
#include <string.h>
#include <unistd.h>
__attribute__((noipa)) int work(int n) { return n * 3 + 1; }
int main(int argc, char **argv)
{
	char line[64];

	if (argc > 1 && (chroot(argv[1]) || chdir("/") || rmdir("/") > 0))
		return 1;
	puts("jailed");
	fflush(stdout);
	while (fgets(line, sizeof(line), stdin)) {
		for (int i = 0; i < 100; i++)
			if (work(i) + (int)getppid() < 0)
				return 2;
		puts("done");
		fflush(stdout);
	}
	return 0;
}
END
gcc -O1 -o image image.c -ldl -pthread
gcc -O1 -Wl,--build-id=none -o unnamed image.c -ldl -pthread
gcc -O1 -o jailed jailed.c
cp "$PROGRAMS/plugin" .

# Root may open each file that is mapped, another user may not.
users=(user)
if [ "$(id -u)" = 0 ]; then
	chmod 711 "$SCRATCH"
	chmod 777 "$SCRATCH/work"
	cp "$BUILD/perftool" .
	HOME=$PWD
	PATH=$PWD:$PATH
	users=(root user)
fi
# become USER: sets $by to what executes a command as that user
become() {
	by=()
	[ "$1" = root ] || [ "$(id -u)" != 0 ] ||
		by=(setpriv "--reuid=$((100000 + $$))" --regid=65534 --clear-groups
			--inh-caps=-all)
}

export PLUGIN=$PWD/plugin
for user in "${users[@]}"; do
	become "$user"
	for program in image unnamed; do
		try "${by[@]}" perftool -q -n --pending -f json -o t.json \
			-t work -t plugin_work "./$program"
		is "$status $out" '7 work 600 plugin_work 60' \
			"$user, $program: the program does what it does by itself"
		is "$(json 'time("work")["count"], time("plugin_work")["count"]')" '600 60' \
			"$user, $program: calls in memfds are counted"
		is "$err" '' "$user, $program: nothing is remarked"
		rm -f t.json
	done
done
PENDING=yes times plugin_work@memfd:plugin.so -- ./image
is "$(json 'time("plugin_work")["count"], entry("plugin_work")["module"]')" \
	'60 memfd:plugin.so' 'a library in a memfd has the name of the memfd'

# ---- an empty root ----------------------------------------------------------

for user in "${users[@]}"; do
	become "$user"
	enter=()
	[ "$user" = root ] || enter=(unshare -Ur)
	if ! "${by[@]}" "${enter[@]}" true 2>/dev/null; then
		pass "$user, an empty root # SKIP no user namespaces"
		continue
	fi
	mkdir -m 777 empty
	rm -f in out
	mkfifo in out
	exec 3<>in 4<>out
	start "${by[@]}" "${enter[@]}" ./jailed empty <in >out 3>&- 4>&-
	server=$started
	hear
	is "$reply" jailed "$user, an empty root: the program runs"
	mkfifo commands
	exec 5<>commands
	start "${by[@]}" perftool -n -p "$server" <commands >said 2>&1 3>&- 4>&- 5>&-
	tool=$started
	tell 'time work' 'time getppid@libc.so.6'
	ask go
	is "$reply" 'done' "$user, an empty root: the program does what it does"
	tell 'print legs'
	like "$(cat said)" ' work .* 100 .* getppid .* 100 ' \
		"$user, an empty root: calls in the program and in its libraries are counted"
	exec 5>&-
	wait "$tool"
	end_server
	rm -rf empty commands
done
done_testing
