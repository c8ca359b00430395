public import DeviceConfiguration

/// What Home Assistant reads to find a device's entities, and what an earlier run has left of that at the broker.
public struct DiscoveryDocuments: Sendable {
  /// What stands at the broker, to be kept across restarts.
  public struct Record: Sendable, Hashable {
    /// An entity that Home Assistant has been shown.
    struct Entry: Sendable, Hashable {
      var component: EntityComponent
      var key: String
    }

    var form = MQTTSettings.Discovery.none
    /// The prefix of discovery and the node, by which it was published.
    var discoveryPrefix = ""
    var node = ""
    var entries: [Entry] = []

    /// Nothing has been published.
    public init() {}
  }

  private let form: MQTTSettings.Discovery
  private let topics: EntityTopics
  private let title: String
  private let version: String

  public init(_ form: MQTTSettings.Discovery, _ topics: EntityTopics, title: String, version: String) {
    (self.form, self.topics, self.title, self.version) = (form, topics, title, version)
  }

  /// What is to be published, in order, for these entities to be the only ones that are shown; and what stands at the
  /// broker then.
  public func messages(for plan: EntityPlan, after record: Record) -> ([EntityMessage], Record) {
    let entities = form == .none ? [] : plan.entities
    var current = Record()
    (current.form, current.discoveryPrefix, current.node) = (form, topics.discoveryPrefix, topics.node)
    current.entries = entities.map { Record.Entry(component: $0.component, key: $0.key) }
    let old = EntityTopics(prefix: topics.prefix, node: record.node, discoveryPrefix: record.discoveryPrefix)
    let hasMoved = (old.node, old.discoveryPrefix) != (topics.node, topics.discoveryPrefix)
    let gone = record.entries.filter { hasMoved || !current.entries.contains($0) }
    switch (record.form, form) {
    case (.none, .none): return ([], current)
    case (.none, .device): return ([device(entities, gone: [])], current)
    case (.none, .component): return (entities.map(component), current)
    case (.device, .none): return ([Self.removal(old.deviceDiscovery)], current)
    case (.component, .none): return (record.entries.map { Self.removal(old, $0) }, current)
    case (.device, .device):
      if hasMoved { return ([Self.removal(old.deviceDiscovery), device(entities, gone: [])], current) }
      return (
        [gone.isEmpty ? nil : device(entities, gone: gone), device(entities, gone: [])].compactMap(\.self), current
      )
    case (.component, .component):
      return (gone.map { Self.removal(old, $0) } + entities.map(component), current)
    case (.component, .device):
      return (
        record.entries.map { Self.migration(old.discovery($0.component, $0.key)) } + [device(entities, gone: [])]
          + record.entries.map { Self.removal(old, $0) }, current
      )
    case (.device, .component):
      return (
        [Self.migration(old.deviceDiscovery)] + entities.map(component) + [Self.removal(old.deviceDiscovery)], current
      )
    }
  }

  private static func removal(_ topic: String) -> EntityMessage { EntityMessage(topic, "") }

  private static func removal(_ topics: EntityTopics, _ entry: Record.Entry) -> EntityMessage {
    removal(topics.discovery(entry.component, entry.key))
  }

  /// Announces that the entities move to the other form, so that they keep their names and histories.
  private static func migration(_ topic: String) -> EntityMessage {
    var message = EntityMessage(topic, .object(["migrate_discovery": .flag(true)]), isRetained: false)
    message.isEvent = true
    return message
  }

  // MARK: Documents

  private var shared: [String: JSONDocument] {
    [
      "device": .object([
        "identifiers": .list([.text("livesessions_\(topics.node)")]), "name": .text(title),
        "manufacturer": .text("LiveSessions"), "model": .text("livesessionsd"), "sw_version": .text(version),
      ]),
      "origin": .object(["name": .text("LiveSessions"), "sw_version": .text(version)]),
      "availability": .list([.object(["topic": .text(topics.availability)])]),
    ]
  }

  private func options(_ entity: Entity) -> [String: JSONDocument] {
    var options = entity.options
    options["name"] = .text(entity.name)
    options["unique_id"] = .text(topics.uniqueID(entity.key))
    return options
  }

  private func component(_ entity: Entity) -> EntityMessage {
    let document = options(entity).merging(shared) { option, _ in option }
    return EntityMessage(topics.discovery(entity.component, entity.key), .object(document))
  }

  /// - Parameter gone: entities that are removed by naming nothing but their platform.
  private func device(_ entities: [Entity], gone: [Record.Entry]) -> EntityMessage {
    var components: [String: JSONDocument] = [:]
    for entry in gone { components[entry.key] = .object(["platform": .text(entry.component.rawValue)]) }
    for entity in entities {
      var options = options(entity)
      options["platform"] = .text(entity.component.rawValue)
      components[entity.key] = .object(options)
    }
    var document = shared
    document["components"] = .object(components)
    var message = EntityMessage(topics.deviceDiscovery, .object(document))
    message.isEvent = !gone.isEmpty
    return message
  }
}

// MARK: - On the disk

extension DiscoveryDocuments.Record {
  private static let maxEntries = 256

  /// A line for the form, the prefix and the node, and one for each entity.
  public var text: String {
    (["\(form.rawValue) \(discoveryPrefix) \(node)"] + entries.map { "\($0.component.rawValue) \($0.key)" })
      .map { $0 + "\n" }.joined()
  }

  /// Reads what ``text`` writes; nil for anything else.
  public init?(_ text: String) {
    let lines = text.split(separator: "\n")
    let head = lines.first?.split(separator: " ").map(String.init) ?? []
    guard head.count == 3, let form = MQTTSettings.Discovery(rawValue: head[0]), lines.count <= Self.maxEntries else {
      return nil
    }
    (self.form, discoveryPrefix, node) = (form, head[1], head[2])
    for line in lines.dropFirst() {
      let words = line.split(separator: " ").map(String.init)
      guard words.count == 2, let component = EntityComponent(rawValue: words[0]) else { return nil }
      entries.append(Entry(component: component, key: words[1]))
    }
  }
}
