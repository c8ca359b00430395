public import MediaCore

/// The digits that request an action: 1 to 8 digits.
public struct DTMFCode: Sendable, Hashable {
  public static let maxDigits = 8

  public let digits: [DTMFDigit]

  /// Nil for a text that has other characters than a telephone's, none or too many.
  public init?(_ text: String) {
    let digits = text.unicodeScalars.compactMap { DTMFDigit($0) }
    guard digits.count == text.unicodeScalars.count, (1...Self.maxDigits).contains(digits.count) else { return nil }
    self.digits = digits
  }

  /// Whether one begins with the other, so that only the shorter one can be dialled.
  public func overlaps(_ other: DTMFCode) -> Bool {
    digits.starts(with: other.digits) || other.digits.starts(with: digits)
  }
}

extension DTMFCode: CustomStringConvertible {
  public var description: String { digits.map { $0.description }.joined() }
}

/// An action that can be dialled.
public struct DialledAction: Sendable, Hashable {
  public var name: String
  public var code: DTMFCode
  /// The PIN follows the code, and # the PIN.
  public var needsPIN: Bool

  public init(name: String, code: DTMFCode, needsPIN: Bool) {
    self.name = name
    self.code = code
    self.needsPIN = needsPIN
  }
}

/// What one party has dialled so far: an action's code, then its PIN and # where it needs one. * gives a PIN up.
public struct DTMFEntry: Sendable {
  /// An action that is dialled to the end.
  public struct Command: Sendable, Hashable {
    public var name: String
    /// Secret.
    public var pin: String?
  }

  /// A longer pause between two digits restarts the entry.
  private static let longestPause = TimeSpan.seconds(5)
  private static let longestPIN = 64

  private var digits: [DTMFDigit] = []
  /// The action whose PIN is being dialled.
  private var awaitsPIN: String?
  private var last: MonotonicInstant?

  public init() {}

  /// Whether the next digit will restart the entry.
  public func isAbandoned(now: MonotonicInstant) -> Bool { last.map { now - $0 > Self.longestPause } ?? true }

  /// Takes one digit; returns the requested action when it is the last one.
  ///
  /// - Parameter actions: no code of theirs begins with another one.
  public mutating func take(_ digit: DTMFDigit, of actions: [DialledAction], now: MonotonicInstant) -> Command? {
    if isAbandoned(now: now) { clear() }
    last = now
    return awaitsPIN == nil ? takeOfCode(digit, actions) : takeOfPIN(digit)
  }

  private mutating func clear() {
    digits = []
    awaitsPIN = nil
  }

  private mutating func takeOfCode(_ digit: DTMFDigit, _ actions: [DialledAction]) -> Command? {
    digits.append(digit)
    // Whatever no code begins with was dialled for something else.
    while !digits.isEmpty, !actions.contains(where: { $0.code.digits.starts(with: digits) }) { digits.removeFirst() }
    guard let action = actions.first(where: { $0.code.digits == digits }) else { return nil }
    clear()
    if action.needsPIN { awaitsPIN = action.name }
    return action.needsPIN ? nil : Command(name: action.name)
  }

  private mutating func takeOfPIN(_ digit: DTMFDigit) -> Command? {
    guard let name = awaitsPIN else { return nil }
    switch digit {
    case .star: clear()
    case .pound:
      let pin = digits.map { $0.description }.joined()
      clear()
      return Command(name: name, pin: pin)
    case _ where digits.count == Self.longestPIN: clear()
    default: digits.append(digit)
    }
    return nil
  }
}
