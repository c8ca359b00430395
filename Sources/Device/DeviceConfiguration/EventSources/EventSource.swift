import ConfigFile
public import EventDetection
public import MediaCore
public import MotionDetection
public import Signalling

/// A source of events: what its table says, and what judges it.
///
/// A source that stays equal at a reload continues; see `EventSources` for its life.
public protocol EventSource: Hashable, Sendable {
  /// Of which kind its events are. The kind's facts say what it needs.
  static var kind: EventKind { get }

  /// What judges it, of its own for each call.
  func watching(_ timing: EventTiming) -> EventWatching

  /// From the beginning of an event until it is reported, with some time to begin an archive.
  func delay(_ timing: EventTiming) -> TimeSpan
}

extension EventSource {
  public func delay(_ timing: EventTiming) -> TimeSpan { timing.minimumDuration + .seconds(2) }
}

/// What judges a source of events, by what it needs.
public enum EventWatching: Sendable {
  case frames(any FrameDetector)
  case sound(any SoundDetector)
  case positions(any PositionDetector)
  case sensor(HardwareCondition)
  case input(InputPlace)
}

/// A kind of `[[event]]`.
protocol EventTableSource: EventSource {
  /// The keys that mean something for it, beside `name`, `kind` and those of ``timing``.
  static var keys: Set<String> { get }

  /// Descriptions of those of its keys that no other kind has.
  static var settings: [Setting<EventSourceKeys>] { get }

  /// How its signals become events; nil where its detector de-bounces.
  static var timing: EventTimingKeys? { get }

  /// What the documentation says of the kind, after its name; nil where that says enough.
  static var help: String? { get }

  /// Nil where the file has mistakes, which are logged.
  init?(_ reader: EventSourceReader)
}

extension EventTableSource {
  static var settings: [Setting<EventSourceKeys>] { [] }

  static var allKeys: Set<String> { timing.map { keys.union([$0.durationKey, "post", "min_gap"]) } ?? keys }
}

/// What a key means depends on the kind, so that each kind reads its own.
struct EventSourceKeys: SettingGroup {}

/// The keys by which signals become events, and what holds without them.
struct EventTimingKeys: Sendable {
  /// For how long it has to last.
  var minimumDuration: Duration
  var durationKey = "min_duration"
  var durations: ClosedRange<Duration> = .zero ... .seconds(60)
  /// What the device is in may last; what passes by it is cut into events.
  var longest = TimeSpan.seconds(600)

  func timing(_ table: ConfigTable) -> EventTiming {
    EventTiming(
      minimumDuration: TimeSpan(table.duration(durationKey, default: minimumDuration, in: durations)),
      post: TimeSpan(table.duration("post", default: .seconds(5), in: .seconds(1) ... .seconds(600))),
      minimumGap: TimeSpan(table.duration("min_gap", default: .zero, in: .zero ... .seconds(86_400))),
      longest: longest)
  }
}
