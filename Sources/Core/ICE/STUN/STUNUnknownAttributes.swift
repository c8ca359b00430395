/// A bounded list of the comprehension-required attributes that a message carried and we do not know.
public struct STUNUnknownAttributes: Sendable {
  /// More than these are not listed in the error response.
  static let limit = 4

  /// How many are listed, 0 to 4.
  public private(set) var count = 0
  private var storage: [4 of UInt16] = [0, 0, 0, 0]

  /// Whether all were known.
  public var isEmpty: Bool { count == 0 }

  /// - Parameter index: 0 to ``count`` − 1, in the order of the message.
  public subscript(index: Int) -> STUNAttributeType { STUNAttributeType(rawValue: storage[index]) }

  mutating func append(_ type: STUNAttributeType) {
    guard count < Self.limit else { return }
    storage[count] = type.rawValue
    count += 1
  }
}
