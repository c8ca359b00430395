/// The types of signals by which the other party of a call has a device's actions done. Their data are JSON objects of
/// the structures below. A hub passes them on like chat.
public enum ActionSignal {
  /// From the device when the call is connected, and while it rings at those whom a device calls: ``ActionOffers``.
  public static let offers = "actions"
  /// To the device: ``ActionCommand``.
  public static let command = "action"
  /// The device's answer: ``ActionAnswer``.
  public static let result = "action.result"
}

/// What the party may have done.
public struct ActionOffers: Codable, Sendable, Hashable {
  public struct Offer: Codable, Sendable, Hashable {
    public var name: String
    public var needsPIN: Bool
    /// Whether it is offered before the call is answered, too; absent: not.
    public var isProminent: Bool?

    public init(name: String, needsPIN: Bool, isProminent: Bool? = nil) {
      self.name = name
      self.needsPIN = needsPIN
      self.isProminent = isProminent
    }
  }

  public var actions: [Offer]

  public init(actions: [Offer]) { self.actions = actions }
}

/// Requests an action.
public struct ActionCommand: Codable, Sendable {
  public var name: String
  /// Secret.
  public var pin: String?

  public init(name: String, pin: String?) {
    self.name = name
    self.pin = pin
  }
}

/// What became of it.
public struct ActionAnswer: Codable, Sendable, Hashable {
  public var name: String
  public var isDone: Bool
  /// Why it was not done: `not-allowed`, `unknown-action`, `rate-limited`, `pin-needed`, `wrong-pin`, `locked`,
  /// `not-possible`, `busy`, `failed` or a later code.
  public var reason: String?
  /// Seconds until it may be retried.
  public var wait: Int?

  public init(name: String, isDone: Bool, reason: String? = nil, wait: Int? = nil) {
    self.name = name
    self.isDone = isDone
    self.reason = reason
    self.wait = wait
  }
}
