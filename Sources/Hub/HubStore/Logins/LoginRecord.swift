/// One login and the tokens that were renewed from it, one after the other: a family, of which the newest alone is good for
/// a renewal.
public struct LoginRecord: Sendable, Equatable, Codable {
  /// Where a token was given or renewed.
  public struct Origin: Sendable, Equatable, Codable {
    private static let maximumBytes = 256

    public var address: String
    /// What the program there calls itself.
    public var client: String

    /// Cuts off what is too long.
    public init(address: String, client: String) {
      self.address = Self.bounded(address)
      self.client = Self.bounded(client)
    }

    private static func bounded(_ text: String) -> String {
      String(decoding: text.utf8.prefix(maximumBytes), as: UTF8.self)
    }
  }

  public var id: String
  public var userID: String
  /// Of the newest token.
  public var number: Int64
  /// Milliseconds since 1970.
  public var startedAt: Int64
  /// When the newest token was given, in milliseconds since 1970.
  public var renewedAt: Int64
  /// When no token of it can be renewed any more, in milliseconds since 1970; it is forgotten then.
  public var expiresAt: Int64
  public var origin: Origin
  /// How often the token before the newest was renewed once more.
  public var repetitions: Int64

  public init(
    id: String, userID: String, number: Int64 = 0, startedAt: Int64, renewedAt: Int64, expiresAt: Int64,
    origin: Origin, repetitions: Int64 = 0
  ) {
    self.id = id
    self.userID = userID
    self.number = number
    self.startedAt = startedAt
    self.renewedAt = renewedAt
    self.expiresAt = expiresAt
    self.origin = origin
    self.repetitions = repetitions
  }
}

/// What a renewal means to its login.
public enum LoginRenewal: Sendable, Equatable {
  /// The login continues with a further token.
  case next(LoginRecord)
  /// The client did not get the newest token, or asked twice at the same time: it is given one of the same number.
  case repeated(LoginRecord)
  /// An older token than the newest: two have one login, and one of them stole it.
  case reused
}

extension LoginRecord {
  /// For how long after a renewal the token before may be renewed once more, by the same program: an answer may get lost, and
  /// the page asks again within 35 s. In milliseconds.
  public static let repetitionGrace: Int64 = 120_000
  /// And how often.
  public static let maximumRepetitions: Int64 = 6

  /// What to make of a renewal by the token of this number.
  ///
  /// - Parameters:
  ///   - now: in milliseconds since 1970.
  ///   - expiresAt: of the record that the next token makes.
  public func renewal(number: Int64, from origin: Origin, now: Int64, expiresAt: Int64) -> LoginRenewal {
    if number < self.number {
      guard mayRepeat(number, from: origin, now: now) else { return .reused }
      var record = self
      record.repetitions += 1
      return .repeated(record)
    }
    // A greater one was given before the store lost its last moments.
    let (next, isOverflow) = number.addingReportingOverflow(1)
    guard !isOverflow else { return .reused }
    var record = self
    record.number = next
    (record.renewedAt, record.expiresAt, record.origin, record.repetitions) = (now, expiresAt, origin, 0)
    return .next(record)
  }

  private func mayRepeat(_ number: Int64, from origin: Origin, now: Int64) -> Bool {
    let (age, isOverflow) = now.subtractingReportingOverflow(renewedAt)
    return number == self.number - 1 && !isOverflow && age <= Self.repetitionGrace
      && repetitions < Self.maximumRepetitions && origin.client == self.origin.client
  }
}
