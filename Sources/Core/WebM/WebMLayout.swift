/// Where things are in a file: fixed, so that finishing and repairing only overwrite and never move bytes.
///
/// ```
/// 0      EBML header, Segment (size unknown until finished), SeekHead, Info, Tracks, Void     512 bytes
/// 512    Void, when finished Cues and a shorter Void                                        20 992 bytes
/// 21504  Cluster, Cluster, …                                              whole, sizes known, with CRC-32
/// ```
///
/// The first block is one disk sector and is only ever rewritten as a whole, so a power cut leaves the old or the
/// new one. The Cues are filled in behind a Void header, and made visible by rewriting that header, which lies in
/// one sector too. Nothing needs new disk space, so that a file can be finished on a full disk.
public enum WebMLayout {
  static let headerByteCount = 512
  static let cuesOffset = headerByteCount
  static let cuesByteCount = 41 * 512
  /// Where the first cluster starts; a shorter file holds no media.
  public static let firstClusterOffset = UInt64(cuesOffset + cuesByteCount)

  /// The largest cluster that is written, and that a scan takes for real.
  static let maximumClusterByteCount = 8 * 1024 * 1024
  /// The largest frame that is written.
  static let maximumFrameByteCount = 4 * 1024 * 1024
}
