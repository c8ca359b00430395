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
    let (name, occasion, stream) = (table.name(example: "yard"), occasion(), stream())
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

  private func stream() -> PlanSettings.Stream {
    let stream = table.choice("stream", as: PlanSettings.Stream.self) ?? .full
    if stream == .thinned, video.temporalLayers < 2 {
      table.addError(
        "stream = \"thinned\" leaves out all but the lowest temporal layer of pictures, and there is but one",
        remedy: "set temporal_layers = 3 in [video], or leave stream out", at: "stream")
    }
    return stream
  }

  private func occasion() -> PlanSettings.Occasion? {
    let occasion = when(events())
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
      table.addError("there is no [[event]] that the plan could record", remedy: "add one, or set when", at: "when")
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

  private func events() -> PlanSettings.EventOccasion {
    PlanSettings.EventOccasion(
      sources: table.references("sources", among: sources, "[[event]]"),
      preRoll: table.duration("pre_roll", default: .seconds(10), in: .zero ... .seconds(60)),
      postRoll: table.duration("post_roll", default: .seconds(10), in: .zero ... .seconds(3_600)))
  }
}
