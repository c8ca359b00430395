import CallPolicy
import ConfigFile

/// Reads `[[plan]]`.
struct PlanReader {
  let table: ConfigTable
  /// The names of all sources of events.
  let sources: [String]
  let video: VideoSettings

  private struct Keys: SettingGroup {
    var name: String?
    var preRoll = Duration.seconds(10)
    var postRoll = Duration.seconds(10)
    var stream = StreamName.full
    var interval: Duration?
    var segment: Duration?
    var maximumAge: Duration?
    var maximumTotal: Int64 = 0
  }

  static let section = SettingSection<DeviceConfiguration>(
    "plan", .array, whole: \.plans, effect: .reload,
    "When the device records itself, and how long that is kept (guides/recording.md); up to \(PlanSettings.maxCount).",
    settings: settings, sample: sample)

  private static let sample = """
    [[plan]]
    name = "yard"
    when = "events"
    sources = ["yard", "glass"]
    pre_roll = "10s"
    post_roll = "10s"
    max_age = "30d"

    [[plan]]
    name = "all day"
    when = "always"
    max_age = "3d"
    """

  private static let settings: [Setting<Keys>] = [
    Setting("name", \.name, .tableName, example: "\"yard\"", isRequired: true, "No two plans have the same."),
    Setting(
      "when", "occasion, or hours", example: "\"events\"", isRequired: true,
      """
      `"always"`; `"events"`; `"rules"`: events of which an [[event_rule]] says record; `"off"`; or hours as in \
      policy.toml, or a list of them.
      """),
    Setting(
      "sources", "list of names", example: "[\"yard\", \"glass\"]",
      "For events: the names of [[event]] and [[geofence]] tables; all of them without it."),
    Setting(
      "pre_roll", \.preRoll, .duration(.zero ... .seconds(60)),
      "For events and rules: how much of what came before is recorded. It keeps camera, microphone and encoder busy."),
    Setting(
      "post_roll", \.postRoll, .duration(.zero ... .seconds(3_600)),
      "For events and rules: how long the recording continues after the last event."),
    Setting(
      "stream", \.stream, .choice(),
      """
      `"thinned"` records the lowest temporal layer of video alone: a quarter of the frames with `temporal_layers = 3` \
      in [video]. `"time-lapse"` records single frames, played at 30 a second, without audio, in archives of its own.
      """),
    Setting(
      "every", \.interval, .duration(timeLapseIntervals), example: "\"10s\"",
      "For a time-lapse: from one frame to the next."),
    Setting(
      "segment", \.segment, .duration(.seconds(10)...(.seconds(86_400))), example: "\"15m\"",
      "Start a new file after this time; that of [archive] without it."),
    Setting(
      "max_age", \.maximumAge, .duration(.seconds(60)...(.seconds(10 * 365 * 86_400))), example: "\"30d\"",
      "Older archives of the plan are deleted, but those that another plan keeps; that of [archive] without it."),
    Setting(
      "max_total", \.maximumTotal, .bytes,
      "What archives of the plan may take, at least 10MiB; `\"0B\"` is no limit."),
  ]

  private static let keysOfEvents = ["sources", "pre_roll", "post_roll"]
  private static let smallestTotal: Int64 = 10 * 1_048_576

  static func plans(_ root: ConfigTable, events: EventSettings, _ video: VideoSettings) -> [PlanSettings] {
    let tables = root.tables("plan")
    if tables.count > PlanSettings.maxCount {
      root.addError("there are \(tables.count) recording plans, more than \(PlanSettings.maxCount)", at: "plan")
    }
    var names: Set<String> = []
    return tables.compactMap { table in
      let plan = PlanReader(table: table, sources: events.sources.map(\.name), video: video).plan()
      if let plan, !names.insert(plan.name).inserted {
        table.addError("another plan is named \"\(plan.name)\"", remedy: "give each its own name", at: "name")
      }
      return plan
    }
  }

