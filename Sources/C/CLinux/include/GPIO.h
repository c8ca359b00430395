/* The kernel's GPIO character device, version 2 (linux/gpio.h): ioctl numbers are macros that compute and names are arrays
   of characters, so each call that is used has a plain form here. All return 0 or an errno, unless they say otherwise. */
#ifndef LIVESESSIONS_CGPIO_H
#define LIVESESSIONS_CGPIO_H

#include <errno.h>
#include <fcntl.h>
#include <linux/gpio.h>
#include <poll.h>
#include <stdint.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

static const uint64_t cgpio_used = GPIO_V2_LINE_FLAG_USED;
static const uint64_t cgpio_active_low = GPIO_V2_LINE_FLAG_ACTIVE_LOW;
static const uint64_t cgpio_input = GPIO_V2_LINE_FLAG_INPUT;
static const uint64_t cgpio_output = GPIO_V2_LINE_FLAG_OUTPUT;
static const uint64_t cgpio_rising = GPIO_V2_LINE_FLAG_EDGE_RISING;
static const uint64_t cgpio_falling = GPIO_V2_LINE_FLAG_EDGE_FALLING;
static const uint64_t cgpio_open_drain = GPIO_V2_LINE_FLAG_OPEN_DRAIN;
static const uint64_t cgpio_open_source = GPIO_V2_LINE_FLAG_OPEN_SOURCE;
static const uint64_t cgpio_pull_up = GPIO_V2_LINE_FLAG_BIAS_PULL_UP;
static const uint64_t cgpio_pull_down = GPIO_V2_LINE_FLAG_BIAS_PULL_DOWN;
static const uint64_t cgpio_no_bias = GPIO_V2_LINE_FLAG_BIAS_DISABLED;

enum { cgpio_name_size = GPIO_MAX_NAME_SIZE };

/* Repeats an ioctl that a signal interrupted. */
static inline int cgpio_ioctl(int descriptor, unsigned long request, void *argument) {
  int result;
  do {
    result = ioctl(descriptor, request, argument);
  } while (result == -1 && errno == EINTR);
  return result == -1 ? errno : 0;
}

/* A chip's name (gpiochip0) and label, each ended by a NUL, and its count of lines. */
struct cgpio_chip {
  char name[GPIO_MAX_NAME_SIZE + 1], label[GPIO_MAX_NAME_SIZE + 1];
  uint32_t lines;
};

static inline int cgpio_read_chip(int chip, struct cgpio_chip *result) {
  struct gpiochip_info info;
  memset(&info, 0, sizeof(info));
  memset(result, 0, sizeof(*result));
  int failure = cgpio_ioctl(chip, GPIO_GET_CHIPINFO_IOCTL, &info);
  if (failure) return failure;
  memcpy(result->name, info.name, GPIO_MAX_NAME_SIZE);
  memcpy(result->label, info.label, GPIO_MAX_NAME_SIZE);
  result->lines = info.lines;
  return 0;
}

/* A line's name and who has requested it, each ended by a NUL, and its flags. */
struct cgpio_line {
  char name[GPIO_MAX_NAME_SIZE + 1], consumer[GPIO_MAX_NAME_SIZE + 1];
  uint64_t flags;
};

static inline int cgpio_read_line(int chip, uint32_t offset, struct cgpio_line *result) {
  struct gpio_v2_line_info info;
  memset(&info, 0, sizeof(info));
  memset(result, 0, sizeof(*result));
  info.offset = offset;
  int failure = cgpio_ioctl(chip, GPIO_V2_GET_LINEINFO_IOCTL, &info);
  if (failure) return failure;
  memcpy(result->name, info.name, GPIO_MAX_NAME_SIZE);
  memcpy(result->consumer, info.consumer, GPIO_MAX_NAME_SIZE);
  result->flags = info.flags;
  return 0;
}

/* Requests one line. An output begins with `value` (1 is active); an input's edges are debounced for `debounce`
   microseconds, if more than 0. The descriptor of the line does not block. */
static inline int cgpio_request(
    int chip, uint32_t offset, uint64_t flags, int value, uint32_t debounce, const char *consumer, int *line) {
  struct gpio_v2_line_request request;
  memset(&request, 0, sizeof(request));
  request.offsets[0] = offset;
  request.num_lines = 1;
  strncpy(request.consumer, consumer, GPIO_MAX_NAME_SIZE - 1);
  request.config.flags = flags;
  struct gpio_v2_line_config_attribute *attribute = &request.config.attrs[0];
  if (flags & GPIO_V2_LINE_FLAG_OUTPUT) {
    attribute->attr.id = GPIO_V2_LINE_ATTR_ID_OUTPUT_VALUES;
    attribute->attr.values = value ? 1 : 0;
  } else if (debounce > 0) {
    attribute->attr.id = GPIO_V2_LINE_ATTR_ID_DEBOUNCE;
    attribute->attr.debounce_period_us = debounce;
  }
  if (attribute->attr.id) {
    attribute->mask = 1;
    request.config.num_attrs = 1;
  }
  int failure = cgpio_ioctl(chip, GPIO_V2_GET_LINE_IOCTL, &request);
  if (failure) return failure;
  *line = request.fd;
  if (fcntl(request.fd, F_SETFL, fcntl(request.fd, F_GETFL) | O_NONBLOCK) == 0) return 0;
  failure = errno;
  close(request.fd);
  return failure;
}

static inline int cgpio_set(int line, int value) {
  struct gpio_v2_line_values values = {.bits = value ? 1 : 0, .mask = 1};
  return cgpio_ioctl(line, GPIO_V2_LINE_SET_VALUES_IOCTL, &values);
}

static inline int cgpio_get(int line, int *value) {
  struct gpio_v2_line_values values = {.bits = 0, .mask = 1};
  int failure = cgpio_ioctl(line, GPIO_V2_LINE_GET_VALUES_IOCTL, &values);
  *value = (values.bits & 1) != 0;
  return failure;
}

/* An edge; the time is CLOCK_MONOTONIC in nanoseconds, and numbers count all edges of the line from 1. */
struct cgpio_edge {
  uint64_t time;
  uint32_t number;
  int is_rising;
};

/* Reads the oldest edge that waits; EAGAIN without one. */
static inline int cgpio_read_edge(int line, struct cgpio_edge *edge) {
  struct gpio_v2_line_event event;
  ssize_t count;
  do {
    count = read(line, &event, sizeof(event));
  } while (count == -1 && errno == EINTR);
  if (count == -1) return errno;
  /* An unplugged chip's line reads as ended in older kernels. */
  if (count != (ssize_t)sizeof(event)) return ENODEV;
  edge->time = event.timestamp_ns;
  edge->number = event.line_seqno;
  edge->is_rising = event.id == GPIO_V2_LINE_EVENT_RISING_EDGE;
  return 0;
}

/* Waits until an edge can be read; ETIMEDOUT after `milliseconds`, ENODEV when the chip is unplugged. */
static inline int cgpio_wait(int line, int milliseconds) {
  struct pollfd waited = {.fd = line, .events = POLLIN};
  int result = poll(&waited, 1, milliseconds);
  if (result == -1) return errno == EINTR ? ETIMEDOUT : errno;
  if (result == 0) return ETIMEDOUT;
  return waited.revents & POLLIN ? 0 : ENODEV;
}

#endif
