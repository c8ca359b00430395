public import MediaCore

/// What an event is about.
public enum EventKind: String, Hashable, Sendable, CaseIterable {
  /// Something moves in front of the camera.
  case motion
  /// The camera is covered, moved, out of focus or gone.
  case tamper
  /// It is louder than usual.
  case sound
  /// A smoke alarm sounds.
  case smokeAlarm = "smoke-alarm"
  /// The device has left an area, or entered it.
  case geofence
  /// The device is faster than it should be.
  case speed
  /// The machine is too hot.
  case temperature
  /// The machine lacks power, or soon will.
  case power
  /// A key, a switch or a line is active: a door is open, or a sensor has noticed somebody.
  case input

  /// Whether it is noticed in pictures.
  public var isOfCamera: Bool { self == .motion || self == .tamper }

  /// Whether an event's detail is the reading of its strongest moment, not of which kind it is.
  public var detailIsReading: Bool {
    switch self {
    case .speed, .temperature: true
    case .motion, .tamper, .sound, .smokeAlarm, .geofence, .power, .input: false
    }
  }
}

/// Something that a source of events has noticed.
public struct DetectedEvent: Hashable, Sendable {
  /// Unique on the device: when it began in UTC and eight random digits, as `20261124T195512Z-9f3c01ab`, so that ids are
  /// in the order of time.
  public let id: String
  public let kind: EventKind
  /// The source's name in the configuration.
  public let source: String
  /// The name of the further camera by whose pictures it was noticed; nil for the main one, and for other events.
  public let camera: String?
  /// On the media timeline.
  public let start: MonotonicInstant
  /// The same by the wall clock, in milliseconds since 1970.
  public let startTime: Int64
  /// Nil while it goes on.
  public var end: MonotonicInstant?
  /// The same by the wall clock.
  public var endTime: Int64?
  /// Of the strongest moment so far, 0 to 100.
  public var score: Int
  /// Where in the picture that was.
  public var region: PictureRegion?
  /// Of which kind more exactly, such as `covered`, or the reading of the strongest moment, such as `92 km/h`.
  public var detail: String?
  /// Whether the wall clock could be trusted when the event began.
  public let isClockSynchronized: Bool

  /// An event that begins.
  public init(
    id: String, kind: EventKind, source: String, camera: String? = nil, start: MonotonicInstant, startTime: Int64,
    score: Int, isClockSynchronized: Bool
  ) {
    self.id = id
    self.kind = kind
    self.source = source
    self.camera = camera
    self.start = start
    self.startTime = startTime
    self.score = score
    self.isClockSynchronized = isClockSynchronized
  }

  /// What it is and where, for people.
  public var title: String {
    let what = kind.rawValue + (detail.map { " (\($0))" } ?? "")
    return "\(what) at \"\(source)\"" + (camera.map { ", camera \($0)" } ?? "")
  }
}
