/// Whom a device has the hub notify of an event: `user:ID` or `group:NAME`.
public enum PushRecipient: Hashable, Sendable {
  case user(String)
  case group(String)

  /// Recipients of one request.
  public static let maxCount = 16

  /// Returns nil for any other text, and for a name that no account can have.
  public init?(_ text: String) {
    let parts = text.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
    guard parts.count == 2, (1...MessageLimits.identifier).contains(parts[1].utf8.count),
      parts[1].utf8.allSatisfy({ (0x21...0x7E).contains($0) })
    else { return nil }
    switch parts[0] {
    case "user": self = .user(parts[1])
    case "group": self = .group(parts[1])
    default: return nil
    }
  }

  public var text: String {
    switch self {
    case .user(let id): "user:\(id)"
    case .group(let name): "group:\(name)"
    }
  }
}

/// `POST /v1/device-events/push`: an event, and whose browsers are to show it.
public struct EventPushRequest: Codable, Sendable {
  /// As in `POST /v1/device-events`.
  public var event: DetectedEvent
  /// In the form of ``PushRecipient``, 1 to ``PushRecipient/maxCount``.
  public var recipients: [String]

  public init(event: DetectedEvent, recipients: [PushRecipient]) {
    (self.event, self.recipients) = (event, recipients.map { $0.text })
  }
}

/// The answer: whom the hub notifies.
public struct EventPushGrant: Codable, Sendable {
  /// Browsers that messages are sent to; 0 where none of these people has subscribed.
  public var browsers: Int

  public init(browsers: Int) { self.browsers = browsers }
}

/// What a push message about an event says, as JSON; never the image itself, since a message has 3,000 bytes at most.
public struct EventPushMessage: Codable, Sendable, Equatable {
  public static let kind = "device.event"

  public var kind = Self.kind
  public var deviceID: String
  public var deviceTitle: String
  public var eventID: String
  /// The name of an ``EventKind``.
  public var eventKind: String
  /// The kind's name for people who speak English, for pages that do not know the kind.
  public var label: String
  /// The source's name at the device.
  public var source: String
  public var camera: String?
  public var detail: String?
  /// The device's rule: a later message of the same rule takes the place of this one.
  public var rule: String
  /// When the event began, in milliseconds since 1970 by the device's clock.
  public var time: Int64
  /// For `GET /v1/event-images/{deviceID}/{eventID}`; nil for those who may not see the device's events.
  public var imageTicket: String?

  public init(_ event: DetectedEvent, deviceID: String, deviceTitle: String, imageTicket: String?) {
    (self.deviceID, self.deviceTitle, self.imageTicket) = (deviceID, deviceTitle, imageTicket)
    (eventID, eventKind, source, camera) = (event.id, event.kind, event.source, event.camera)
    (detail, rule, time) = (event.detail, event.rule ?? "", event.start)
    label = event.knownKind?.facts.label ?? event.kind
  }
}
