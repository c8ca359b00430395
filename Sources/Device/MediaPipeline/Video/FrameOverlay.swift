internal import Glibc
internal import SystemSupport
public import MediaCore
public import VideoOverlay
internal import RealtimeRuntime

/// What is drawn into the camera's frames.
public struct FrameOverlaySettings: Sendable, Hashable {
  /// Codes of ``VideoOverlay/BitmapFont``; nil for no such line.
  public var title: [UInt8]?
  public var showsTime: Bool
  public var showsPosition: Bool
  public var corner: OverlayCorner
  public var size: TextSize

  public init(
    title: [UInt8]?, showsTime: Bool, showsPosition: Bool, corner: OverlayCorner = .topLeft, size: TextSize = .medium
  ) {
    self.title = title
    self.showsTime = showsTime
    self.showsPosition = showsPosition
    self.corner = corner
    self.size = size
  }
}

/// Draws title, local time and position into frames, on the thread that encodes video.
///
/// The text is drawn once a second; a frame gets a copy of it. Allocates for a new frame size alone.
public final class FrameOverlay: Sendable {
  private let settings: FrameOverlaySettings
  private let clock: StampClock
  private let state: Mutex<State>

  private struct State {
    var board: OverlayBoard?
    var position: (text: [UInt8], expires: MonotonicInstant?)?

    mutating func update(_ clock: StampClock, _ second: Int64, _ captured: MonotonicInstant) {
      if let expires = position?.expires, captured > expires { position = nil }
      board?.write(second: second, time: clock.time(second), position: position?.text ?? StampedPosition.unknown)
    }
  }

  /// - Parameter clock: converts an instant to wall time.
  public init(_ settings: FrameOverlaySettings, clock: StampClock = .system) {
    self.settings = settings
    self.clock = clock
    state = Mutex(State())
    // What the system has to read for that is read now.
    _ = clock.time(clock.second(MonotonicClock.now()))
  }

  /// Where the device is, for as long as that can be believed; nil for nowhere.
  ///
  /// - Parameter expires: nil for a device that does not move.
  public func setPosition(_ position: StampedPosition?, expires: MonotonicInstant? = nil) {
    let text = position?.text
    state.withLock { $0.position = text.map { ($0, expires) } }
  }

  /// Draws into a frame that was captured at an instant. For one thread at a time.
  public func draw(into image: inout I420Buffer, at captured: MonotonicInstant) {
    state.withLock { state in
      if state.board?.fits(image) != true { state.board = OverlayBoard(settings, image) }
      let second = clock.second(captured)
      if state.board?.isDue(second) == true { state.update(clock, second, captured) }
      state.board?.draw(into: &image)
    }
  }
}

/// What time it was.
public struct StampClock: Sendable {
  /// Seconds since 1970 at an instant, as the wall clock has it now.
  public var second: @Sendable (MonotonicInstant) -> Int64
  /// Those seconds as local time.
  public var time: @Sendable (Int64) -> StampedTime

  public init(
    second: @escaping @Sendable (MonotonicInstant) -> Int64, time: @escaping @Sendable (Int64) -> StampedTime
  ) {
    self.second = second
    self.time = time
  }

  /// The system's clock and time zone.
  public static let system = StampClock(
    second: { instant in
      let wall = TimeSpan.milliseconds(wallClockMilliseconds())
      return (wall - (MonotonicClock.now() - instant)).nanoseconds / 1_000_000_000
    },
    time: { second in
      var (seconds, local) = (time_t(second), tm())
      localtime_r(&seconds, &local)
      return StampedTime(
        year: Int(local.tm_year) + 1_900, month: Int(local.tm_mon) + 1, day: Int(local.tm_mday),
        hour: Int(local.tm_hour), minute: Int(local.tm_min), second: Int(local.tm_sec),
        offsetMinutes: local.tm_gmtoff / 60, isTrusted: ClockTrust.isSynchronized)
    })
}

/// The text for frames of one size. Used under the overlay's lock alone.
private struct OverlayBoard {
  private let width: Int
  private let height: Int
  private let settings: FrameOverlaySettings
  private let placement: TextPlacement?
  private var box: TextBox?
  private var shown: Int64?
  private var time: [UInt8] = []

  init(_ settings: FrameOverlaySettings, _ image: borrowing I420Buffer) {
    (width, height) = (image.width, image.height)
    self.settings = settings
    let longest = max(
      settings.title?.count ?? 0, settings.showsTime ? StampedTime.longest : 0,
      settings.showsPosition ? StampedPosition.longest : 0)
    let lines = (settings.title == nil ? 0 : 1) + (settings.showsTime ? 1 : 0) + (settings.showsPosition ? 1 : 0)
    placement = TextPlacement(
      columns: longest, lines: lines, size: settings.size, corner: settings.corner, frameWidth: image.width,
      frameHeight: image.height)
    box = placement.map { TextBox(columns: $0.columns, lines: lines, scale: $0.scale) }
    time.reserveCapacity(StampedTime.longest)
    if let title = settings.title { box?.write(title.span, line: 0) }
  }

  func fits(_ image: borrowing I420Buffer) -> Bool { image.width == width && image.height == height }

  func isDue(_ second: Int64) -> Bool { shown != second }

  mutating func write(second: Int64, time now: StampedTime, position: [UInt8]) {
    shown = second
    guard var box = self.box.take() else { return }
    var line = settings.title == nil ? 0 : 1
    if settings.showsTime {
      time.removeAll(keepingCapacity: true)
      now.append(to: &time)
      box.write(time.span, line: line)
      line += 1
    }
    if settings.showsPosition { box.write(position.span, line: line) }
    self.box = box
  }

  func draw(into image: inout I420Buffer) {
    guard let placement, let box else { return }
    box.draw(into: &image, x: placement.x, y: placement.y)
  }
}
