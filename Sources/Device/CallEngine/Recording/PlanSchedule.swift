import CallPolicy
import EventDetection
import MediaCore
import Signalling

/// Decides for which plans the device records itself at a moment.
///
/// Pure: takes events, hours and manual stops.
struct PlanSchedule: Sendable {
  /// Whether one of the hours is now; nil while that cannot be known.
  typealias HoursCheck = ([WeeklyHours]) -> Bool?

  fileprivate struct Entry {
    let plan: RecordingPlan
    /// Nil while that cannot be known.
    var isDue: Bool? = false
    /// It was stopped; until it is due again.
    var isPaused = false
    /// The ongoing events.
    var events: Set<String> = []
    /// When the first of the events began that are recorded together.
    var firstEvent: MonotonicInstant?
    /// When the post-roll ends, once no event is ongoing, or the manual recording.
    var end: MonotonicInstant?

    var isWanted: Bool { isDue == true && !isPaused }
  }

  /// Hours change by minutes, and by a clock that is set.
  private static let hoursInterval = TimeSpan.seconds(5)

  private var entries: [Entry] = []
  /// The ongoing events, by their sources, of which each has one at a time.
  private var ongoing: [String: TimedEvent] = [:]

  /// Takes over plans. Those that were stopped manually begin again; unchanged ones continue with their events, and so
  /// do changed ones. New ones begin with ongoing events.
  mutating func setPlans(_ plans: [RecordingPlan]) {
    let old = Dictionary(entries.map { ($0.plan.name, $0) }) { first, _ in first }
    entries = plans.map { plan in
      guard var entry = old[plan.name], entry.plan == plan else {
        return Entry(plan, after: old[plan.name], ongoing.values.sorted { $0.start < $1.start })
      }
      entry.isPaused = false
      return entry
    }
  }

  /// Takes the time; returns the names of the plans for which something is to be recorded, in their order.
  mutating func update(now: MonotonicInstant, isWithin: HoursCheck) -> [String] {
    for index in entries.indices { entries[index].update(now: now, isWithin: isWithin) }
    return wanted
  }

  /// As ``update(now:isWithin:)`` said last.
  var wanted: [String] { entries.filter(\.isWanted).map(\.plan.name) }

  /// When ``update(now:isWithin:)`` may say something else, if no event comes before.
  func nextDeadline(now: MonotonicInstant) -> MonotonicInstant? {
    entries.compactMap { entry in
      switch entry.plan.occasion {
      case .always, .never: nil
      case .hours: now + Self.hoursInterval
      case .events, .rules, .manual: entry.end
      }
    }.min()
  }

  /// An event begins, or is over: then it has an end.
  mutating func take(_ event: TimedEvent, now: MonotonicInstant) {
    if event.end == nil {
      ongoing[event.source] = event
    } else if ongoing[event.source]?.id == event.id {
      ongoing[event.source] = nil
    }
    for index in entries.indices { entries[index].take(event, now: now) }
  }

  /// A rule says that an ongoing event is to be recorded by these plans.
  mutating func take(_ event: TimedEvent, for plans: Set<String>, now: MonotonicInstant) {
    for index in entries.indices where plans.contains(entries[index].plan.name) { entries[index].choose(event) }
  }

  /// From when on an archive for the plans has to show what happened; nil where no event asks for it.
  func beginning(of plans: [String]) -> MonotonicInstant? {
    entries.filter { plans.contains($0.plan.name) }.compactMap { entry in
      entry.firstEvent.flatMap { first in entry.plan.events.map { first - $0.preRoll } }
    }.min()
  }

  // MARK: Manual recording

  /// The name of the plan that is due during a manual recording; nil where there is none.
  var manual: String? { entries.first { $0.longestManual != nil }?.plan.name }

  /// When the manual recording ends; nil while there is none.
  var manualEnd: MonotonicInstant? { entries.first { $0.longestManual != nil }?.end }

  /// Starts the manual recording; does nothing while there is one.
  mutating func beginManually(now: MonotonicInstant) {
    for index in entries.indices where entries[index].end == nil {
      guard let span = entries[index].longestManual else { continue }
      entries[index].end = now + span
    }
  }

  /// Ends the manual recording.
  mutating func stopManually() {
    for index in entries.indices where entries[index].longestManual != nil { entries[index].end = nil }
  }

