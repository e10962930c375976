/*
 * server_start.h - the server of this process: finding it and starting it
 */
#ifndef LIBRARY_SERVER_START_H
#define LIBRARY_SERVER_START_H

/* spy_client.c. Connects to the server of this process, at the path that
 * doc/PROTOCOL.md names. Returns a socket, or -1 with errno: ENOENT or
 * ECONNREFUSED, there is none. */
int connect_to_server(void);

/* Starts a server, and connects to it. Returns a socket, or -1 with errno:
 * ENOENT, there is no program perftool; EPERM, the server has ended at once,
 * which it does if it may not attach; ETIMEDOUT, it does not answer. */
int start_server(void);

#endif
