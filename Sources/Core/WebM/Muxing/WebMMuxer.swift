import MediaCore

/// Writes one WebM file of any number of VP8 and Opus tracks with complete frames, such as both parties of a call.
///
/// Does no I/O. Push frames of all tracks in the order of time; after each push, and after ``finish()``, carry out what
/// ``nextOutput()`` says until it says `.nothing`. Everything but the very last output is appended, so the file can as
/// well be a pipe that leaves that one out. Memory is bounded by one cluster (5 MB and a frame) and the seek points.
///
/// Not for recording: a file that is cut short has no index. See ``WebMWriter``.
public struct WebMMuxer: Sendable {
  /// The next output.
  private enum Step {
    case header
    case clusters
    case completion
    case done
  }

  /// Seek points hold times of six octets; later frames are clamped to their range.
  private static let longestMilliseconds: Int64 = 1 << 47

  private let header: MuxedHeader
  private var step = Step.header
  private var isFinishing = false
  private var cluster = MuxedCluster()
  /// A closed cluster that has not been emitted.
  private var hasClosedCluster = false
  private var closedCluster = EBMLWriter(capacity: 1024 * 1024)
  private var cues: MuxedCues
  private var cuesOffset: UInt64?
  /// By track number: the time of the last frame, and whether the open cluster has a seek point.
  private var lastTimes: [Int64]
  private var hasCue: [Bool]
  /// The track whose key frames open clusters, so that a player that seeks finds one at once.
  private let leadingTrack: Int
  /// The current output, unless it is the closed cluster.
  private var block: [UInt8]?

  /// Size of the file when everything that was closed has been emitted.
  public private(set) var fileByteCount: UInt64
  /// Where the media ends.
  public private(set) var durationMilliseconds: Int64 = 0

  /// - Parameters:
  ///   - tracks: 1 to 126.
  ///   - creationDate: nanoseconds since 2001-01-01 UTC, or `nil` when the clock could not be trusted.
  public init(tracks: [WebMMuxedTrack], title: String = "", creationDate: Int64? = nil) {
    precondition((1...126).contains(tracks.count), "a file has 1 to 126 tracks")
    header = MuxedHeader(tracks: tracks, title: title, creationDate: creationDate)
    fileByteCount = UInt64(header.encode().count)
    cues = MuxedCues(trackCount: tracks.count)
    lastTimes = Array(repeating: -1, count: tracks.count + 1)
    hasCue = Array(repeating: false, count: tracks.count + 1)
    leadingTrack = (tracks.firstIndex { $0.isVideo } ?? 0) + 1
  }

  /// Takes a frame.
  ///
  /// - Parameters:
  ///   - track: its number, from 1.
  ///   - milliseconds: not before the frames pushed so far; a time that its track has had is moved on by 1 ms.
  public mutating func push(
    track: Int, milliseconds: Int64, isKeyFrame: Bool, isDiscardable: Bool = false, payload: RawSpan
  ) {
    precondition(!hasClosedCluster && !isFinishing, "outputs come first")
    let time = max(
      min(milliseconds, Self.longestMilliseconds), lastTimes[track] + 1, cluster.isEmpty ? 0 : cluster.start)
    if !cluster.isEmpty, opensCluster(track, isKeyFrame) || cluster.isFull(at: time, payload: payload.byteCount) {
      closeCluster()
    }
    noteCue(track, isKeyFrame, time)
    noteEnd(track, time, payload)
    lastTimes[track] = time
    cluster.append(
      track: UInt8(clamping: track), milliseconds: time, isKeyFrame: isKeyFrame, isDiscardable: isDiscardable,
      payload: payload)
  }

  /// Ends the input.
  public mutating func finish() {
    if !cluster.isEmpty { closeCluster() }
    isFinishing = true
  }

  /// Decides the next operation on the file.
  public mutating func nextOutput() -> WebMOutput {
    switch step {
    case .header:
      step = .clusters
      return append(header.encode())
    case .clusters where hasClosedCluster:
      hasClosedCluster = false
      block = nil
      return .append
    case .clusters:
      guard isFinishing else { return .nothing }
      step = .completion
      return cues.points.isEmpty ? complete() : appendCues()
    case .completion: return complete()
    case .done: return .nothing
    }
  }

  /// Lends the bytes of the output that `nextOutput` announced.
  public func withOutput<Result, Failure: Error>(
    _ body: (RawSpan) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    if let block { return try unsafe body(block.span.bytes) }
    return try closedCluster.withBytes(body)
  }
}

extension WebMMuxer {
  private func opensCluster(_ track: Int, _ isKeyFrame: Bool) -> Bool {
    track == leadingTrack && isKeyFrame && header.tracks[track - 1].isVideo
  }

  private mutating func closeCluster() {
    cluster.close(into: &closedCluster)
    hasClosedCluster = true
    fileByteCount += UInt64(closedCluster.count)
    for index in hasCue.indices { hasCue[index] = false }
  }

  /// Video key frames are seek points; of audio, only a file without video needs any.
  private mutating func noteCue(_ track: Int, _ isKeyFrame: Bool, _ time: Int64) {
    let isFrame = header.tracks[track - 1].isVideo
    guard isKeyFrame, !hasCue[track], isFrame || (track == leadingTrack) else { return }
    hasCue[track] = true
    cues.offer(.init(milliseconds: time, trackNumber: UInt8(clamping: track), clusterOffset: fileByteCount))
  }

  /// A frame is taken to last as long as the one before it.
  private mutating func noteEnd(_ track: Int, _ time: Int64, _ payload: RawSpan) {
    var duration = Int64(OpusPacket.sampleCount(payload) / 48)
    if header.tracks[track - 1].isVideo {
      duration = lastTimes[track] < 0 ? WebMTiming.loneFrameMilliseconds : min(1_000, time - lastTimes[track])
    }
    durationMilliseconds = max(durationMilliseconds, time + duration)
  }

  private mutating func append(_ bytes: [UInt8]) -> WebMOutput {
    block = bytes
    return .append
  }

  private mutating func appendCues() -> WebMOutput {
    let bytes = cues.encode()
    cuesOffset = fileByteCount
    fileByteCount += UInt64(bytes.count)
    return append(bytes)
  }

  private mutating func complete() -> WebMOutput {
    step = .done
    block = header.encode(
      .init(fileByteCount: fileByteCount, durationMilliseconds: durationMilliseconds, cuesOffset: cuesOffset))
    return .write(offset: 0)
  }
}
