import MediaCore
import SystemSupport

/// The thread that reads gpsd: connects, reads, and after a break connects again.
final class GPSDReader: Sendable {
  private let host: String
  private let port: String
  private let fixes: AsyncStream<PositionFix>.Continuation
  private let onChange: @Sendable (GPSDLocation.Change) -> Void
  private let thread = ReaderThread()

  init(
    host: String, port: String, fixes: AsyncStream<PositionFix>.Continuation,
    onChange: @escaping @Sendable (GPSDLocation.Change) -> Void
  ) {
    self.host = host
    self.port = port
    self.fixes = fixes
    self.onChange = onChange
  }

  /// The thread ends at once, unless it hangs in a connection attempt.
  func stop() { thread.stop() }

  func start() {
    do {
      try thread.start(name: "gpsd") { self.run() }
    } catch {
      onChange(.disconnected("\(error)"))
      fixes.finish()
    }
  }

  private func run() {
    var pauses = Backoff(initial: .seconds(1), maximum: .seconds(30))
    var report = ConnectionReport()
    while thread.isRunning {
      do throws(GPSDConnection.OpenError) {
        var connection = try GPSDConnection(host: host, port: port)
        onChange(.connected)
        let wasUseful = read(&connection)
        if wasUseful { pauses.reset() }
        let change = report.ended()
        if thread.isRunning { onChange(change) }
      } catch {
        if let change = report.failed(error.cause) { onChange(change) }
      }
      thread.rest(milliseconds: pauses.next().milliseconds)
    }
    fixes.finish()
  }

  /// Reads until the connection breaks; says whether a report came.
  private func read(_ connection: inout GPSDConnection) -> Bool {
    var wasUseful = false
    var wasBelievable = true
    while thread.isRunning {
      switch connection.next(alarm: thread.alarm, milliseconds: thread.longestWait) {
      case .nothing: continue
      case .closed: return wasUseful
      case .report(let report):
        wasUseful = true
        guard report.mode >= 2 else { continue }
        let fix = PositionFix(report)
        if let fix { fixes.yield(fix) }
        if fix == nil, wasBelievable { onChange(.unbelievable) }
        wasBelievable = fix != nil
      }
    }
    return wasUseful
  }
}
