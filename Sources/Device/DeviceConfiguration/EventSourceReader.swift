import ConfigFile
import EventDetection
import MediaCore
import MotionDetection

/// Reads `[[event]]`, and what `[[geofence]]` adds to it.
struct EventSourceReader {
  let table: ConfigTable
  /// The names of further ones.
  let cameras: [String]

  static func sources(_ root: ConfigTable, cameras: [String]) -> [EventSourceSettings] {
    let tables = root.tables("event")
    if tables.count > EventSourceSettings.most {
      root.addError("there are \(tables.count) sources of events, more than \(EventSourceSettings.most)", at: "event")
    }
    var names: Set<String> = []
    let found =
      tables.map { ($0, EventSourceReader(table: $0, cameras: cameras).source()) } + GeofenceReader.sources(root)
    let sources = found.compactMap { table, source in
      if let source, !names.insert(source.name).inserted {
        table.addError(
          "another source of events is named \"\(source.name)\"", remedy: "give each its own name", at: "name")
      }
      return source
    }
    checkZones(sources, root)
    return sources
  }

  private static func checkZones(_ sources: [EventSourceSettings], _ root: ConfigTable) {
    let watched = sources.filter { if case .motion = $0.kind { true } else { false } }
    let zones = Dictionary(grouping: watched, by: \.camera).values.map(\.count).max() ?? 0
    guard zones > MotionSettings.mostZones else { return }
    root.addError(
      "\(zones) sources look for motion with the same camera, more than \(MotionSettings.mostZones)",
      remedy: "join some of their zones", at: "event")
  }

  /// Nil where the file has mistakes, which are told; all that is there is read before that is judged.
  private func source() -> EventSourceSettings? {
    let name = table.name(example: "yard")
    let kindName = table.choice("kind", as: KindName.self)
    if !table.contains("kind") { table.addMissing("kind", example: "\"motion\"") }
    // Of a source whose kind is not understood nobody can say which keys are wrong.
    for key in KindName.allKeys { _ = table.node(key) }
    guard let kindName else { return nil }
    let (timing, kind, camera) = (timing(kindName), kind(kindName), camera())
    for key in KindName.allKeys where table.contains(key) && !kindName.keys.contains(key) {
      table.addError("\(key) does nothing with kind = \"\(kindName.rawValue)\"", remedy: "remove it", at: key)
    }
    guard let name, let kind else { return nil }
    return EventSourceSettings(name: name, kind: kind, timing: timing, camera: camera)
  }

  /// Nil for the main one.
  private func camera() -> String? {
    let name = table.reference("camera", among: cameras + [CameraSettings.mainName], "[[camera]]")
    return name == CameraSettings.mainName ? nil : name
  }

  private func kind(_ name: KindName) -> EventSourceSettings.Kind? {
    switch name {
    case .motion: .motion(zone())
    case .tamper: .tamper
    case .sound: .sound(decibels: table.number("threshold", in: 3...60) ?? 20)
    case .smokeAlarm: .smokeAlarm
    case .speed: speedLimit().map { .speed($0) }
    case .temperature: .hardware(temperatureCondition())
    case .power: powerCondition().map { .hardware($0) }
    case .input: inputPlace().map { .input($0) }
    }
  }

  private func zone() -> MotionZone {
    MotionZone(
      area: table.contains("zone") ? table.polygon("zone") : nil,
      smallestObject: table.number("smallest", in: 0.0001...0.5) ?? MotionZone().smallestObject)
  }

  private func timing(_ kind: KindName) -> EventTiming {
    guard kind.keys.contains("post") else { return .debouncedElsewhere }
    return EventTiming(
      minimumDuration: TimeSpan(
        table.duration("min_duration", default: kind.minimumDuration, in: .zero ... .seconds(60))),
      post: TimeSpan(table.duration("post", default: .seconds(5), in: .seconds(1) ... .seconds(600))),
      minimumGap: TimeSpan(table.duration("min_gap", default: .zero, in: .zero ... .seconds(86_400))),
      longest: kind.longest)
  }
}

private enum KindName: String, CaseIterable {
  case motion, tamper, sound
  case smokeAlarm = "smoke-alarm"
  case speed, temperature, power, input

  private static let timing: Set = ["min_duration", "post", "min_gap"]

  /// What of a source's keys does something.
  var keys: Set<String> {
    switch self {
    case .motion: Self.timing.union(["camera", "zone", "smallest"])
    case .sound: Self.timing.union(["threshold"])
    case .speed: Self.timing.union(["threshold", "hysteresis"])
    case .temperature: Self.timing.union(["sensor", "threshold", "hysteresis"])
    case .power: Self.timing.union(["on", "supply", "threshold"])
    case .input: Self.timing.union(["key", "gpio", "debounce"])
    case .tamper: ["camera"]
    case .smokeAlarm: []
    }
  }

  static let allKeys = [
    "camera", "zone", "smallest", "sensor", "on", "supply", "key", "gpio", "debounce", "threshold", "hysteresis",
    "min_duration",
    "post", "min_gap",
  ]

  var minimumDuration: Duration {
    switch self {
    case .sound: .milliseconds(100)
    case .speed: .seconds(3)
    case .temperature: .seconds(10)
    case .power, .input: .zero
    case .motion, .tamper, .smokeAlarm: .milliseconds(500)
    }
  }

  /// What the device is in may last; what passes by it is cut into events.
  var longest: TimeSpan {
    switch self {
    case .motion, .tamper, .sound, .smokeAlarm: .seconds(600)
    case .speed, .temperature, .power, .input: .seconds(86_400)
    }
  }
}
