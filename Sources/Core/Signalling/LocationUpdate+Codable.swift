extension LocationUpdate: Codable {
  public init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    self = container.decodeNil() ? .withdrawn : .at(try container.decode(UserLocation.self))
  }

  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    if case .at(let location) = self { try container.encode(location) } else { try container.encodeNil() }
  }
}

// What the compiler makes for a type with a ``LocationUpdate`` calls these, so that no change is an absent member.
extension KeyedDecodingContainer {
  func decode(_ type: LocationUpdate.Type, forKey key: Key) throws -> LocationUpdate {
    guard contains(key) else { return .unchanged }
    return try LocationUpdate(from: superDecoder(forKey: key))
  }
}

extension KeyedEncodingContainer {
  mutating func encode(_ value: LocationUpdate, forKey key: Key) throws {
    if value != .unchanged { try value.encode(to: superEncoder(forKey: key)) }
  }
}
