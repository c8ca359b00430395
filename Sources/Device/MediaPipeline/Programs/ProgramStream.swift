internal import MediaCore
internal import RealtimeRuntime

/// A running program, whose standard output is read for media and whose standard error for people.
final class ProgramStream {
  let name: String
  /// Takes what it prints.
  var printed: PrintedLines?
  private let process: StreamingProcess
  private var lines = LineSplitter()
  private var errorsDue = MonotonicInstant(nanoseconds: 0)
  private let errorBytes = UnsafeMutableRawBufferPointer.allocate(byteCount: 16_384, alignment: 1)

  /// How often standard error is read: a program that floods it waits for that.
  private static let errorInterval = TimeSpan.milliseconds(20)
  /// A program that has closed its standard output is given this time to end, so that its status is known.
  private static let endLimit = TimeSpan.milliseconds(300)

  /// Starts the program.
  init(name: String, command: [String]) throws(SourceFailure) {
    self.name = name
    guard let path = ProgramSearch.absolutePath(of: command[0]) else {
      errorBytes.deallocate()
      throw SourceFailure(reason: "\(name): no folder of PATH has \(command[0]); install it, or write its whole path")
    }
    do throws(ChildProcess.StartFailure) {
      process = try StreamingProcess(command: [path] + command.dropFirst())
    } catch {
      errorBytes.deallocate()
      throw SourceFailure(reason: "\(name): \(error); the daemon's user must be able to run it")
    }
  }

  deinit { errorBytes.deallocate() }

  /// Waits until there is something to read, or `interruption` is readable; then returns true.
  func wait(timeout: TimeSpan, interruption: CInt = -1) -> Bool {
    readErrors()
    return process.wait(timeout: timeout, interruption: interruption)
  }

  /// Reads what is there and fits; returns how many bytes, 0 for none.
  func read(into buffer: UnsafeMutableRawBufferPointer) throws(SourceFailure) -> Int {
    guard !buffer.isEmpty else { return 0 }
    switch process.read(into: buffer) {
    case .bytes(let count): return count
    case .nothing: return 0
    case .end: throw ended(process.outcome(within: Self.endLimit))
    }
  }

  /// Where nothing has come: a program that ended may have left its standard output to one that it has started.
  func requireLife() throws(SourceFailure) {
    if let outcome = process.outcome(within: .zero) { throw ended(outcome) }
  }

  var waitingByteCount: Int { process.waitingByteCount }

  func failure(_ reason: String) -> SourceFailure { SourceFailure(reason: "\(name): \(reason)") }

  private func ended(_ outcome: ChildProcess.Outcome?) -> SourceFailure {
    errorsDue = MonotonicInstant(nanoseconds: 0)
    readErrors()
    lines.end(add)
    let problem = outcome.map { $0.failure ?? "the program ended" } ?? "the program closed its standard output"
    return failure("\(problem); what it printed is in the journal")
  }

  private func readErrors() {
    let now = MonotonicClock.now()
    guard now >= errorsDue else { return }
    errorsDue = now + Self.errorInterval
    // No more than a pipe holds.
    for _ in 0..<4 {
      guard case .bytes(let count) = process.readErrors(into: errorBytes) else { return }
      lines.add(UnsafeRawBufferPointer(rebasing: errorBytes[..<count]), add)
    }
  }

  private func add(_ line: String) { printed?.add(line, of: name, now: MonotonicClock.now()) }
}
