import CLinux

/// Whether the wall clock can be believed. It jumps: many boards boot in 1970 and learn the time from the network.
public enum ClockTrust {
  /// Whether the kernel calls CLOCK_REALTIME synchronised, by NTP, a receiver or the like: adjtimex(2) without
  /// `TIME_ERROR` and `STA_UNSYNC`. Costs a system call.
  public static var isSynchronized: Bool { ls_clock_is_synchronized() != 0 }
}
