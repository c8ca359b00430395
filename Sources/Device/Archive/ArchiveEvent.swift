public import Signalling

/// What happens to an archive; reported on its own thread, so receivers must not block.
public enum ArchiveEvent: Sendable {
  case started(ArchiveManifest)
  /// For the first time the disk was slower than the stream's memory is large; frames are lost until it catches up.
  case fellBehind(ArchiveManifest, droppedFrames: Int)
  /// For the first time a stream brought more than it may write; its video is left out until a key frame fits again.
  case exceededRate(ArchiveManifest, streamID: String)
  /// It ended as it should: it was stopped, or too little space was left.
  case stopped(ArchiveManifest)
  /// The disk failed. What had been written before is kept.
  case failed(ArchiveManifest, ArchiveError)
}
