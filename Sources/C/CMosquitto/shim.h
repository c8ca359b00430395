#ifndef LIVESESSIONS_CMOSQUITTO_SHIM_H
#define LIVESESSIONS_CMOSQUITTO_SHIM_H

#include <mosquitto.h>
#include <mqtt_protocol.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdint.h>
#include <sys/socket.h>

/* The beginning of the kernel's struct tcp_info (linux/tcp.h), which that of glibc lacks the end of. */
struct cmosquitto_tcp_info {
  uint8_t before[128];
  uint64_t bytes_received;
};

/* Payload octets that the kernel has received on a TCP socket so far; 0 where it does not say. */
static inline uint64_t cmosquitto_received(int descriptor) {
  struct cmosquitto_tcp_info info = {{0}, 0};
  socklen_t length = sizeof info;
  if (getsockopt(descriptor, IPPROTO_TCP, TCP_INFO, &info, &length) != 0) return 0;
  return length == sizeof info ? info.bytes_received : 0;
}

#endif
