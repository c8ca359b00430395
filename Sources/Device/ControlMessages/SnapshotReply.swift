import FoundationEssentials

/// The input of `Snapshot`.
public struct SnapshotParameters: VarlinkParameters {
  /// The name of a further camera; the main one without it.
  public var camera: String?
  public init(camera: String? = nil) { self.camera = camera }
}

/// A snapshot of a camera; in base64 (RFC 4648) on the wire.
public struct SnapshotReply: Codable, Sendable {
  /// A JPEG.
  public var picture: [UInt8]

  public init(picture: [UInt8]) { self.picture = picture }

  private enum CodingKeys: CodingKey {
    case picture
  }

  public init(from decoder: any Decoder) throws {
    picture = Array(try decoder.container(keyedBy: CodingKeys.self).decode(Data.self, forKey: .picture))
  }

  public func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(Data(picture), forKey: .picture)
  }
}
