import CSystemd

/// Notifies systemd of the service's state, by the protocol of sd_notify(3).
///
/// Outside of systemd (no `NOTIFY_SOCKET`) every method does nothing. libsystemd sends one datagram a call and keeps
/// no state, so that any thread may call at any time.
public struct SystemdNotifier: Sendable {
  public init() {}

  /// The service has started, or has finished reloading.
  public func ready(status: String? = nil) { send("READY=1" + Self.statusLine(status)) }

  /// One line for `systemctl status`.
  public func status(_ text: String) { send("STATUS=" + Self.singleLine(text)) }

  /// The configuration is being reloaded; ``ready(status:)`` must follow.
  ///
  /// - Parameter monotonicMicroseconds: CLOCK_MONOTONIC now, which `Type=notify-reload` asks for.
  public func reloading(monotonicMicroseconds: UInt64) {
    send("RELOADING=1\nMONOTONIC_USEC=\(monotonicMicroseconds)")
  }

  /// The service is shutting down.
  public func stopping(status: String? = nil) { send("STOPPING=1" + Self.statusLine(status)) }

  /// The service is alive.
  public func watchdog() { send("WATCHDOG=1") }

  /// Time after which systemd takes the service for dead, from `WATCHDOG_USEC`; `nil` without a watchdog.
  public var watchdogInterval: Duration? {
    var microseconds: UInt64 = 0
    guard sd_watchdog_enabled(0, &microseconds) > 0, microseconds > 0 else { return nil }
    return .microseconds(Int64(clamping: microseconds))
  }

  private func send(_ state: String) {
    // A failure means that systemd is not there to be notified; there is no other receiver.
    _ = sd_notify(0, state)
  }

  private static func statusLine(_ status: String?) -> String {
    status.map { "\nSTATUS=" + singleLine($0) } ?? ""
  }

  /// A line feed would start another assignment, so that a title could forge one.
  private static func singleLine(_ text: String) -> String {
    String(String.UnicodeScalarView(text.unicodeScalars.map { $0.properties.generalCategory == .control ? " " : $0 }))
  }
}
