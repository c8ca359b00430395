public import MediaCore

/// What has to be done to the file next; the bytes are lent by ``WebMWriter/withOutput(_:)``.
public enum WebMOutput: Hashable, Sendable {
  /// Nothing until more frames come or time passes, or for good after ``WebMWriter/finish()``.
  case nothing
  /// Append the bytes.
  case append
  /// Overwrite at this offset.
  case write(offset: UInt64)
}

/// Muxes one VP8 and one Opus stream, or either alone, into a WebM file that a power cut hardly hurts.
///
/// Does no I/O. Push frames, then carry out what ``nextOutput(now:)`` says until it says `.nothing`; each output has
/// to be on the disk (fdatasync) before the next is asked for. Clusters come out whole, and a file that ends
/// after any of them plays as it is. See ``WebMLayout`` for why finishing is cheap and safe.
///
/// A track is declared when its first frame goes out, so nobody has to know beforehand which will come. Frames
/// are copied when pushed; nothing allocates after warm-up until `finish()`.
///
/// Not for streams with other codecs, and not for reading files: see ``WebMScanner``.
public struct WebMWriter: Sendable {
  private enum State {
    case recording
    case finishing([WebMPatch], next: Int)
  }

  /// What has been handed out so far.
  public struct Statistics: Hashable, Sendable {
    public var audioFrames = 0
    public var videoFrames = 0
    public var clusters = 0
    /// Frames refused since they were empty, too large or without a sensible time.
    public var refused = 0
  }

  private var state = State.recording
  private var header: WebMHeader
  private var stage: ClusterStage
  private var encoder = ClusterEncoder()
  private var cues = CueTable()
  /// Tracks that staged frames need and the header does not declare yet.
  private var announced: (video: WebMVideoTrack?, audio: WebMAudioTrack?) = (nil, nil)
  /// The current output, unless it is the encoder's cluster.
  private var block: [UInt8]?

  public private(set) var statistics = Statistics()
  /// Size of the file once all outputs have been carried out.
  public private(set) var fileByteCount: UInt64 = 0
  /// Where the media that was handed out ends, counted from the file's first frame.
  public private(set) var durationMilliseconds: Int64 = 0

  /// - Parameter creationDate: nanoseconds since 2001-01-01 UTC, or `nil` when the clock cannot be trusted.
  public init(creationDate: Int64? = nil, timing: WebMTiming = WebMTiming()) {
    header = WebMHeader(creationDate: creationDate)
    stage = ClusterStage(timing: timing)
  }

  /// When the file's zero was captured; known once the first output has been handed out.
  public var firstTimestamp: MonotonicInstant? { encoder.origin.map { MonotonicInstant(nanoseconds: $0) } }

  /// Whether the file has this track, or will have it with the next cluster.
  public func hasTrack(_ kind: MediaKind) -> Bool {
    kind == .video ? (header.video ?? announced.video) != nil : (header.audio ?? announced.audio) != nil
  }

  /// Takes a frame. The first of a video track has to be a key frame, and no frame may refer to one that is missing.
  ///
  /// - Returns: false, and counts it, when the frame cannot be written at all.
  @discardableResult
  public mutating func push(_ frame: EncodedFrameHeader, payload: RawSpan, now: MonotonicInstant) -> Bool {
    guard !payload.isEmpty, payload.byteCount <= WebMLayout.maximumFrameByteCount,
      (0..<1 << 62).contains(frame.timestamp.nanoseconds), frame.duration < .seconds(60), announce(frame, payload)
    else {
      statistics.refused += 1
      return false
    }
    stage.push(frame, payload: payload, now: now)
    return true
  }

  /// Notes the track of a kind's first frame. Returns false for video that nobody could decode.
  private mutating func announce(_ frame: EncodedFrameHeader, _ payload: RawSpan) -> Bool {
    guard !hasTrack(frame.kind) else { return true }
    if frame.kind == .audio {
      announced.audio = WebMAudioTrack(channels: OpusPacket.isStereo(payload) ? 2 : 1)
      return true
    }
    guard frame.isKeyFrame else { return false }
    let size = VP8KeyFrame.size(payload) ?? (frame.width, frame.height)
    announced.video = WebMVideoTrack(width: size.width, height: size.height)
    return true
  }

  /// No more frames come: from now on `nextOutput` hands out the rest.
  public mutating func finish() {
    if case .recording = state { state = .finishing([], next: 0) }
  }

  /// Decides what has to be done next. Call again, once that is on the disk, until it says `.nothing`.
  public mutating func nextOutput(now: MonotonicInstant) -> WebMOutput {
    switch state {
    case .recording:
      guard let cut = stage.dueCut(now: now) else { return .nothing }
      return nextOutput(before: cut)
    case .finishing(let patches, let next):
      if let cut = stage.finalCut { return nextOutput(before: cut) }
      return nextPatch(patches, next)
    }
  }

  /// Lends the bytes of the output that `nextOutput` announced.
  public func withOutput<Result, Failure: Error>(
    _ body: (RawSpan) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    if let block { return try unsafe body(block.span.bytes) }
    return try encoder.output.withBytes(body)
  }
}

extension WebMWriter {
  /// Declares tracks first, if the cluster needs any; then the cluster.
  private mutating func nextOutput(before cut: Int64) -> WebMOutput {
    if declareTracks(before: cut) {
      guard fileByteCount == 0 else {
        block = header.encode()
        return .write(offset: 0)
      }
      block = header.encode() + CueTable.encodeReservation()
      fileByteCount = WebMLayout.firstClusterOffset
      return .append
    }
    block = nil
    let summary = encoder.encode(stage, before: cut)
    stage.removeFrames(before: cut)
    note(summary)
    return .append
  }

  private mutating func declareTracks(before cut: Int64) -> Bool {
    guard announced.video != nil || announced.audio != nil else { return false }
    var changed = false
    for frame in stage.frames where frame.time < cut {
      if frame.kind == .video, let track = announced.video.take() {
        header.video = track
        changed = true
      } else if frame.kind == .audio, let track = announced.audio.take() {
        header.audio = track
        changed = true
      }
    }
    return changed
  }

  private mutating func note(_ summary: ClusterEncoder.Summary) {
    if let key = summary.keyFrameMilliseconds {
      cues.offer(CuePoint(milliseconds: key, kind: .video, clusterOffset: fileByteCount))
    } else if header.video == nil {
      cues.offer(CuePoint(milliseconds: summary.firstMilliseconds, kind: .audio, clusterOffset: fileByteCount))
    }
    statistics.clusters += 1
    statistics.audioFrames += summary.audioFrames
    statistics.videoFrames += summary.videoFrames
    fileByteCount += UInt64(encoder.output.count)
    durationMilliseconds = max(durationMilliseconds, summary.endMilliseconds)
  }

  private mutating func nextPatch(_ patches: [WebMPatch], _ next: Int) -> WebMOutput {
    var patches = patches
    if next == 0, fileByteCount > 0 {
      patches = WebMPatch.finishing(
        header, cues: cues, fileByteCount: fileByteCount, durationMilliseconds: durationMilliseconds)
    }
    guard next < patches.count else { return .nothing }
    state = .finishing(patches, next: next + 1)
    block = patches[next].bytes
    return .write(offset: patches[next].offset)
  }
}
