extension TextIdentifier where Self: Decodable {
  /// - Throws: `DecodingError.dataCorrupted` for a text that cannot be such an id.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    guard let id = Self(try container.decode(String.self)) else {
      throw DecodingError.dataCorruptedError(in: container, debugDescription: "not a valid \(Self.self)")
    }
    self = id
  }
}

extension TextIdentifier where Self: Encodable {
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(text)
  }
}

extension SessionID: Codable {}
extension ArchiveID: Codable {}
extension CameraName: Codable {}
extension DetectedEventID: Codable {}
extension EventCode: Codable {}
