/// What happens to an archive; reported on its own thread, so receivers must not block.
public enum ArchiveEvent: Sendable {
  case started(ArchiveManifest)
  /// It ended as it should: somebody stopped it, or too little space was left.
  case stopped(ArchiveManifest)
  /// The disk failed. What had been written before is kept.
  case failed(ArchiveManifest, ArchiveError)
}
