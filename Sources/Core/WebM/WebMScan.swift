import MediaCore

/// Something about a file that is not as it should be.
public enum WebMFinding: Hashable, Sendable {
  /// The first block is not one that ``WebMWriter`` wrote. A repair makes a new one if the clusters are ours.
  case headerUnreadable
  /// Bytes after the last whole cluster.
  case tornTail(offset: UInt64, byteCount: UInt64)
  /// A damaged cluster within the file; players can skip it.
  case clusterDamaged(offset: UInt64)
  /// Bytes between two whole clusters that are no cluster; players may stop there.
  case gap(offset: UInt64, byteCount: UInt64)
  /// Duration, Cues and size are missing or say something else than the clusters.
  case unfinished
}

/// The content of a file's first block.
public enum WebMBeginning: Sendable {
  /// A header of ``WebMWriter``, or as much of one as reached the disk.
  case header
  /// Zeros, or nothing: none of it has reached the disk.
  case blank
  /// Something else: the file is foreign, unless its clusters are ours.
  case other
}

/// What a scan of a file found.
public struct WebMScan: Sendable {
  /// The faults in file order; empty for a sound file.
  public internal(set) var findings: [WebMFinding] = []
  /// `nil` if the file is not ours; made from what the clusters say if the file's own is unreadable.
  public internal(set) var header: WebMHeader?
  /// What the file begins with.
  public internal(set) var beginning = WebMBeginning.other
  /// Octets of the file as it is.
  public internal(set) var fileByteCount: UInt64 = 0
  /// Where the last whole cluster ends: the rest should be cut off.
  public internal(set) var validByteCount: UInt64 = 0
  /// Whole clusters.
  public internal(set) var clusters = 0
  /// Where the media ends, counted from the file's first frame.
  public internal(set) var durationMilliseconds: Int64 = 0
  /// Frames of whole clusters; counted by a full scan only.
  public internal(set) var audioFrames = 0
  /// The same for video.
  public internal(set) var videoFrames = 0
  var cues = CueTable()

  /// Whether there is nothing to play.
  public var isEmpty: Bool { clusters == 0 }

  /// The patches, in this order and each on the disk before the next, after the file has been cut to
  /// `validByteCount`. Doing it again does no harm. Empty when nothing can or need be done.
  public func repairs() -> [WebMPatch] {
    guard let header, !isEmpty else { return [] }
    var patches: [WebMPatch] = []
    for case .gap(let offset, let byteCount) in findings {
      if let patch = WebMPatch.hidingGap(at: offset, byteCount: byteCount) { patches.append(patch) }
    }
    guard findings.contains(.unfinished) else { return patches }
    return patches
      + WebMPatch.finishing(
        header, cues: cues, fileByteCount: validByteCount, durationMilliseconds: durationMilliseconds,
        hasOldCues: true)
  }
}
