import EventDetection
import DeviceConfiguration
import DigitalIO
import MediaCore
import RealtimeRuntime
import SystemSupport

/// The thread that reads a GPIO line: requests it, waits for edges, and after a break requests it again.
final class LineReader: Sendable {
  /// How long the thread may take to notice that it is to end.
  private static let slice = TimeSpan.milliseconds(500)

  private let line: InputLine
  private let consumer: String
  private let levels: AsyncStream<InputLevel>.Continuation
  private let onChange: @Sendable (String?) -> Void
  private let thread = ReaderThread()

  private init(
    _ line: InputLine, consumer: String, _ levels: AsyncStream<InputLevel>.Continuation,
    onChange: @escaping @Sendable (String?) -> Void
  ) {
    self.line = line
    self.consumer = consumer
    self.levels = levels
    self.onChange = onChange
  }

  /// Starts the thread and returns the line's levels, of which a slow reader sees the newest 256; ends when the reader ends.
  ///
  /// - Parameter onChange: called on the thread with what is wrong, once each time, or nil where the line is there.
  static func levels(
    _ line: InputLine, consumer: String, onChange: @escaping @Sendable (String?) -> Void
  ) -> AsyncStream<InputLevel> {
    let (stream, continuation) = AsyncStream.makeStream(of: InputLevel.self, bufferingPolicy: .bufferingNewest(256))
    let reader = LineReader(line, consumer: consumer, continuation, onChange: onChange)
    continuation.onTermination = { _ in reader.thread.stop() }
    reader.start()
    return stream
  }

  private func start() {
    do {
      try thread.start(name: "gpio input") { self.run() }
    } catch {
      onChange("\(error)")
      levels.finish()
    }
  }

  private func run() {
    var pauses = Backoff(initial: .milliseconds(250), maximum: .seconds(5))
    var reported: String?
    while thread.isRunning {
      do throws(GPIOError) {
        let input = try GPIOChip(line.chip).input(line.name, line.settings, consumer: consumer)
        pauses.reset()
        reported = nil
        onChange(nil)
        try read(input)
      } catch {
        // The same cause is reported once.
        if thread.isRunning, reported != "\(error)" { onChange("\(error)") }
        reported = "\(error)"
      }
      report(false, .lost)
      thread.rest(milliseconds: pauses.next().milliseconds)
    }
    levels.finish()
  }

  /// Reads until it is to end.
  ///
  /// - Throws: when the line is gone.
  private func read(_ input: GPIOInput) throws(GPIOError) {
    report(try input.isActive(), .found)
    var number: UInt32?
    while thread.isRunning {
      guard try input.waitForEdge(within: Self.slice) else { continue }
      while let edge = try input.popEdge() {
        levels.yield(InputLevel(isActive: edge.isRising, time: edge.time, origin: .edge))
        // The kernel dropped some that were not read in time: the level is what counts.
        if let number, edge.number != number &+ 1 { report(try input.isActive(), .edge) }
        number = edge.number
      }
    }
  }

  private func report(_ isActive: Bool, _ origin: LevelOrigin) {
    levels.yield(InputLevel(isActive: isActive, time: MonotonicClock.now(), origin: origin))
  }
}

extension InputLine {
  fileprivate var name: GPIOLineName {
    switch line {
    case .offset(let offset): .offset(offset)
    case .name(let name): .name(name)
    }
  }

  fileprivate var settings: GPIOInputSettings {
    let bias: GPIOInputSettings.Bias =
      switch bias {
      case .asIs: .asIs
      case .pullUp: .pullUp
      case .pullDown: .pullDown
      case .disabled: .disabled
      }
    return GPIOInputSettings(isActiveLow: isActiveLow, bias: bias, debounce: debounce)
  }
}
