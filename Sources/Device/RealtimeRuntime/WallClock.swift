import Glibc

/// CLOCK_REALTIME in milliseconds since 1970, for what people read: the clock jumps (``ClockTrust``).
public func wallClockMilliseconds() -> Int64 {
  var time = timespec()
  clock_gettime(CLOCK_REALTIME, &time)
  return Int64(time.tv_sec) * 1_000 + Int64(time.tv_nsec) / 1_000_000
}
