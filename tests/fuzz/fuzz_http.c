/*
 * fuzz_http.c - any bytes as what a browser sends to the live page
 *
 * The first byte of the input says in which pieces the rest is sent. In the
 * bytes, `$` followed by T is the token, by K the key that the token has given
 * and by P the port, so that inputs get through the gate.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "serve/http/http.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static struct http *http;
static struct sockaddr_in address = {.sin_family = AF_INET};
static char key[33], port[8];

/* Has a message the length that it is said to have? */
static bool answer(void *context, const char *text, size_t length,
		   struct str *reply)
{
	size_t sum = 0;

	(void)context;
	for (size_t i = 0; i < length; i++)
		sum += (unsigned char)text[i];
	if (text[length] != '\0' || length > HTTP_MESSAGE_MAX)
		abort();
	str_printf(reply, "%zu", sum);
	return sum % 2 == 0;
}

static void run(int times)
{
	for (int i = 0; i < times; i++)
		http_run(http);
}

static const char *token(void)
{
	return strrchr(http_address(http), '=') + 1;
}

/* Has the token give the key, as a browser does. */
static void get_key(void)
{
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	char reply[4096] = "";
	const char *at;

	if (connect(fd, (struct sockaddr *)&address, sizeof(address)) != 0)
		abort();
	dprintf(fd, "GET /?token=%s HTTP/1.1\r\nHost: 127.0.0.1:%s\r\n\r\n",
		token(), port);
	while (recv(fd, reply, sizeof(reply) - 1, MSG_DONTWAIT) <= 0)
		run(1);
	at = strstr(reply, "Set-Cookie: perftool-");
	if (!at)
		abort();
	memcpy(key, strchr(at, '=') + 1, 32);
	close(fd);
}

static void open_page(void)
{
	const struct http_options options = {.answer = answer};
	const char *at;

	if (http)
		return;
	if (http_create(&options, &http))
		abort();
	address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	at = http_address(http) + strlen("http://127.0.0.1:");
	strncpy(port, at, strcspn(at, "/"));
	address.sin_port = htons((uint16_t)atoi(port));
	get_key();
}

static void make_text(const uint8_t *data, size_t size, struct str *out)
{
	for (size_t i = 0; i < size; i++) {
		char next = i + 1 < size ? (char)data[i + 1] : '\0';

		if (data[i] == '$' && next && strchr("TKP", next)) {
			str_append(out, next == 'T'   ? token()
					: next == 'K' ? key
						      : port);
			i++;
		} else {
			str_append_char(out, (char)data[i]);
		}
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct linger at_once = {.l_onoff = 1};
	struct str text = {0};
	char reply[4096];
	size_t piece;
	int fd;

	if (size < 2)
		return 0;
	open_page();
	piece = (size_t)data[0] * 8 + 1;
	make_text(data + 1, size - 1, &text);
	fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	/* No connection stays in TIME_WAIT. */
	setsockopt(fd, SOL_SOCKET, SO_LINGER, &at_once, sizeof(at_once));
	if (fd < 0)
		abort();
	if (connect(fd, (struct sockaddr *)&address, sizeof(address)) != 0) {
		/* The machine may have no free port for the moment. */
		if (errno == ECONNREFUSED)
			abort();
		close(fd);
		str_deinit(&text);
		return 0;
	}
	for (size_t at = 0; at < text.length; at += piece) {
		size_t rest = text.length - at;

		send(fd, text.data + at, rest < piece ? rest : piece,
		     MSG_NOSIGNAL | MSG_DONTWAIT);
		run(2);
	}
	while (recv(fd, reply, sizeof(reply), MSG_DONTWAIT) > 0)
		run(1);
	close(fd);
	run(2);
	str_deinit(&text);
	return 0;
}