  /// The recording for these plans was stopped. They begin again with the next event or the next hours; one that
  /// is always due waits for ``resume()``.
  mutating func pause(_ plans: [String]) {
    for index in entries.indices where plans.contains(entries[index].plan.name) { entries[index].pause() }
  }

  /// Ends what ``pause(_:)`` began; returns whether there was anything.
  mutating func resume() -> Bool {
    let isPaused = entries.contains { $0.isPaused && $0.isDue == true }
    for index in entries.indices { entries[index].isPaused = false }
    return isPaused
  }

  // MARK: For status displays

  /// Of each plan, in their order; of the manual one only while it is due.
  func states(_ recordings: PlanRecordings) -> [RecordingPlanState] {
    entries.filter { $0.longestManual == nil || $0.isWanted }.map { entry in
      let recording = recordings[entry.plan.name]
      let isRecording = entry.isWanted && recording.currentPlans.contains(entry.plan.name)
      let text = entry.isWanted ? recording.text(of: entry.plan.name) : entry.idleText
      return RecordingPlanState(name: entry.plan.name, isRecording: isRecording, text: text)
    }
  }
}

extension PlanSchedule.Entry {
  /// - Parameters:
  ///   - old: the plan of this name as it was before; nil for a new one.
  ///   - ongoing: the ongoing events, the first ones first.
  fileprivate init(_ plan: RecordingPlan, after old: Self?, _ ongoing: [TimedEvent]) {
    self.plan = plan
    if let old { carryOver(from: old) }
    if case .events = plan.occasion { for event in ongoing { begin(ifOfSource: event) } }
    // Of an event that the plan has nothing to do with any more.
    if events.isEmpty, end == nil { firstEvent = nil }
  }

  /// A manual recording ends when it would have ended; what a rule has recorded continues, and so does a post-roll, for
  /// as long as the plan says now.
  private mutating func carryOver(from old: Self) {
    if longestManual != nil, old.longestManual != nil { end = old.end }
    guard let occasion = plan.events, let before = old.plan.events else { return }
    firstEvent = old.firstEvent
    end = old.end.map { $0 + (occasion.postRoll - before.postRoll) }
    if case (.rules, .rules) = (plan.occasion, old.plan.occasion) { events = old.events }
  }

  fileprivate mutating func update(now: MonotonicInstant, isWithin: PlanSchedule.HoursCheck) {
    switch plan.occasion {
    case .always: isDue = true
    case .never: isDue = false
    case .hours(let hours): isDue = isWithin(hours)
    case .manual:
      if let end, now >= end { self.end = nil }
      isDue = end != nil
    case .events, .rules:
      if let end, now >= end { (self.end, firstEvent) = (nil, nil) }
      isDue = !events.isEmpty || end != nil
    }
    if isDue != true { isPaused = false }
  }

  fileprivate mutating func take(_ event: TimedEvent, now: MonotonicInstant) {
    guard let occasion = plan.events else { return }
    if let eventEnd = event.end {
      guard events.remove(event.id) != nil, events.isEmpty else { return }
      end = max(now, eventEnd + occasion.postRoll)
    } else {
      begin(ifOfSource: event)
    }
  }

  private mutating func begin(ifOfSource event: TimedEvent) {
    guard case .events(let occasion) = plan.occasion, occasion.sources?.contains(event.source) != false else { return }
    begin(event)
  }

  fileprivate mutating func choose(_ event: TimedEvent) {
    if case .rules = plan.occasion, event.end == nil { begin(event) }
  }

  private mutating func begin(_ event: TimedEvent) {
    events.insert(event.id)
    firstEvent = firstEvent ?? event.start
    (end, isPaused) = (nil, false)
  }

  /// The maximum duration of the manual recording; nil for other plans.
  fileprivate var longestManual: TimeSpan? { if case .manual(let span) = plan.occasion { span } else { nil } }

  fileprivate mutating func pause() {
    guard plan.events != nil || longestManual != nil else { return isPaused = true }
    events = []
    (firstEvent, end) = (nil, nil)
  }

  fileprivate var idleText: String {
    if isPaused { return "stopped manually" }
    return switch plan.occasion {
    case .always: "starting"
    case .manual, .never: "off"
    case .hours: isDue == nil ? "its hours are unknown while the clock is not synchronised" : "outside its hours"
    case .events: "waits for an event"
    case .rules: "waits for an event of which a rule says so"
    }
  }
}
