/* A network namespace for the calling thread, for tests of interfaces that change. Needs CAP_SYS_ADMIN. */
#ifndef LIVESESSIONS_CNETWORKNAMESPACE_H
#define LIVESESSIONS_CNETWORKNAMESPACE_H

#include <stdint.h>

/* Moves the calling thread, and threads that it makes later, to a new namespace. It goes with the last of them and the
   last of their sockets. Returns a descriptor by which any thread can change the namespace, or -1. */
int cnamespace_enter(void);
/* Gives the loopback interface one more address, and brings it up. Returns 0 or -1. */
int cnamespace_add_address(int control, uint32_t ipv4);
/* Brings the loopback interface up or down. Returns 0 or -1. */
int cnamespace_set_up(int control, int is_up);

#endif
