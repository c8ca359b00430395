#ifndef LIVESESSIONS_CGPS_SHIM_H
#define LIVESESSIONS_CGPS_SHIM_H

#include <errno.h>
#include <gps.h>
#include <poll.h>
#include <stdlib.h>

/* gps_data_t is tens of kilobytes and holds an anonymous union that differs from one libgps to the next: Swift sees
   an opaque pointer and this small copy of the last fix. */
struct cgps_fix {
  int mode;
  double latitude;
  double longitude;
  double horizontal_error;
  double horizontal_error_x;
  double horizontal_error_y;
  long long time_seconds;
  double speed;
  double speed_error;
};

static inline void *cgps_allocate(void) { return calloc(1, sizeof(struct gps_data_t)); }

static inline void cgps_free(void *data) { free(data); }

/* 0, or libgps's code. gps_open returns -1 whatever happened, and leaves the code in errno; -1 as a code means something
   else. */
static inline int cgps_open(void *data, const char *host, const char *port) {
  errno = 0;
  if (gps_open(host, port, (struct gps_data_t *)data) == 0) return 0;
  return errno != 0 ? errno : NL_NOCONNECT;
}

static const int cgps_no_service = NL_NOSERVICE;
static const int cgps_no_host = NL_NOHOST;
static const int cgps_no_connection = NL_NOCONNECT;

static inline int cgps_watch(void *data) {
  return gps_stream((struct gps_data_t *)data, WATCH_ENABLE | WATCH_JSON, NULL);
}

/* Waits for data or the alarm, a descriptor or -1; a negative time has no limit. 1: data is there; 0: nothing; -1: the
   connection broke. A signal counts as nothing. What libgps has read already is asked for first, since the socket does
   not show it. */
static inline int cgps_wait(void *data, int alarm, int milliseconds) {
  struct gps_data_t *gps = (struct gps_data_t *)data;
  errno = 0;
  if (gps_waiting(gps, 0)) return 1;
  if (errno != 0 && errno != EINTR && errno != EAGAIN) return -1;
  struct pollfd descriptors[2] = {{(int)gps->gps_fd, POLLIN, 0}, {alarm, POLLIN, 0}};
  int count = poll(descriptors, 2, milliseconds);
  if (count < 0) return errno == EINTR ? 0 : -1;
  return descriptors[0].revents != 0;
}

/* Reads what is there: bytes read, 0 for nothing, -1 at the end of the connection. */
static inline int cgps_read(void *data) { return gps_read((struct gps_data_t *)data, NULL, 0); }

/* Satellites that the position rests on; -1 where the last report does not say. */
static inline int cgps_satellites(void *data) {
  struct gps_data_t *gps = (struct gps_data_t *)data;
  return gps->set & SATELLITE_SET ? gps->satellites_used : -1;
}

/* Copies the fix of the report read last; 0 if that report was not about a fix. */
static inline int cgps_latest_fix(void *data, struct cgps_fix *fix) {
  struct gps_data_t *gps = (struct gps_data_t *)data;
  if (!(gps->set & MODE_SET)) return 0;
  fix->mode = gps->fix.mode;
  fix->latitude = gps->fix.latitude;
  fix->longitude = gps->fix.longitude;
  fix->horizontal_error = gps->fix.eph;
  fix->horizontal_error_x = gps->fix.epx;
  fix->horizontal_error_y = gps->fix.epy;
  fix->time_seconds = (gps->set & TIME_SET) ? (long long)gps->fix.time.tv_sec : 0;
  fix->speed = gps->fix.speed;
  fix->speed_error = gps->fix.eps;
  return 1;
}

static inline void cgps_close(void *data) {
  gps_stream((struct gps_data_t *)data, WATCH_DISABLE, NULL);
  gps_close((struct gps_data_t *)data);
}

static inline const char *cgps_error(int code) { return gps_errstr(code); }

#endif
