public import Logging

/// What a log record is about: `journalctl LIVESESSIONS_SESSION=ID` shows all records of a call.
///
/// Other keys of a record's metadata become fields as well.
enum JournalField: String {
  case session, archive, event, camera

  /// The journal's name for a key of metadata, which has capitals, digits and `_`.
  static func name(_ key: String) -> String {
    let letters = key.utf8.prefix(48).map { octet -> UInt8 in
      switch octet {
      case UInt8(ascii: "a")...UInt8(ascii: "z"): octet & ~0x20
      case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "0")...UInt8(ascii: "9"): octet
      default: UInt8(ascii: "_")
      }
    }
    return "LIVESESSIONS_" + String(decoding: letters, as: UTF8.self)
  }
}

/// A message that names what it is about: `"call \(session: id) was answered"` is text, and the record gets a field.
public struct JournalMessage: ExpressibleByStringInterpolation {
  let text: String
  let metadata: Logger.Metadata

  public init(stringLiteral text: String) { (self.text, metadata) = (text, [:]) }
  public init(stringInterpolation: StringInterpolation) {
    (text, metadata) = (stringInterpolation.text, stringInterpolation.metadata)
  }

  public struct StringInterpolation: StringInterpolationProtocol {
    fileprivate var text = ""
    fileprivate var metadata: Logger.Metadata = [:]

    public init(literalCapacity: Int, interpolationCount: Int) {}

    public mutating func appendLiteral(_ literal: String) { text += literal }
    public mutating func appendInterpolation(_ value: some Any) { text += "\(value)" }
    public mutating func appendInterpolation(session id: some CustomStringConvertible) { append(.session, id) }
    public mutating func appendInterpolation(archive id: some CustomStringConvertible) { append(.archive, id) }
    public mutating func appendInterpolation(event id: some CustomStringConvertible) { append(.event, id) }
    public mutating func appendInterpolation(camera name: some CustomStringConvertible) { append(.camera, name) }

    private mutating func append(_ field: JournalField, _ value: some CustomStringConvertible) {
      text += value.description
      metadata[field.rawValue] = "\(value.description)"
    }
  }
}

// Disfavoured, so that messages without fields remain those of swift-log.
extension Logger {
  @_disfavoredOverload public func info(_ message: @autoclosure () -> JournalMessage) { log(level: .info, message()) }
  @_disfavoredOverload public func notice(_ message: @autoclosure () -> JournalMessage) {
    log(level: .notice, message())
  }
  @_disfavoredOverload public func warning(_ message: @autoclosure () -> JournalMessage) {
    log(level: .warning, message())
  }
  @_disfavoredOverload public func error(_ message: @autoclosure () -> JournalMessage) { log(level: .error, message()) }

  @_disfavoredOverload public func log(level: Level, _ message: @autoclosure () -> JournalMessage) {
    guard logLevel <= level else { return }
    let message = message()
    log(level: level, "\(message.text)", metadata: message.metadata)
  }
}
