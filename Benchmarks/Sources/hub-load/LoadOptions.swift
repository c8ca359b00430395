import Glibc

/// What the command line asks for.
struct LoadOptions {
  /// `127.0.0.1:port` of each node, or of the load balancer.
  var targets: [Target] = []
  /// Lines of title, enrolment key or password, each separated by a tab; a `key` or `password` says which.
  var accounts = ""
  /// Processes whose CPU time and memory are told, as `name=pid`.
  var processes: [(name: String, pid: Int32)] = []
  var seed: UInt64 = 1
  /// Seconds of each measured phase.
  var seconds = 10.0
  /// Users that hold an event stream; all by default.
  var streams = Int.max
  /// Connections that carry requests.
  var connections = 64
  var callsPerMinute = 1_000.0
  var nearbyPerSecond = 20.0
  /// Updates a second while calls and lists are timed.
  var backgroundUpdates = 2_000.0
  /// Phases to run; see ``Phases``.
  var phases = ["login", "streams", "updates", "nearby", "calls", "healthz"]

  struct Target {
    let host: String
    let port: UInt16
    var text: String { "\(host):\(port)" }
  }

  init(_ arguments: [String]) throws(UsageError) {
    var rest = arguments[...]
    while let name = rest.popFirst() {
      guard let value = rest.popFirst() else { throw UsageError("\(name) needs a value") }
      try take(name, value)
    }
    guard !targets.isEmpty else { throw UsageError("--target HOST:PORT is missing") }
    guard !accounts.isEmpty else { throw UsageError("--accounts FILE is missing") }
  }

  private mutating func take(_ name: String, _ value: String) throws(UsageError) {
    switch name {
    case "--target": targets.append(try Self.target(value))
    case "--accounts": accounts = value
    case "--process": processes.append(try Self.process(value))
    case "--seed": seed = try Self.number(name, value)
    case "--seconds": seconds = try Self.number(name, value)
    case "--streams": streams = try Self.number(name, value)
    case "--connections": connections = max(1, try Self.number(name, value))
    case "--calls-per-minute": callsPerMinute = try Self.number(name, value)
    case "--nearby-per-second": nearbyPerSecond = try Self.number(name, value)
    case "--background-updates": backgroundUpdates = try Self.number(name, value)
    case "--phases": phases = value.split(separator: ",").map(String.init)
    default: throw UsageError("unknown option \(name)")
    }
  }

  private static func target(_ text: String) throws(UsageError) -> Target {
    let parts = text.split(separator: ":")
    guard parts.count == 2, let port = UInt16(parts[1]) else { throw UsageError("--target \(text): write HOST:PORT") }
    return Target(host: String(parts[0]), port: port)
  }

  private static func process(_ text: String) throws(UsageError) -> (String, Int32) {
    let parts = text.split(separator: "=")
    guard parts.count == 2, let pid = Int32(parts[1]) else { throw UsageError("--process \(text): write NAME=PID") }
    return (String(parts[0]), pid)
  }

  private static func number<Number: LosslessStringConvertible>(
    _ name: String, _ text: String
  ) throws(UsageError) -> Number {
    guard let number = Number(text) else { throw UsageError("\(name) \(text): not a number") }
    return number
  }
}

struct UsageError: Error {
  let reason: String

  init(_ reason: String) { self.reason = reason }
}

/// Nanoseconds of the monotonic clock.
func monotonicTime() -> UInt64 {
  var time = timespec()
  clock_gettime(CLOCK_MONOTONIC, &time)
  return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
}
