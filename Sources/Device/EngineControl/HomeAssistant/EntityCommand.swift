import ControlMessages
import FoundationEssentials
import MediaCore

/// What a message to one of the device's topics asks for.
public enum EntityCommand: Sendable, Hashable {
  /// An action of the device, by its name.
  case run(action: String, pin: String?)
  /// A lock is to be locked, which it is as soon as its pulse is over.
  case lock(action: String)
  /// Home Assistant has started: it wants to be told what there is.
  case homeAssistantStarted
}

/// Why a message is no command.
public enum EntityCommandError: Error, Sendable, Hashable {
  /// It was kept by the broker: whoever sent it may have done so long ago.
  case retained
  case tooLong
  case unknownTopic
  /// The entity takes no commands, or not this one.
  case unknownCommand
}

extension EntityCommandError: CustomStringConvertible {
  public var description: String {
    switch self {
    case .retained: "it is retained, and may be old: publish commands without the retain flag"
    case .tooLong: "it is longer than \(EntityCommand.longestPayload) octets"
    case .unknownTopic: "the device has no such entity, or policy.toml does not let the caller \"mqtt\" use it"
    case .unknownCommand: "the entity does not take this payload"
    }
  }
}

extension EntityCommand {
  /// Octets of a payload.
  public static let longestPayload = 256

  /// What Home Assistant makes of a lock's `command_template`.
  private struct LockCommand: Decodable {
    var command: String
    var code: String?
  }

  /// Reads a message.
  ///
  /// - Returns: nil for one that is no command and no mistake: Home Assistant's farewell.
  public init?(
    topic: String, payload: [UInt8], isRetained: Bool, _ plan: EntityPlan
  ) throws(EntityCommandError) {
    guard payload.count <= Self.longestPayload else { throw .tooLong }
    let text = String(validating: payload, as: UTF8.self)
    if topic == plan.topics.homeAssistantStatus {
      // It is retained by some: what it asks for harms nobody.
      guard text == EntityTopics.birth else { return nil }
      self = .homeAssistantStarted
      return
    }
    guard !isRetained else { throw .retained }
    guard let key = plan.topics.key(ofCommand: topic), let entity = plan.entities.first(where: { $0.key == key }) else {
      throw .unknownTopic
    }
    guard let text, let command = Self.command(text, of: entity) else { throw .unknownCommand }
    self = command
  }

  private static func command(_ text: String, of entity: Entity) -> EntityCommand? {
    switch entity.command {
    case .none: nil
    case .actions(let on, let off):
      switch text {
      case "ON": .run(action: on, pin: nil)
      case "OFF": .run(action: off, pin: nil)
      default: nil
      }
    case .action(let name):
      entity.component == .lock ? lock(text, name) : text == "PRESS" ? .run(action: name, pin: nil) : nil
    }
  }

  private static func lock(_ text: String, _ action: String) -> EntityCommand? {
    var command = LockCommand(command: text)
    if text.hasPrefix("{") {
      guard JSONNesting.isWithin(2, text.utf8),
        let parsed = try? JSONDecoder().decode(LockCommand.self, from: Data(text.utf8))
      else { return nil }
      command = parsed
    }
    switch command.command {
    case "UNLOCK": return .run(action: action, pin: command.code)
    case "LOCK": return .lock(action: action)
    default: return nil
    }
  }
}

/// How many commands are carried out: bursts of ``burst``, then one each ``interval`` of milliseconds.
public struct CommandAllowance: Sendable {
  public static let burst = 16
  private static let interval: Int64 = 1_000

  private var wholeAt: Int64 = 0
  private var isRefusing = false

  public enum Verdict: Sendable, Hashable {
    case allowed
    /// Too many; `isFirst` of those since the last that was allowed.
    case refused(isFirst: Bool)
  }

  public init() {}

  /// - Parameter now: milliseconds of a clock that is never set back.
  public mutating func take(now: Int64) -> Verdict {
    let next = max(wholeAt, now).saturatingAdding(Self.interval)
    guard next.saturatingSubtracting(now) <= Self.interval * Int64(Self.burst) else {
      defer { isRefusing = true }
      return .refused(isFirst: !isRefusing)
    }
    (wholeAt, isRefusing) = (next, false)
    return .allowed
  }
}
