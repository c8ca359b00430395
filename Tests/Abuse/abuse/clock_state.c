// Loaded before the C library: the kernel calls the wall clock unsynchronised, as on a board that booted in 1970.

#include <sys/timex.h>

int adjtimex(struct timex *state) {
  (void)state;
  return TIME_ERROR;
}

int ntp_adjtime(struct timex *state) { return adjtimex(state); }

int clock_adjtime(int clock, struct timex *state) {
  (void)clock;
  return adjtimex(state);
}
