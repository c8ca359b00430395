/// What an event of a device is about: the one list of kinds.
///
/// A case's raw value is its name in configuration, files and messages. What programs and people need to know of a kind
/// stands in ``facts``; the page's copy (`web/event-kinds.js`) is made from it.
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
  /// A key, a switch or a line is active: a door is open, or a sensor has noticed a person.
  case input
  /// The camera's frames are dark.
  case dark

  /// The kind's facts.
  public var facts: EventKindFacts {
    switch self {
    case .motion: EventKindFacts("Motion", needs: .camera, hasRegion: true)
    case .tamper: EventKindFacts("Tampering", needs: .camera, detail: .variety, mark: .alarm)
    case .sound: EventKindFacts("Sound", needs: .microphone, mark: .ambient)
    case .smokeAlarm: EventKindFacts("Smoke alarm", needs: .microphone, mark: .alarm)
    case .geofence: EventKindFacts("Area", needs: .positions, detail: .variety)
    case .speed: EventKindFacts("Speed", needs: .positions, detail: .reading)
    case .temperature: EventKindFacts("Temperature", needs: .sensors, detail: .reading)
    case .power: EventKindFacts("Power", needs: .sensors, detail: .variety)
    case .input: EventKindFacts("Contact", needs: .lines)
    case .dark: EventKindFacts("Dark", needs: .camera, detail: .reading)
    }
  }

  /// All names as a sentence has them, such as `motion, sound or input`.
  public static func list(_ conjunction: String) -> String {
    let names = allCases.map { $0.rawValue }
    return names.dropLast().joined(separator: ", ") + " \(conjunction) \(names[names.count - 1])"
  }
}

/// Facts about a kind of events.
public struct EventKindFacts: Hashable, Sendable {
  /// What ``DetectedEvent/detail`` says of an event.
  public enum Detail: Hashable, Sendable {
    /// Nothing.
    case none
    /// Its variety when it began, such as `covered`.
    case variety
    /// The level of its strongest moment with its unit, such as `92 km/h`.
    case reading
  }

  /// How the page marks it.
  public enum Mark: String, Hashable, Sendable, CaseIterable { case notice, ambient, alarm }

  /// Its display name, at the beginning of a line.
  public var label: String
  public var need: EventNeed
  public var detail: Detail
  /// Whether an event has the part of the frame in which it was noticed.
  public var hasRegion: Bool
  public var mark: Mark

  init(
    _ label: String, needs need: EventNeed, detail: Detail = .none, hasRegion: Bool = false, mark: Mark = .notice
  ) {
    self.label = label
    self.need = need
    self.detail = detail
    self.hasRegion = hasRegion
    self.mark = mark
  }
}

/// The part of a device that an event source reads.
public enum EventNeed: String, Hashable, Sendable, CaseIterable {
  case camera, microphone, positions, sensors, lines
}
