/// A bounded list of the comprehension-required attributes that a message carried and we do not know.
public struct STUNUnknownAttributes: Sendable {
  /// More than these are not listed in the error response.
  static let limit = 4

  public private(set) var count = 0
  private var storage: [4 of UInt16] = [0, 0, 0, 0]

  public var isEmpty: Bool { count == 0 }

  public subscript(index: Int) -> STUNAttributeType { STUNAttributeType(rawValue: storage[index]) }

  mutating func append(_ type: STUNAttributeType) {
    guard count < Self.limit else { return }
    storage[count] = type.rawValue
    count += 1
  }
}
