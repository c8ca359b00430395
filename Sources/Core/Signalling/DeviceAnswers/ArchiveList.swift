/// What a device answers to `GET …/archives`, as OpenTok's REST API shapes it.
public struct ArchiveList: Codable, Hashable, Sendable {
  /// Of all; `items` may be fewer.
  public var count: Int
  /// The newest first.
  public var items: [ArchiveManifest]

  public init(count: Int, items: [ArchiveManifest]) {
    self.count = count
    self.items = items
  }
}
