public import Signalling

/// An archive as lists show it.
public struct ArchiveListing: Hashable, Sendable {
  public var manifest: ArchiveManifest
  /// Bytes: of one that is being recorded, what its files hold by now.
  public var byteCount: UInt64
  /// Its folder.
  public var path: String
  /// Whether it is kept from deletion.
  public var isLocked: Bool
  /// Whether an object store has all of it.
  public var isUploaded: Bool
}