  /// Nil where the file has mistakes, which are logged; all that is there is read before that is judged.
  private func plan() -> PlanSettings? {
    let keys = Self.settings.values(of: table)
    let stream = stream(keys)
    let occasion = occasion(keys, hasPreRoll: !stream.isTimeLapse)
    if keys.maximumTotal != 0, keys.maximumTotal < Self.smallestTotal {
      table.addError(
        "max_total is less than 10 MiB", remedy: "give the plan more space, or leave it out for no limit",
        at: "max_total")
    }
    guard let name = keys.name, let occasion else { return nil }
    return PlanSettings(
      name: name, occasion: occasion, stream: stream, segment: keys.segment, maximumAge: keys.maximumAge,
      maximumTotal: keys.maximumTotal)
  }

  private enum StreamName: String, CaseIterable {
    case full, thinned
    case timeLapse = "time-lapse"
  }

  private static let timeLapseIntervals = Duration.seconds(1)...(.seconds(86_400))

  private func stream(_ keys: Keys) -> PlanSettings.Stream {
    if keys.stream != .timeLapse, table.contains("every") {
      table.addError("every does nothing unless stream = \"time-lapse\"", remedy: "remove it", at: "every")
    }
    switch keys.stream {
    case .full: return .full
    case .thinned:
      checkLayers()
      return .thinned
    case .timeLapse:
      checkTimeLapse()
      return .timeLapse(every: keys.interval ?? Self.timeLapseIntervals.lowerBound)
    }
  }

  private func checkLayers() {
    guard video.temporalLayers < 2 else { return }
    table.addError(
      "stream = \"thinned\" leaves out all but the lowest temporal layer of video, and there is but one",
      remedy: "set temporal_layers = 3 in [video], or leave stream out", at: "stream")
  }

  private func checkTimeLapse() {
    if !table.contains("every") { table.addMissing("every", example: "\"10s\"") }
    if !video.hasCamera {
      table.addError(
        "there is no video for a time-lapse: the camera is \"none\"",
        remedy: "leave stream out, or set video.camera", at: "stream")
    }
    if table.contains("pre_roll") {
      table.addError("a time-lapse has no pre-roll", remedy: "remove pre_roll", at: "pre_roll")
    }
  }

  private func occasion(_ keys: Keys, hasPreRoll: Bool) -> PlanSettings.Occasion? {
    let occasion = when(events(keys, hasPreRoll: hasPreRoll))
    guard let occasion else { return nil }
    for key in Self.uselessKeys(occasion) where table.contains(key) {
      let remedy = "remove it\(occasion.isOfRules ? "; the rules say for which events" : "")"
      table.addError("\(key) does nothing unless when = \"events\"", remedy: remedy, at: key)
    }
    return occasion
  }

  private static func uselessKeys(_ occasion: PlanSettings.Occasion) -> [String] {
    switch occasion {
    case .events: []
    case .rules: ["sources"]
    case .always, .hours, .off: keysOfEvents
    }
  }

  private func when(_ events: PlanSettings.EventOccasion) -> PlanSettings.Occasion? {
    if case .array? = table.node("when")?.value { return table.weeklyHours("when").map { .hours($0) } }
    let occasion = table.value("when") { text throws(ConfigValueError) -> PlanSettings.Occasion in
      switch text {
      case "always": return .always
      case "events": return .events(events)
      case "rules": return .rules(events)
      case "off": return .off
      default: return .hours([try hours(text)])
      }
    }
    if occasion?.events != nil, sources.isEmpty {
      table.addError(
        "there is no [[event]] or [[geofence]] that the plan could record", remedy: "add one, or set when", at: "when")
    }
    return occasion
  }

  private func hours(_ text: String) throws(ConfigValueError) -> WeeklyHours {
    guard text.contains(where: \.isNumber) else {
      throw ConfigValueError(
        "when cannot be \"\(text)\"",
        remedy: "it is \"always\", \"events\", \"rules\", \"off\", or hours such as \"Mon-Fri 19:00-07:00\"")
    }
    return try ConfigTable.parseWeeklyHours(text)
  }

  private func events(_ keys: Keys, hasPreRoll: Bool) -> PlanSettings.EventOccasion {
    PlanSettings.EventOccasion(
      sources: table.references("sources", among: sources, "[[event]] or [[geofence]]"),
      preRoll: hasPreRoll ? keys.preRoll : .zero, postRoll: keys.postRoll)
  }
}

extension PlanSettings.Stream {
  fileprivate var isTimeLapse: Bool { if case .timeLapse = self { true } else { false } }
}
