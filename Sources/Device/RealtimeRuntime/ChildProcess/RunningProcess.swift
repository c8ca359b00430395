internal import Glibc
public import MediaCore

/// A program that was started. When the value goes before the program has ended, that is ended.
public final class RunningProcess {
  private let process: pid_t
  /// What signals are sent to: the process, or its group, as a negative number.
  private let target: pid_t
  private let timeout: Duration?
  /// Between SIGTERM and SIGKILL.
  private let grace: TimeSpan
  private var hasEnded = false

  init(_ process: pid_t, hasGroup: Bool, timeout: Duration?, grace: TimeSpan) {
    self.process = process
    target = hasGroup ? -process : process
    self.timeout = timeout
    self.grace = grace
  }

  deinit {
    guard !hasEnded else { return }
    kill(target, SIGTERM)
    _ = poll(until: MonotonicClock.now() + grace) {}
    _ = end()
  }

  /// Waits so long for it to end by itself, and returns how it has ended; nil while it runs.
  public func outcome(within limit: TimeSpan) -> ChildProcess.Outcome? {
    guard poll(until: MonotonicClock.now() + limit, {}) else { return nil }
    return Self.outcome(end())
  }

  /// Waits for its end, which comes at the latest when the time-out and the grace after it are over. Call it once.
  ///
  /// - Parameter whileRunning: called a hundred times a second, and once when it has ended; must not block.
  public func wait<Failure: Error>(
    whileRunning: () throws(Failure) -> Void
  ) throws(Failure) -> ChildProcess.Outcome {
    let limit = timeout.map { MonotonicClock.now() + .seconds($0.components.seconds) }
    let isLate = try !poll(until: limit, whileRunning)
    if isLate {
      kill(target, SIGTERM)
      _ = try poll(until: MonotonicClock.now() + grace, whileRunning)
    }
    let status = end()
    try whileRunning()
    return isLate ? .timedOut : Self.outcome(status)
  }

  /// Ends whatever it has started with it: not yet waited for, it keeps the group's number from others.
  private func end() -> Int32 {
    hasEnded = true
    kill(target, SIGKILL)
    var status: Int32 = 0
    while waitpid(process, &status, 0) == -1, errno == EINTR {}
    return status
  }

  /// Returns whether the process has ended by `limit`; it is still to be waited for.
  private func poll<Failure: Error>(
    until limit: MonotonicInstant?, _ whileRunning: () throws(Failure) -> Void
  ) throws(Failure) -> Bool {
    while true {
      var information = siginfo_t()
      try whileRunning()
      let result = waitid(P_PID, id_t(bitPattern: process), &information, WEXITED | WNOHANG | WNOWAIT)
      if result == -1 && errno != EINTR { return true }
      if result == 0, information.si_signo != 0 { return true }
      if let limit, MonotonicClock.now() >= limit { return false }
      usleep(10_000)
    }
  }

  private static func outcome(_ status: Int32) -> ChildProcess.Outcome {
    let signal = status & 0x7f
    return signal == 0 ? .exited(status: status >> 8 & 0xff) : .signalled(signal)
  }
}
