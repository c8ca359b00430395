/// An archive as lists show it.
public struct ArchiveListing: Hashable, Sendable {
  public var manifest: ArchiveManifest
  /// Its folder.
  public var path: String
  /// Whether it is kept from deletion.
  public var isLocked: Bool
}
