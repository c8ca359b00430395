/// The topics of one device.
public struct EntityTopics: Sendable, Hashable {
  /// Home Assistant's own last will and birth message.
  public static let birth = "online"

  /// What comes before all of the device's own topics.
  public let prefix: String
  /// The device's name in topics and ids.
  public let node: String
  public let discoveryPrefix: String

  public init(prefix: String, node: String, discoveryPrefix: String) {
    (self.prefix, self.node, self.discoveryPrefix) = (prefix, node, discoveryPrefix)
  }

  public var base: String { "\(prefix)/\(node)" }
  /// `online`, or `offline` as the last will.
  public var availability: String { "\(base)/availability" }
  public func state(_ key: String) -> String { "\(base)/\(key)/state" }
  func attributes(_ key: String) -> String { "\(base)/\(key)/attributes" }
  func image(_ key: String) -> String { "\(base)/\(key)/image" }
  func command(_ key: String) -> String { "\(base)/\(key)/set" }
  /// Where commands arrive.
  public var commands: String { command("+") }
  /// Where Home Assistant says that it has started.
  public var homeAssistantStatus: String { "\(discoveryPrefix)/status" }

  /// The key in a topic of commands; nil for any other topic.
  func key(ofCommand topic: String) -> String? {
    let levels = topic.split(separator: "/", omittingEmptySubsequences: false)
    let own = base.split(separator: "/", omittingEmptySubsequences: false)
    guard levels.count == own.count + 2, levels.starts(with: own), levels[own.count + 1] == "set" else { return nil }
    return String(levels[own.count])
  }

  func discovery(_ component: EntityComponent, _ key: String) -> String {
    "\(discoveryPrefix)/\(component.rawValue)/\(node)/\(key)/config"
  }

  var deviceDiscovery: String { "\(discoveryPrefix)/device/\(node)/config" }

  func uniqueID(_ key: String) -> String { "livesessions_\(node)_\(key)" }

  /// A name as ids permit it: letters, digits, `-` and `_`; others become `-`, never at an end or twice in a row.
  public static func identifier(_ name: String) -> String {
    var text = ""
    for byte in name.lowercased().utf8.prefix(64) {
      let isPlain = (97...122).contains(byte) || (48...57).contains(byte) || byte == UInt8(ascii: "_")
      if isPlain {
        text.unicodeScalars.append(Unicode.Scalar(byte))
      } else if !text.isEmpty, text.last != "-" {
        text.append("-")
      }
    }
    while text.last == "-" { text.removeLast() }
    return text.isEmpty ? "device" : text
  }
}

/// What goes to the broker.
public struct EntityMessage: Sendable, Hashable {
  public var topic: String
  public var payload: [UInt8]
  public var isRetained: Bool
  /// Whether each counts, not the newest of its topic alone.
  public var isEvent = false

  init(_ topic: String, _ payload: [UInt8], isRetained: Bool = true) {
    (self.topic, self.payload, self.isRetained) = (topic, payload, isRetained)
  }

  init(_ topic: String, _ text: String, isRetained: Bool = true) {
    self.init(topic, Array(text.utf8), isRetained: isRetained)
  }

  init(_ topic: String, _ document: JSONDocument, isRetained: Bool = true) {
    self.init(topic, document.octets, isRetained: isRetained)
  }

  /// Something that happens, and is never kept.
  static func event(_ topic: String, _ document: JSONDocument) -> EntityMessage {
    var message = EntityMessage(topic, document, isRetained: false)
    message.isEvent = true
    return message
  }
}
