/// Why a session description was refused, and where.
public struct SDPError: Error, Hashable, Sendable {
  /// The fault of a description.
  public enum Reason: Hashable, Sendable {
    /// More than 64 KiB.
    case tooLong
    /// The first line is not `v=0`.
    case unsupportedVersion
    /// No `letter=value`, or a control character.
    case malformedLine
    case malformedMedia
    /// More than 32 media descriptions.
    case tooManyMedia
    /// The named attribute's value does not follow its grammar.
    case malformedAttribute(String)
  }

  /// The fault.
  public var reason: Reason
  /// Counted from 1; 0 when the description as a whole is meant.
  public var line: Int

  /// - Parameter line: counted from 1; 0 for the description as a whole.
  public init(_ reason: Reason, line: Int) {
    self.reason = reason
    self.line = line
  }
}

extension SDPError: CustomStringConvertible {
  /// The line and its fault, for a log.
  public var description: String {
    switch reason {
    case .tooLong: "SDP longer than \(SessionDescriptionParser.maximumByteCount) octets"
    case .unsupportedVersion: "SDP line \(line): v=0 expected"
    case .malformedLine: "SDP line \(line): malformed line"
    case .malformedMedia: "SDP line \(line): malformed media description"
    case .tooManyMedia: "SDP line \(line): more than \(SessionDescriptionParser.maximumMediaCount) media descriptions"
    case .malformedAttribute(let name): "SDP line \(line): malformed attribute \(name)"
    }
  }
}
