import Signalling

/// The kinds of `[[event]]`: configuration, reload, media and checks find a source by this alone.
enum EventSourceRegistry {
  /// Nil for a kind that has a table of its own.
  static func type(of kind: EventKind) -> (any EventTableSource.Type)? {
    switch kind {
    case .motion: MotionSource.self
    case .tamper: TamperSource.self
    case .sound: SoundSource.self
    case .smokeAlarm: SmokeAlarmSource.self
    case .geofence: nil
    case .speed: SpeedSource.self
    case .temperature: TemperatureSource.self
    case .power: PowerSource.self
    case .input: InputSource.self
    case .dark: DarkSource.self
    }
  }

  static let types = EventKind.allCases.compactMap { type(of: $0) }

  /// The names of those that need something, such as `motion, tamper`.
  static func kinds(needing need: EventNeed) -> String {
    types.map { $0.kind }.filter { $0.facts.need == need }.map(\.rawValue).joined(separator: ", ")
  }

  /// The names of those that have a key, such as `motion and tamper`.
  static func kinds(with key: String) -> String {
    let names = types.filter { $0.allKeys.contains(key) }.map { $0.kind.rawValue }
    guard names.count > 1 else { return names.joined() }
    return names.dropLast().joined(separator: ", ") + " and " + names[names.count - 1]
  }
}
