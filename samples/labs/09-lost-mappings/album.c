/*
 * album.c - pictures are opened, worked on, and shown
 *
 * The pixels of a picture are a mapping of their own. The album keeps the last
 * pictures, because they may be shown again.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

enum { PICTURES = 400, KEPT = 8, SMALL = 64 };

struct picture {
	unsigned width, height;
	unsigned char *pixels;
	bool shared; /* somebody else frees the pixels */
};

static struct picture kept[KEPT];
static unsigned shown;

static size_t size_of(const struct picture *picture)
{
	return (size_t)picture->width * picture->height;
}

static void make_pixels(struct picture *picture)
{
	picture->pixels = mmap(NULL, size_of(picture), PROT_READ | PROT_WRITE,
			       MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (picture->pixels == MAP_FAILED) {
		perror("album: mmap");
		exit(1);
	}
}

static void free_pixels(struct picture *picture)
{
	if (picture->pixels && !picture->shared)
		munmap(picture->pixels, size_of(picture));
	picture->pixels = NULL;
}

/* Puts the new pixels in the place of the old ones. */
static void replace(struct picture *picture, const struct picture *by)
{
	free_pixels(picture);
	*picture = *by;
}

void open_picture(struct picture *picture, unsigned number)
{
	picture->width = 128 + number % 7 * 32;
	picture->height = 128 + number % 5 * 32;
	picture->shared = false;
	make_pixels(picture);
	memset(picture->pixels, (int)(number % 251), size_of(picture));
}

void rotate(struct picture *picture)
{
	for (int turn = 0; turn < 3; turn++) {
		struct picture turned = {picture->height, picture->width, NULL,
					 false};

		make_pixels(&turned);
		for (unsigned x = 0; x < picture->width; x += 8)
			turned.pixels[x * picture->height] = picture->pixels[x];
		replace(picture, &turned);
	}
}

void crop(struct picture *picture)
{
	struct picture part = *picture;

	if (picture->width <= SMALL * 2)
		return;
	part.width -= SMALL;
	make_pixels(&part);
	memcpy(part.pixels, picture->pixels, size_of(&part));
	replace(picture, &part);
}

/* Makes it a square, which has the shorter side of the picture. */
void square(struct picture *picture)
{
	struct picture result = *picture;

	if (result.width > result.height)
		result.width = result.height;
	else
		result.height = result.width;
	make_pixels(&result);
	if (picture->width == picture->height)
		return;
	memcpy(result.pixels, picture->pixels, size_of(&result));
	replace(picture, &result);
}

/* Of a picture that is shown twice there is one set of pixels. */
void share(struct picture *picture, struct picture *twin)
{
	*twin = *picture;
	twin->shared = true;
}

/* Shows a small copy. */
void preview(const struct picture *picture)
{
	struct picture copy = {SMALL, SMALL, NULL, false};

	make_pixels(&copy);
	copy.pixels[0] = picture->pixels[0];
	shown += copy.pixels[0] != 0;
	free_pixels(&copy);
}

/* Keeps the picture, in the place of the oldest one. */
void keep(const struct picture *picture, unsigned number)
{
	struct picture *place = &kept[number % KEPT], copy = *picture;

	make_pixels(&copy);
	memcpy(copy.pixels, picture->pixels, size_of(picture));
	replace(place, &copy);
}

int main(void)
{
	for (unsigned number = 0; number < PICTURES; number++) {
		struct picture picture, twin;

		open_picture(&picture, number);
		rotate(&picture);
		crop(&picture);
		square(&picture);
		share(&picture, &twin);
		preview(&twin);
		keep(&picture, number);
		free_pixels(&twin);
		free_pixels(&picture);
	}
	printf("%d pictures, %u of them were shown.\n", PICTURES, shown);
	return 0;
}
