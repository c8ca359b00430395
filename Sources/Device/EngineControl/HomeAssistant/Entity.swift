public import DeviceConfiguration
public import Signalling

/// The platforms of Home Assistant that a device uses.
enum EntityComponent: String, Sendable, Hashable, CaseIterable {
  case binarySensor = "binary_sensor"
  case button
  case camera
  case deviceTracker = "device_tracker"
  case event
  case image
  case lock
  case sensor
  case `switch`
}

/// Something of the device that Home Assistant shows, or lets be done.
struct Entity: Sendable, Hashable {
  /// What a command to it means.
  enum Command: Sendable, Hashable {
    case none
    /// An action of the device, by its name; a lock's may bring a PIN.
    case action(String)
    /// What is on or off, by an action each.
    case actions(on: String, off: String)
  }

  /// Unique on the device; letters, digits, `-` and `_`.
  var key: String
  var component: EntityComponent
  var name: String
  var command = Command.none
  /// What discovery says of it, beside names and ids.
  var options: [String: JSONDocument]
}

/// What decides which entities a device has.
public struct EntityPlan: Sendable, Hashable {
  /// An action that the policy lets who speaks MQTT use at some time.
  public struct Action: Sendable, Hashable {
    public var name: String
    public var needsPIN: Bool

    public init(name: String, needsPIN: Bool) {
      self.name = name
      self.needsPIN = needsPIN
    }
  }

  /// A source of events.
  public struct Source: Sendable, Hashable {
    public var name: String
    public var kind: EventKind

    public init(name: String, kind: EventKind) {
      self.name = name
      self.kind = kind
    }
  }

  public var topics: EntityTopics
  public var sources: [Source] = []
  public var actions: [Action] = []
  /// Those that set who is at home or what is recorded, by their names.
  public var homeActions: [String: Bool] = [:]
  public var recordActions: [String: Bool] = [:]
  /// Actions that are locks.
  public var locks: Set<String> = []
  public var images = MQTTSettings.Images.none
  public var hasButtons = false
  public var hasPosition = false
  public var hasTemperature = false

  public init(topics: EntityTopics) { self.topics = topics }

  var entities: [Entity] {
    events + sensors + sources.map(binarySensor) + images(images) + switches + actions.compactMap(control)
      + (hasPosition ? [tracker] : [])
  }
}

// MARK: - What is seen

extension EntityPlan {
  static let callEvents = ["incoming", "outgoing", "connected", "ended", "rejected"]
  static let callStates = ["idle", "ringing", "calling", "connected"]

  private var events: [Entity] {
    var call = Entity(key: "call", component: .event, name: "Call", options: [:])
    call.options = [
      "state_topic": .text(topics.state("call")), "event_types": .list(Self.callEvents.map { .text($0) }),
    ]
    guard hasButtons else { return [call] }
    let doorbell = Entity(
      key: "doorbell", component: .event, name: "Doorbell",
      options: [
        "state_topic": .text(topics.state("doorbell")), "event_types": .list([.text("press")]),
        "device_class": .text("doorbell"),
      ])
    return [doorbell, call]
  }

  private var sensors: [Entity] {
    let callState = Entity(
      key: "call_state", component: .sensor, name: "Call state",
      options: [
        "state_topic": .text(topics.state("call_state")), "device_class": .text("enum"),
        "options": .list(Self.callStates.map { .text($0) }),
      ])
    let problem = Entity(
      key: "problem", component: .binarySensor, name: "Problem",
      options: [
        "state_topic": .text(topics.state("problem")), "device_class": .text("problem"),
        "entity_category": .text("diagnostic"), "json_attributes_topic": .text(topics.attributes("problem")),
      ])
    let disk = measurement("disk", "Free disk space", deviceClass: "data_size", unit: "B")
    return [callState, problem, disk]
      + (hasTemperature ? [measurement("temperature", "Temperature", deviceClass: "temperature", unit: "°C")] : [])
  }

