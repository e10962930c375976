/*
 * served_file.c - a file that is mapped, in a file system that a child of the
 * program serves (FUSE)
 *
 * Usage: served_file PAGES DIR (the file system is mounted on DIR, in a mount
 * namespace of the program's own)
 *
 * The program calls work() twice for each page, and work() reads the page. The
 * page is not in memory when the first of these calls begins, and is there when
 * the second one begins. The child calls handle() for each page.
 *
 * Then a line on standard input is a request, answered by a line on standard
 * output: `pass N` (pass() was called N times with a page that pass() does not
 * read, and that the child never provides). The first line of output is
 * `ready`, or why there can be no such file; if there are pages, what is true
 * of the calls follows.
 *
 * Flags: -O1 -falign-functions=16
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/fuse.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

#define PAGE 4096L
#define FILE_NODE 2 /* the number of the file; the root is FUSE_ROOT_ID */
#define AN_HOUR 3600

struct item {
	long number;
	char bytes[PAGE - (long)sizeof(long)];
};

static int device;
static long pages, *handled;

__attribute__((noipa)) long handle(long n)
{
	return n * 3 + 1;
}

__attribute__((noipa)) long work(const struct item *item)
{
	return item->number;
}

__attribute__((noipa)) long pass(const struct item *item)
{
	return (long)item;
}

/* ---- the file system: one file, `DIR/file` ------------------------------- */

static void reply(const struct fuse_in_header *in, int error, const void *data,
		  size_t size)
{
	struct fuse_out_header head = {.len = (uint32_t)(sizeof(head) + size),
				       .error = error,
				       .unique = in->unique};
	struct iovec parts[] = {{&head, sizeof(head)}, {(void *)data, size}};

	if (writev(device, parts, 2) < 0 && errno != ENOENT)
		_exit(2);
}

static struct fuse_attr attributes(uint64_t node)
{
	struct fuse_attr attr = {.ino = node, .nlink = 1, .blksize = PAGE};

	attr.mode = node == FILE_NODE ? S_IFREG | 0644 : S_IFDIR | 0755;
	attr.size = node == FILE_NODE ? (uint64_t)((pages + 1) * PAGE) : 0;
	return attr;
}

static void initialize(const struct fuse_in_header *in)
{
	/* the kernel does not wait for what it reads ahead */
	struct fuse_init_out out = {.major = FUSE_KERNEL_VERSION,
				    .minor = 31,
				    .max_readahead = PAGE,
				    .flags = FUSE_ASYNC_READ,
				    .max_background = 16,
				    .max_write = PAGE};

	reply(in, 0, &out, sizeof(out));
}

static void find_file(const struct fuse_in_header *in)
{
	struct fuse_entry_out out = {.nodeid = FILE_NODE,
				     .entry_valid = AN_HOUR,
				     .attr_valid = AN_HOUR,
				     .attr = attributes(FILE_NODE)};

	reply(in, 0, &out, sizeof(out));
}

static void read_pages(const struct fuse_in_header *in,
		       const struct fuse_read_in *request)
{
	long first = (long)request->offset / PAGE;
	long count = request->size / PAGE;
	struct item *items = calloc((size_t)count, sizeof(*items));

	/* the last page never comes */
	for (long i = 0; i < count && first + i < pages; i++) {
		items[i].number = first + i;
		handle(first + i);
		++*handled;
	}
	if (first + count <= pages)
		reply(in, 0, items, (size_t)count * sizeof(*items));
	free(items);
}

static void answer(const struct fuse_in_header *in)
{
	struct fuse_attr_out attr = {.attr_valid = AN_HOUR,
				     .attr = attributes(in->nodeid)};
	struct fuse_open_out opened = {.open_flags = FOPEN_KEEP_CACHE};

	switch (in->opcode) {
	case FUSE_INIT:
		initialize(in);
		break;
	case FUSE_LOOKUP:
		find_file(in);
		break;
	case FUSE_GETATTR:
		reply(in, 0, &attr, sizeof(attr));
		break;
	case FUSE_OPEN:
		reply(in, 0, &opened, sizeof(opened));
		break;
	case FUSE_READ:
		read_pages(in, (const void *)(in + 1));
		break;
	case FUSE_FORGET:
	case FUSE_BATCH_FORGET:
	case FUSE_INTERRUPT:
		break; /* these have no reply */
	case FUSE_FLUSH:
	case FUSE_RELEASE:
		reply(in, 0, NULL, 0);
		break;
	default:
		reply(in, -ENOSYS, NULL, 0);
	}
}

/* Serve until the file system is unmounted, or the parent ends. */
static void serve(void)
{
	static union {
		struct fuse_in_header in;
		char bytes[FUSE_MIN_READ_BUFFER + PAGE];
	} message;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	while (read(device, &message, sizeof(message)) > 0 || errno == EINTR)
		answer(&message.in);
	_exit(0);
}

/* Mount the file system. False: errno says why there can be none. */
static bool mount_on(const char *folder)
{
	char options[80];

	device = open("/dev/fuse", O_RDWR | O_CLOEXEC);
	snprintf(options, sizeof(options),
		 "fd=%d,rootmode=40000,user_id=%d,group_id=%d", device,
		 (int)getuid(), (int)getgid());
	return device >= 0 && unshare(CLONE_NEWNS) == 0 &&
	       mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) == 0 &&
	       mount("served", folder, "fuse", MS_NOSUID | MS_NODEV, options) ==
		       0;
}

/* ---- the program --------------------------------------------------------- */

static const struct item *map_file(const char *folder, long first, long count)
{
	char path[4096];
	void *memory;
	int file;

	snprintf(path, sizeof(path), "%s/file", folder);
	file = open(path, O_RDONLY | O_CLOEXEC);
	memory = mmap(NULL, (size_t)(count * PAGE), PROT_READ, MAP_SHARED, file,
		      first * PAGE);
	if (file < 0 || memory == MAP_FAILED)
		exit(2);
	close(file);
	return memory;
}

static void measure_pages(const char *folder)
{
	const struct item *items = map_file(folder, 0, pages);
	long sum = 0;

	/* the kernel reads each page by itself */
	madvise((void *)items, (size_t)(pages * PAGE), MADV_RANDOM);
	for (long i = 0; i < 2 * pages; i++)
		sum += work(&items[i / 2]);
	printf("work %ld\nhandle %ld\nsum %ld\n", 2 * pages, *handled, sum);
	munmap((void *)items, (size_t)(pages * PAGE));
}

int main(int argc, char **argv)
{
	const struct item *last;
	pid_t server;
	long n;

	if (argc != 3)
		return 2;
	setvbuf(stdout, NULL, _IOLBF, 0);
	pages = atol(argv[1]);
	handled = mmap(NULL, (size_t)PAGE, PROT_READ | PROT_WRITE,
		       MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (!mount_on(argv[2])) {
		printf("no such file: %s\n", strerror(errno));
		return 3;
	}
	server = fork();
	if (server == 0)
		serve();
	/* when the server has ended, nobody waits for it */
	close(device);
	puts("ready");
	if (pages)
		measure_pages(argv[2]);
	last = map_file(argv[2], pages, 1);
	while (scanf(" pass %ld", &n) == 1) {
		for (long i = 0; i < n; i++)
			pass(last);
		printf("passed %ld\n", n);
	}
	kill(server, SIGKILL);
	waitpid(server, NULL, 0);
	return 0;
}
