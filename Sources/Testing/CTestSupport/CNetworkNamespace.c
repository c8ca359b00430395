#define _GNU_SOURCE 1
#include "CNetworkNamespace.h"

#include <arpa/inet.h>
#include <net/if.h>
#include <netinet/in.h>
#include <sched.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>

int cnamespace_enter(void) {
  if (unshare(CLONE_NEWNET) < 0) return -1;
  return socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
}

int cnamespace_add_address(int control, uint32_t ipv4) {
  struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr = {.s_addr = htonl(ipv4)}};
  /* A label of its own makes it a further address of the interface. */
  struct ifreq request = {.ifr_name = "lo:test"};
  memcpy(&request.ifr_addr, &address, sizeof address);
  if (ioctl(control, SIOCSIFADDR, &request) < 0) return -1;
  return cnamespace_set_up(control, 1);
}

int cnamespace_set_up(int control, int is_up) {
  struct ifreq request = {.ifr_name = "lo", .ifr_flags = is_up ? IFF_UP | IFF_RUNNING : 0};
  return ioctl(control, SIOCSIFFLAGS, &request);
}