  private func measurement(_ key: String, _ name: String, deviceClass: String, unit: String) -> Entity {
    Entity(
      key: key, component: .sensor, name: name,
      options: [
        "state_topic": .text(topics.state(key)), "device_class": .text(deviceClass),
        "unit_of_measurement": .text(unit), "state_class": .text("measurement"),
        "entity_category": .text("diagnostic"),
      ])
  }

  /// What two names have in common once they are ids, one of them gets a number for.
  func key(ofSource name: String) -> String {
    let id = "event_\(EntityTopics.identifier(name))"
    let same = sources.prefix { $0.name != name }.count { "event_\(EntityTopics.identifier($0.name))" == id }
    return same == 0 ? id : "\(id)_\(same + 1)"
  }

  private func binarySensor(_ source: Source) -> Entity {
    let key = key(ofSource: source.name)
    var options: [String: JSONDocument] = ["state_topic": .text(topics.state(key))]
    if let deviceClass = source.kind.deviceClass { options["device_class"] = .text(deviceClass) }
    return Entity(key: key, component: .binarySensor, name: source.name, options: options)
  }

  private func images(_ images: MQTTSettings.Images) -> [Entity] {
    guard images != .none else { return [] }
    let last = Entity(
      key: "last_event", component: .image, name: "Last event",
      options: ["image_topic": .text(topics.image("last_event")), "content_type": .text("image/jpeg")])
    // Without snapshots the camera shows the same.
    let shown = images == .snapshots ? "camera" : "last_event"
    let camera = Entity(
      key: "camera", component: .camera, name: "Camera", options: ["topic": .text(topics.image(shown))])
    return [last, camera]
  }

  private var tracker: Entity {
    Entity(
      key: "position", component: .deviceTracker, name: "Position",
      options: ["json_attributes_topic": .text(topics.attributes("position")), "source_type": .text("gps")])
  }
}

extension EventKind {
  /// The class of Home Assistant's binary sensors; nil where none fits.
  var deviceClass: String? {
    switch self {
    case .motion: "motion"
    case .tamper: "tamper"
    case .sound: "sound"
    case .smokeAlarm: "smoke"
    case .temperature: "heat"
    case .power: "problem"
    case .geofence, .speed, .input, .dark: nil
    }
  }
}

// MARK: - What is done

extension EntityPlan {
  private var switches: [Entity] {
    [onOff("home", "At home", homeActions), onOff("record", "Recording", recordActions)].compactMap(\.self)
  }

  /// Nil unless the policy allows both of what a switch does.
  private func onOff(_ key: String, _ name: String, _ effects: [String: Bool]) -> Entity? {
    func action(_ isOn: Bool) -> String? {
      actions.first { !$0.needsPIN && effects[$0.name] == isOn }?.name
    }
    guard let on = action(true), let off = action(false) else { return nil }
    return Entity(
      key: key, component: .switch, name: name, command: .actions(on: on, off: off),
      options: ["state_topic": .text(topics.state(key)), "command_topic": .text(topics.command(key))])
  }

  static func key(ofAction name: String) -> String { "action_\(EntityTopics.identifier(name))" }

  private func control(_ action: Action) -> Entity? {
    let key = Self.key(ofAction: action.name)
    guard action.needsPIN || locks.contains(action.name) else {
      return Entity(
        key: key, component: .button, name: action.name, command: .action(action.name),
        options: ["command_topic": .text(topics.command(key))])
    }
    var options: [String: JSONDocument] = [
      "state_topic": .text(topics.state(key)), "command_topic": .text(topics.command(key)),
    ]
    if action.needsPIN {
      options["code_format"] = .text("^.{1,64}$")
      options["command_template"] = .text("{{ {'command': value, 'code': code} | tojson }}")
    }
    return Entity(key: key, component: .lock, name: action.name, command: .action(action.name), options: options)
  }
}
