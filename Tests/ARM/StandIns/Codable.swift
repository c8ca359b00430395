// Embedded Swift has no Codable. With these the types of Signalling that carry the conformance compile there; nothing is
// encoded or decoded.

public protocol Encodable {}
public protocol Decodable {}
public typealias Codable = Decodable & Encodable
public protocol CodingKey {}
