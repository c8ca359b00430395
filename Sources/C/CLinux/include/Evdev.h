#ifndef LIVESESSIONS_CEVDEV_SHIM_H
#define LIVESESSIONS_CEVDEV_SHIM_H

#include <errno.h>
#include <fcntl.h>
#include <linux/input.h>
#include <poll.h>
#include <stdint.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

/* struct input_event without the time's differences between architectures. */
struct cevdev_event {
  uint16_t type;
  uint16_t code;
  int32_t value;
  int64_t seconds;
  int64_t nanoseconds;
};

static const uint16_t cevdev_type_key = EV_KEY;
static const uint16_t cevdev_type_switch = EV_SW;
static const uint16_t cevdev_type_sync = EV_SYN;
static const uint16_t cevdev_sync_report = SYN_REPORT;
static const uint16_t cevdev_sync_dropped = SYN_DROPPED;

/* Returns -1 and errno. */
static inline int cevdev_open(const char *path) { return open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC | O_NOCTTY); }

/* The device's name, cut to `capacity` bytes with the zero at its end; -1 and errno if the file is no input device. */
static inline int cevdev_name(int descriptor, char *name, size_t capacity) {
  return ioctl(descriptor, EVIOCGNAME(capacity), name);
}

static inline int cevdev_use_monotonic_clock(int descriptor) {
  int clock = CLOCK_MONOTONIC;
  return ioctl(descriptor, EVIOCSCLOCKID, &clock);
}

/* Takes the device's events exclusively until it is closed. Returns -1 and errno, EBUSY if another program has it. */
static inline int cevdev_grab(int descriptor) { return ioctl(descriptor, EVIOCGRAB, (void *)1); }

static inline int cevdev_bit(const uint8_t *bits, uint16_t code) {
  return code <= KEY_MAX && ((bits[code / 8] >> (code % 8)) & 1) != 0;
}

/* Whether the device has a key or a switch; -1 and errno. */
static inline int cevdev_has(int descriptor, uint16_t type, uint16_t code) {
  uint8_t bits[KEY_MAX / 8 + 1] = {0};
  return ioctl(descriptor, EVIOCGBIT(type, sizeof bits), bits) < 0 ? -1 : cevdev_bit(bits, code);
}

/* Whether a key is down, or a switch set, now; -1 and errno. */
static inline int cevdev_is_active(int descriptor, uint16_t type, uint16_t code) {
  uint8_t bits[KEY_MAX / 8 + 1] = {0};
  unsigned long request = type == EV_SW ? EVIOCGSW(sizeof bits) : EVIOCGKEY(sizeof bits);
  return ioctl(descriptor, request, bits) < 0 ? -1 : cevdev_bit(bits, code);
}

/* Reads what is there. Returns the count of events, 0 for none yet, -1 and errno (ENODEV: unplugged). */
static inline int cevdev_read(int descriptor, struct cevdev_event *events, int capacity) {
  struct input_event raw[32];
  if (capacity > 32) capacity = 32;
  ssize_t size = read(descriptor, raw, (size_t)capacity * sizeof raw[0]);
  if (size < 0) return errno == EAGAIN || errno == EINTR ? 0 : -1;
  if (size == 0) {
    errno = ENODEV;
    return -1;
  }
  int count = (int)((size_t)size / sizeof raw[0]);
  for (int index = 0; index < count; index++) {
    events[index].type = raw[index].type;
    events[index].code = raw[index].code;
    events[index].value = raw[index].value;
    events[index].seconds = (int64_t)raw[index].input_event_sec;
    events[index].nanoseconds = (int64_t)raw[index].input_event_usec * 1000;
  }
  return count;
}

/* Waits for device or alarm, -1 for neither; a negative time has no limit. 1: the device has something, or is gone; 0:
   nothing. */
static inline int cevdev_wait(int descriptor, int alarm, int milliseconds) {
  struct pollfd descriptors[2] = {{descriptor, POLLIN, 0}, {alarm, POLLIN, 0}};
  return poll(descriptors, 2, milliseconds) > 0 && descriptors[0].revents != 0;
}

static inline int64_t cevdev_now(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

#endif
