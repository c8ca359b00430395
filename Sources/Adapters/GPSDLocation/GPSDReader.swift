import CGPS
import Glibc
import MediaCore
import Synchronization

/// The thread that reads gpsd: connects, reads, and after a break connects again.
final class GPSDReader: Sendable {
  /// How long the thread may take to notice that it is to end, where there is no alarm.
  private static let slice: Int32 = 500

  private let host: String
  private let port: String
  private let fixes: AsyncStream<PositionFix>.Continuation
  private let onChange: @Sendable (GPSDLocation.Change) -> Void
  private let isStopped = Atomic(false)
  /// Rung to end a wait.
  private let alarm = cgps_make_alarm()

  init(
    host: String, port: String, fixes: AsyncStream<PositionFix>.Continuation,
    onChange: @escaping @Sendable (GPSDLocation.Change) -> Void
  ) {
    self.host = host
    self.port = port
    self.fixes = fixes
    self.onChange = onChange
  }

  deinit { cgps_close_alarm(alarm) }

  /// Asks the thread to end; it does at once, unless it hangs in a connection attempt.
  func stop() {
    isStopped.store(true, ordering: .relaxed)
    cgps_ring(alarm)
  }

  func start() {
    let code = startThread(retaining: Unmanaged.passRetained(self).toOpaque())
    guard code != 0 else { return }
    Unmanaged.passUnretained(self).release()
    onChange(.disconnected("no thread: error \(code)"))
    fixes.finish()
  }

  private var isRunning: Bool { !isStopped.load(ordering: .relaxed) }

  fileprivate func run() {
    var pauses = Backoff(initial: .seconds(1), maximum: .seconds(30))
    var report = ConnectionReport()
    while isRunning {
      do throws(GPSDConnection.OpenError) {
        var connection = try GPSDConnection(host: host, port: port)
        onChange(.connected)
        let wasUseful = read(&connection)
        if wasUseful { pauses.reset() }
        let change = report.ended()
        if isRunning { onChange(change) }
      } catch {
        if let change = report.failed(error.cause) { onChange(change) }
      }
      rest(pauses.next())
    }
    fixes.finish()
  }

  /// Reads until the connection breaks; says whether a report came.
  private func read(_ connection: inout GPSDConnection) -> Bool {
    var wasUseful = false
    var wasBelievable = true
    while isRunning {
      switch connection.next(alarm: alarm, milliseconds: alarm < 0 ? Self.slice : -1) {
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

  private func rest(_ pause: TimeSpan) {
    if isRunning { cgps_rest(alarm, Int32(clamping: pause.milliseconds)) }
  }
}

/// Starts the thread, which takes over the reference that `context` holds; zero, or an error number.
private func startThread(retaining context: UnsafeMutableRawPointer) -> CInt {
  var thread = pthread_t()
  let code = pthread_create(&thread, nil, { threadMain($0) }, context)
  if code == 0 { pthread_detach(thread) }
  return code
}

private func threadMain(_ context: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
  guard let context else { return nil }
  cgps_prepare_thread("gpsd")
  Unmanaged<GPSDReader>.fromOpaque(context).takeRetainedValue().run()
  return nil
}
