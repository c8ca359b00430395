import Glibc
public import MediaCore

/// CLOCK_MONOTONIC, the clock of V4L2, ALSA and the network loop.
public enum MonotonicClock {
  public static func now() -> MonotonicInstant {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return MonotonicInstant(seconds: Int64(time.tv_sec), nanoseconds: Int64(time.tv_nsec))
  }

  /// Blocks the calling thread until `instant`; returns at once when it has passed. For media threads only.
  public static func sleep(until instant: MonotonicInstant) {
    var time = timespec(
      tv_sec: time_t(instant.nanoseconds / 1_000_000_000), tv_nsec: Int(instant.nanoseconds % 1_000_000_000))
    while clock_nanosleep(CLOCK_MONOTONIC, CInt(TIMER_ABSTIME), &time, nil) == EINTR {}
  }
}
