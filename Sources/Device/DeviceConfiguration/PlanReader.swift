import CallPolicy
import ConfigFile

/// Reads `[[plan]]`.
struct PlanReader {
  let table: ConfigTable
  /// The names of all sources of events.
  let sources: [String]
  let video: VideoSettings

  private static let keysOfEvents = ["sources", "pre_roll", "post_roll"]
  private static let smallestTotal: Int64 = 10 * 1_048_576

  static func plans(_ root: ConfigTable, events: EventSettings, _ video: VideoSettings) -> [PlanSettings] {
    let tables = root.tables("plan")
    if tables.count > PlanSettings.most {
      root.addError("there are \(tables.count) recording plans, more than \(PlanSettings.most)", at: "plan")
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

  /// Nil where the file has mistakes, which are told; all that is there is read before that is judged.
  private func plan() -> PlanSettings? {
    let (name, stream) = (table.name(example: "yard"), stream())
    let occasion = occasion(hasPreRoll: !stream.isTimeLapse)
    let segment = table.duration("segment", in: .seconds(10)...(.seconds(86_400)))
    let age = table.duration("max_age", in: .seconds(60)...(.seconds(10 * 365 * 86_400)))
    let total = table.bytes("max_total", default: 0)
    if total != 0, total < Self.smallestTotal {
      table.addError(
        "max_total is less than 10 MiB", remedy: "give the plan more space, or leave it out for no limit",
        at: "max_total")
    }
    guard let name, let occasion else { return nil }
    return PlanSettings(
      name: name, occasion: occasion, stream: stream, segment: segment, maximumAge: age, maximumTotal: total)
  }

  private enum StreamName: String, CaseIterable {
    case full, thinned
    case timeLapse = "time-lapse"
  }

  private static let timeLapseIntervals = Duration.seconds(1)...(.seconds(86_400))

  private func stream() -> PlanSettings.Stream {
    let name = table.choice("stream", as: StreamName.self) ?? .full
    let interval = table.duration("every", in: Self.timeLapseIntervals)
    if name != .timeLapse, table.contains("every") {
      table.addError("every does nothing unless stream = \"time-lapse\"", remedy: "remove it", at: "every")
    }
    switch name {
    case .full: return .full
    case .thinned:
      checkLayers()
      return .thinned
    case .timeLapse:
      checkTimeLapse()
      return .timeLapse(every: interval ?? Self.timeLapseIntervals.lowerBound)
    }
  }

  private func checkLayers() {
    guard video.temporalLayers < 2 else { return }
    table.addError(
      "stream = \"thinned\" leaves out all but the lowest temporal layer of pictures, and there is but one",
      remedy: "set temporal_layers = 3 in [video], or leave stream out", at: "stream")
  }

  private func checkTimeLapse() {
    if !table.contains("every") { table.addMissing("every", example: "\"10s\"") }
    if !video.hasCamera {
      table.addError(
        "there are no pictures for a time-lapse: the camera is \"none\"",
        remedy: "leave stream out, or set video.camera", at: "stream")
    }
    if table.contains("pre_roll") {
      table.addError("a time-lapse has no pre-roll", remedy: "remove pre_roll", at: "pre_roll")
    }
  }

  private func occasion(hasPreRoll: Bool) -> PlanSettings.Occasion? {
    let occasion = when(events(hasPreRoll: hasPreRoll))
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
    if !table.contains("when") { table.addMissing("when", example: "\"events\"") }
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

  private func events(hasPreRoll: Bool) -> PlanSettings.EventOccasion {
    let preRoll = table.duration("pre_roll", default: .seconds(10), in: .zero ... .seconds(60))
    return PlanSettings.EventOccasion(
      sources: table.references("sources", among: sources, "[[event]] or [[geofence]]"),
      preRoll: hasPreRoll ? preRoll : .zero,
      postRoll: table.duration("post_roll", default: .seconds(10), in: .zero ... .seconds(3_600)))
  }
}

extension PlanSettings.Stream {
  fileprivate var isTimeLapse: Bool { if case .timeLapse = self { true } else { false } }
}
