internal import Glibc
internal import MediaCore

/// A program that was started. When the value goes before the program has ended, that is ended.
public final class RunningProcess {
  /// Between SIGTERM and SIGKILL.
  private static let grace = TimeSpan.seconds(2)

  private let process: pid_t
  /// What signals are sent to: the process, or its group, as a negative number.
  private let target: pid_t
  private let timeout: Duration?
  private var hasEnded = false

  init(_ process: pid_t, hasGroup: Bool, timeout: Duration?) {
    self.process = process
    target = hasGroup ? -process : process
    self.timeout = timeout
  }

  deinit {
    guard !hasEnded else { return }
    kill(target, SIGTERM)
    _ = poll(until: MonotonicClock.now() + Self.grace) {}
    _ = end()
  }

  /// Waits for its end, which is two seconds after the time-out at the latest. Call it once.
  ///
  /// - Parameter whileRunning: called a hundred times a second, and once when it has ended; must not block.
  public func wait<Failure: Error>(
    whileRunning: () throws(Failure) -> Void
  ) throws(Failure) -> ChildProcess.Outcome {
    let limit = timeout.map { MonotonicClock.now() + .seconds($0.components.seconds) }
    let isLate = try !poll(until: limit, whileRunning)
    if isLate {
      kill(target, SIGTERM)
      _ = try poll(until: MonotonicClock.now() + Self.grace, whileRunning)
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
