/// One frame of a file that ``WebMDemuxer`` reads; lend its payload with ``WebMDemuxer/withPayload(of:_:)``.
public struct WebMBlock: Hashable, Sendable {
  /// As declared in the file's Tracks.
  public var trackNumber: UInt8
  /// Milliseconds since the file's zero.
  public var milliseconds: Int64
  /// Refers to no frame before it, as the file says; not looked up in the payload.
  public var isKeyFrame: Bool
  /// No later frame refers to this one.
  public var isDiscardable: Bool
  /// Where the payload lies in the demuxer's memory.
  var payload: Range<Int>
}
