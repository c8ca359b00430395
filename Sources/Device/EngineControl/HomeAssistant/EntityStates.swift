public import CallEngine
public import ControlMessages
import EventDetection
import MediaPlaneAPI
public import Signalling

/// What the broker is to know of the device: finds out what has changed, and what happens.
public struct EntityStates: Sendable {
  private static let maxProblems = 8
  /// Free space counts in steps of this many bytes: archives grow all the time.
  private static let diskStep: Int64 = 64 << 20

  public var plan: EntityPlan
  /// Names of buttons that call others.
  private let buttons: Set<String>
  /// What was published last of each topic.
  private var published: [String: [UInt8]] = [:]
  private var ongoing: [String: Set<String>] = [:]
  private var huntsOfButtons: Set<String> = []
  private var unlocked: Set<String> = []

  /// - Parameter buttons: names of those that call others: doorbells.
  public init(_ plan: EntityPlan, buttons: Set<String>) {
    self.plan = plan
    self.buttons = buttons
  }

  /// The broker has forgotten everything, or may have.
  public mutating func forget() { published.removeAll() }

  // MARK: What happens

  /// What an event of the engine has to be reported at once.
  public mutating func take(_ event: EngineEvent) -> [EntityMessage] {
    switch event {
    case .incoming(let call): return [callEvent("incoming", call)]
    case .call(let call): return take(call)
    case .hunt(let hunt): return take(hunt)
    case .detected(let timed): return take(timed.event)
    case .chat, .muted, .cameraSwapped, .archiveStarted, .archiveStopped, .hub, .action, .eventRule, .source: return []
    }
  }

  private func take(_ call: CallSnapshot) -> [EntityMessage] {
    switch call.phase {
    case .offering: [callEvent("outgoing", call)]
    case .connected: [callEvent("connected", call)]
    case .ended(let reason):
      [callEvent(RejectReason(rawValue: reason) == nil ? "ended" : "rejected", call, reason: reason)]
    case .calling, .delaying, .ringing, .alerting, .answering, .connecting: []
    }
  }

  private func callEvent(_ type: String, _ call: CallSnapshot, reason: String? = nil) -> EntityMessage {
    var payload: [String: JSONDocument] = ["event_type": .text(type), "user": .text(call.party.userTitle)]
    payload["reason"] = reason.map { .text($0) }
    return .event(plan.topics.state("call"), .object(payload))
  }

  /// A button that calls is a doorbell; its hunt reports each one who is called.
  private mutating func take(_ hunt: HuntSnapshot) -> [EntityMessage] {
    guard buttons.contains(hunt.name) else { return [] }
    switch hunt.state {
    case .calling:
      guard plan.hasButtons, huntsOfButtons.insert(hunt.name).inserted else { return [] }
      let payload: [String: JSONDocument] = ["event_type": .text("press"), "button": .text(hunt.name)]
      return [.event(plan.topics.state("doorbell"), .object(payload))]
    case .answered: return []
    case .ended:
      huntsOfButtons.remove(hunt.name)
      return []
    }
  }

  private mutating func take(_ event: DetectedEvent) -> [EntityMessage] {
    if event.end == nil {
      ongoing[event.source, default: []].insert(event.id)
    } else {
      ongoing[event.source]?.remove(event.id)
    }
    guard plan.sources.contains(where: { $0.name == event.source }) else { return [] }
    return changed([sourceState(event.source)])
  }

  /// An action that is a lock begins or ends to be open.
  public mutating func setUnlocked(_ action: String, _ isUnlocked: Bool) -> [EntityMessage] {
    if isUnlocked { unlocked.insert(action) } else { unlocked.remove(action) }
    return changed(lockStates)
  }

  // MARK: What is

  /// What has changed since the last time.
  ///
  /// - Parameters:
  ///   - figures: nil leaves temperature and disk as they were.
  ///   - isRecording: whether a manual recording runs.
  ///   - position: as others may know it; nil where none is known.
  public mutating func update(
    _ status: DeviceStatus, _ figures: DeviceTelemetry?, isRecording: Bool, position: UserLocation?
  ) -> [EntityMessage] {
    var messages = [message("call_state", callState(status))] + problems(status)
    messages += plan.sources.map { sourceState($0.name) } + lockStates
    messages.append(message("home", status.isHome == true ? "ON" : "OFF"))
    messages.append(message("record", isRecording ? "ON" : "OFF"))
    if let figures { messages += measurements(figures) }
    if plan.hasPosition { messages.append(tracker(position)) }
    let keys = Set(plan.entities.map(\.key))
    return changed(messages.filter { keys.contains(key($0.topic)) })
  }

  private mutating func changed(_ messages: [EntityMessage]) -> [EntityMessage] {
    messages.filter { message in
      guard published[message.topic] != message.payload else { return false }
      published[message.topic] = message.payload
      return true
    }
  }

  private func key(_ topic: String) -> String {
    String(topic.dropFirst(plan.topics.base.count + 1).prefix { $0 != "/" })
  }

  private func message(_ key: String, _ text: String) -> EntityMessage { EntityMessage(plan.topics.state(key), text) }

  private func sourceState(_ source: String) -> EntityMessage {
    message(plan.key(ofSource: source), ongoing[source]?.isEmpty == false ? "ON" : "OFF")
  }

  private var lockStates: [EntityMessage] {
    plan.actions.map { action in
      message(EntityPlan.key(ofAction: action.name), unlocked.contains(action.name) ? "UNLOCKED" : "LOCKED")
    }.filter { message in
      plan.entities.contains { $0.component == .lock && $0.key == key(message.topic) }
    }
  }

  private func callState(_ status: DeviceStatus) -> String {
    let states = status.sessions.map { session in
      switch session.state {
      case "offering", "calling", "alerting": "calling"
      case "delaying", "ringing": "ringing"
      default: "connected"
      }
    }
    return ["connected", "ringing", "calling"].first { states.contains($0) } ?? "idle"
  }

  private func problems(_ status: DeviceStatus) -> [EntityMessage] {
    let texts = (status.problems ?? []).filter(\.lasts).map { "\($0.title): \($0.text)" }.prefix(Self.maxProblems)
    return [
      message("problem", texts.isEmpty ? "OFF" : "ON"),
      EntityMessage(plan.topics.attributes("problem"), .object(["problems": .list(texts.map { .text($0) })])),
    ]
  }

  private func measurements(_ figures: DeviceTelemetry) -> [EntityMessage] {
    var messages: [EntityMessage] = []
    if let disk = figures.media.disk { messages.append(message("disk", "\(disk.free - disk.free % Self.diskStep)")) }
    if let celsius = figures.system.temperatures.map(\.celsius).max(), let whole = Int(exactly: celsius.rounded()) {
      messages.append(message("temperature", "\(whole)"))
    }
    return messages
  }

  private func tracker(_ position: UserLocation?) -> EntityMessage {
    var attributes: [String: JSONDocument] = [:]
    if let position {
      attributes = ["latitude": .number(position.latitude), "longitude": .number(position.longitude)]
      attributes["gps_accuracy"] = position.horizontalAccuracy.map { .number($0) }
    }
    return EntityMessage(plan.topics.attributes("position"), .object(attributes))
  }

  /// A JPEG for an entity that shows images; not retained: the broker is no album.
  public func image(_ key: String, _ jpeg: [UInt8]) -> EntityMessage {
    EntityMessage(plan.topics.image(key), jpeg, isRetained: false)
  }
}
