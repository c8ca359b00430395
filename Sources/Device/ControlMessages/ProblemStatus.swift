public import MediaPlaneAPI

/// What does not work, or last did not; a part's last problem is kept when it is over.
public struct ProblemStatus: Codable, Sendable, Hashable {
  public var part: DevicePart
  /// The name of a further camera; absent for all others.
  public var camera: String?
  /// What is wrong, why, and what to do about it, for people.
  public var text: String
  /// Milliseconds since 1970; absent where that is not known.
  public var since: Int64?
  /// When it was over, in milliseconds since 1970; absent while it lasts.
  public var until: Int64?

  public init(part: DevicePart, text: String, since: Int64?, until: Int64? = nil) {
    self.part = part
    self.text = text
    self.since = since
    self.until = until
  }

  /// What it is about, for people.
  public var title: String { camera.map { "\(part.rawValue) \($0)" } ?? part.rawValue }

  /// Whether it is there now.
  public var lasts: Bool { until == nil }
}

/// A service of the daemon that may fail by itself.
public protocol ProblemReporting: Sendable {
  /// What fails, or last failed; nil while nothing has.
  var problem: ProblemStatus? { get async }
}
