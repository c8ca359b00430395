public import MediaCore

/// Why the device does not publish, for people.
public struct PublishFailure: Error, Sendable, Hashable, CustomStringConvertible {
  public enum Course: Sendable, Hashable {
    /// May pass by itself.
    case passing
    /// Lasts until somebody changes something; it is tried less often.
    case lasting
  }

  public var problem: String
  public var remedy: String
  public var course: Course
  /// How long the server asks to wait.
  public var retryAfter: TimeSpan?

  public init(_ problem: String, remedy: String, _ course: Course = .passing, retryAfter: TimeSpan? = nil) {
    self.problem = problem
    self.remedy = remedy
    self.course = course
    self.retryAfter = retryAfter
  }

  public var description: String { "\(problem); \(remedy)" }
}

extension PublishFailure {
  static let noPath = PublishFailure(
    "media finds no path to the server", remedy: "see whether UDP gets there, or let the server name a TURN server")
  static let ended = PublishFailure("the server has ended the session", remedy: "its log says why")
  static let lost = PublishFailure("the connection was lost", remedy: "it is tried again")
  static let restartUnanswered = PublishFailure(
    "after a change of the network the server did not answer", remedy: "a new session begins")
}
