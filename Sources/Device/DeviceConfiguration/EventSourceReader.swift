import ConfigFile
import EventDetection
import MediaCore
import MotionDetection
import Signalling

/// Reads `[[event]]`, and what `[[geofence]]` adds to it.
struct EventSourceReader {
  let table: ConfigTable
  /// The names of further ones.
  let cameras: [String]

  static let section = SettingSection<DeviceConfiguration>(
    "event", .array, whole: \.events.sources, effect: .reload,
    """
    A source of events (reference/events.md); up to \(EventSourceSettings.maxCount), \(MotionSettings.maxZones) of them \
    for motion of each camera. While there is one, the camera (\(EventSourceRegistry.kinds(needing: .camera))) or the \
    microphone (\(EventSourceRegistry.kinds(needing: .microphone))) is open for as long as the daemon runs.
    """, settings: settings, sample: sample)

  private static let sample = """
    [[event]]
    name = "yard"
    kind = "motion"
    zone = [[0.0, 0.4], [1.0, 0.4], [1.0, 1.0], [0.0, 1.0]]

    [[event]]
    name = "camera"
    kind = "tamper"

    [[event]]
    name = "glass"
    kind = "sound"
    threshold = 20

    [[event]]
    name = "hall"
    kind = "smoke-alarm"

    [[event]]
    name = "van"
    kind = "speed"
    threshold = "90km/h"

    [[event]]
    name = "cabinet"
    kind = "temperature"
    sensor = "cpu-thermal"
    threshold = 80

    [[event]]
    name = "mains"
    kind = "power"
    on = "mains-lost"

    [[event]]
    name = "door"
    kind = "input"
    gpio = { chip = "gpiochip0", line = 23, bias = "pull-up" }
    """

  private static let settings: [Setting<EventSourceKeys>] =
    commonSettings + EventSourceRegistry.types.flatMap { $0.settings }

  private static let commonSettings: [Setting<EventSourceKeys>] = [
    Setting("name", "string, 1 to 64 bytes", example: "\"yard\"", isRequired: true, "No two sources have the same."),
    Setting(
      "kind", "kind of event", example: "\"motion\"", isRequired: true, kindHelp),
    Setting(
      "camera", "name", example: "\"yard\"",
      "For \(EventSourceRegistry.kinds(with: "camera")): the name of a [[camera]]; the camera of [video] without it."),
    Setting(
      "zone", "polygon", example: "[[0.0, 0.4], [1.0, 0.4], [1.0, 1.0], [0.0, 1.0]]",
      """
      For motion: what has its middle or its foot in it counts. Corners in fractions of the image from the upper left; \
      the whole image without it.
      """),
    Setting(
      "smallest", "number, 0.0001 to 0.5", default: "0.0004",
      "For motion: the smallest object that counts, as a fraction of the image's area."),
    Setting(
      "threshold", "number, or speed", example: "20",
      """
      For sound: by how many decibels it has to be louder than usual, 3 to 60; 20 without it. For speed: how fast, \
      0.5m/s to 300m/s, such as `"90km/h"`, `"55mph"`, `"25m/s"` or `"12kn"`; required. For temperature: degrees \
      Celsius, -40 to 150; 80 without it. For power with battery-low: per cent of what the battery holds, 1 to 99; 15 \
      without it.
      """),
    Setting(
      "hysteresis", "number, or speed", example: "3",
      """
      For speed and temperature: the event ends when it is this much below the threshold; a tenth of it, and 3 degrees, \
      without it.
      """),
    Setting(
      "sensor", "string", example: "\"cpu-thermal\"",
      """
      For temperature: the type or the name of a thermal zone, or the name of an hwmon chip, such as `"nvme"` or \
      `"nvme/Composite"`. Without it the hottest sensor of the processor.
      """),
    Setting(
      "on", "one of \"mains-lost\", \"battery-low\", \"under-voltage\"", example: "\"mains-lost\"",
      "For power: the mains are lost, a battery is low, or a Raspberry Pi has too little voltage."),
    Setting(
      "supply", "string", example: "\"BAT0\"",
      "For power: the name of a folder of /sys/class/power_supply; all of the device's own without it."),
    Setting(
      "gpio", "table of chip, line, active_low and bias",
      example: "{ chip = \"gpiochip0\", line = 23, bias = \"pull-up\" }", "For input: a line as that of a [[button]]."),
    Setting(
      "key", "table of device and code", example: "{ device = \"gpio-keys\", code = \"SW_MACHINE_COVER\" }",
      "For input: a key or a switch of an input device."),
    Setting(
      "debounce", "duration, 0s to 10s", default: "\"20ms\"", "For input with `gpio`: shorter levels are ignored."),
    Setting(
      "min_duration", "duration, 0s to 1m", example: "\"500ms\"",
      """
      It has to last for this time. Without it 500ms for motion, 100ms for sound, 3s for speed, 10s for temperature, \
      and 0s for power and input; tamper and smoke-alarm have none.
      """),
    Setting(
      "post", "duration, 1s to 10m", default: "\"5s\"",
      "The event ends when there was nothing for this time; not for tamper and smoke-alarm."),
    Setting(
      "min_gap", "duration, 0s to 1d", default: "\"0s\"",
      "From the end of one event to the beginning of the next; not for tamper and smoke-alarm."),
  ]

  /// Each kind with what it means.
  private static var kindHelp: String {
    let kinds = EventSourceRegistry.types.map { type in
      "`\"\(type.kind.rawValue)\"`" + (type.help.map { ": \($0)" } ?? "")
    }
    return kinds.dropLast().joined(separator: "; ") + "; or \(kinds[kinds.count - 1])."
  }

  static func sources(_ root: ConfigTable, cameras: [String]) -> [EventSourceSettings] {
    let tables = root.tables("event")
    if tables.count > EventSourceSettings.maxCount {
      root.addError(
        "there are \(tables.count) sources of events, more than \(EventSourceSettings.maxCount)", at: "event")
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
    let watched = sources.filter { $0.kind == .motion }
    let zones = Dictionary(grouping: watched, by: \.camera).values.map(\.count).max() ?? 0
    guard zones > MotionSettings.maxZones else { return }
    root.addError(
      "\(zones) sources detect motion with the same camera, more than \(MotionSettings.maxZones)",
      remedy: "join some of their zones", at: "event")
  }

  /// Nil where the file has mistakes, which are reported; everything is read before that is judged.
  private func source() -> EventSourceSettings? {
    let name = SettingType.tableName.read(table, "name")
    let kind = table.choice("kind", as: EventKind.self)
    // The valid keys depend on the kind, so a source of unknown kind is judged no further.
    _ = Self.settings.values(of: table)
    guard let kind else { return nil }
    guard let type = EventSourceRegistry.type(of: kind) else {
      table.addError("\(kind.rawValue) has a table of its own", remedy: "write [[\(kind.rawValue)]]", at: "kind")
      return nil
    }
    let (timing, source, camera) = (type.timing?.timing(table) ?? .debouncedElsewhere, type.init(self), camera())
    refuseKeys(but: type.allKeys.union(["name", "kind"]), kind)
    guard let name, let source else { return nil }
    return EventSourceSettings(name: name, source: source, timing: timing, camera: camera)
  }

  private func refuseKeys(but keys: Set<String>, _ kind: EventKind) {
    for key in Self.settings.map(\.description.name) where table.contains(key) && !keys.contains(key) {
      table.addError("\(key) does nothing with kind = \"\(kind.rawValue)\"", remedy: "remove it", at: key)
    }
  }

  /// Nil for the main one.
  private func camera() -> String? {
    let name = table.reference("camera", among: cameras + [CameraSettings.mainName], "[[camera]]")
    return name == CameraSettings.mainName ? nil : name
  }
}
