public import MediaCore

/// The next operation on the file; the bytes are lent by ``WebMWriter/withOutput(_:)``.
public enum WebMOutput: Hashable, Sendable {
  /// Nothing until more frames come or time passes, or permanently after ``WebMWriter/finish()``.
  case nothing
  /// Append the bytes.
  case append
  /// Overwrite at this offset.
  case write(offset: UInt64)
  /// The file is complete; later output belongs to a new one. The writer's properties describe the complete file
  /// until the next call of ``WebMWriter/nextOutput(now:)``.
  case nextFile
}

/// Muxes one VP8 and one Opus stream, or either alone, into a WebM file that survives a power cut almost whole.
///
/// Does no I/O. Push frames, then carry out what ``nextOutput(now:)`` says until it says `.nothing`. Appended bytes may
/// reach the disk in any order; before and after an overwriting one everything has to be on the disk (fdatasync). Clusters
/// come out whole, and a file that ends after any of them plays as it is. See ``WebMLayout`` for why finishing is cheap and safe.
///
/// A track is declared when its first frame goes out, so the tracks need not be known beforehand. Frames
/// are copied when pushed; nothing allocates after warm-up until a file is finished.
///
/// With a segment duration the recording continues in a new file at the first key frame after it: audio before the key
/// frame's time is in the old file, audio from it on in the new one. Without video, or when none came for ten seconds,
/// it splits at a packet. So it does when a file comes near to the largest size that it may have; where no key frame comes in time,
/// the next file begins with whatever cluster does not fit.
///
/// Not for streams with other codecs, and not for reading files: see ``WebMScanner``.
public struct WebMWriter: Sendable {
  private enum State {
    case recording
    case finishing([WebMPatch], next: Int)
    /// Carries the media time of the next file's zero.
    case betweenFiles(origin: Int64)
    case ended
  }

  /// The output so far.
  public struct Statistics: Hashable, Sendable {
    /// Packets of sound in clusters that were emitted.
    public var audioFrames = 0
    /// Video frames in them.
    public var videoFrames = 0
    /// Clusters that were emitted.
    public var clusters = 0
    /// Frames refused since they were empty, too large or without a sensible time.
    public var refused = 0
  }

  private var state = State.recording
  private var isLast = false
  private var header = WebMHeader()
  private(set) var stage: ClusterStage
  private(set) var encoder = ClusterEncoder()
  private var cues = CueTable()
  /// Tracks that staged frames need and the header lacks.
  private var announced: (video: WebMVideoTrack?, audio: WebMAudioTrack?) = (nil, nil)
  /// The current output, unless it is the encoder's cluster.
  private var block: [UInt8]?
  /// Where the cluster that was emitted last is in the file, and what the file was without it.
  private var lastCluster: HandedOut?
  /// The encoder's cluster waits for the next file.
  private var held: ClusterEncoder.Summary?

  private struct HandedOut {
    var summary: ClusterEncoder.Summary
    var offset: UInt64
    var durationBefore: Int64
  }

  /// After how much media a file may end at the next key frame; `nil` writes one file. May be set at any time.
  public var segmentDuration: TimeSpan?
  /// How large a file may become, in octets; `nil` for no limit. May be set at any time.
  public var maximumFileByteCount: UInt64?
  /// When the media timeline's zero was, in nanoseconds since 2001-01-01 UTC; `nil` while the clock cannot be trusted.
  /// May be set at any time: a file gets its date when it begins or, failing that, when it ends.
  public var timelineDate: Int64?
  /// Counters since the first file began.
  public private(set) var statistics = Statistics()
  /// Size of the file once all outputs have been carried out.
  public private(set) var fileByteCount: UInt64 = 0
  /// Where the media that was emitted ends, counted from the file's first frame.
  public private(set) var durationMilliseconds: Int64 = 0

  /// - Parameters:
  ///   - timing: when clusters are closed.
  ///   - timelineDate: see ``timelineDate``.
  ///   - segmentDuration: see ``segmentDuration``.
  public init(timing: WebMTiming = WebMTiming(), timelineDate: Int64? = nil, segmentDuration: TimeSpan? = nil) {
    stage = ClusterStage(timing: timing)
    self.timelineDate = timelineDate
    self.segmentDuration = segmentDuration
  }

  /// When the file's zero was captured; known once its first output has been emitted.
  public var firstTimestamp: MonotonicInstant? { encoder.origin.map { MonotonicInstant(nanoseconds: $0) } }

  /// Whether the file has this track, or will have it with the next cluster.
  public func hasTrack(_ kind: MediaKind) -> Bool {
    kind == .video ? (header.video ?? announced.video) != nil : (header.audio ?? announced.audio) != nil
  }

  /// Whether the file has lasted long enough and only a key frame is missing to begin the next one, or has frames none
  /// of which can be decoded yet.
  public var wantsKeyFrame: Bool {
    if header.video != nil, cues.points.isEmpty, fileByteCount > WebMLayout.firstClusterOffset { return true }
    guard let end = segmentEnd else { return false }
    return stage.isVideoAlive && stage.furthest >= end && !stage.hasKeyFrame(from: end)
  }

  /// How long frames that were pushed can wait until `nextOutput` has to be called, if frames keep coming at their
  /// pace; `nil` when none waits.
  public func timeUntilOutput(now: MonotonicInstant) -> TimeSpan? { stage.timeUntilDue(now: now) }

  /// Takes a frame. The first of a video track has to be a key frame, and no frame may refer to one that is missing.
  ///
  /// - Returns: false, and counts it, when the frame cannot be written at all.
  @discardableResult
  public mutating func push(_ frame: EncodedFrameHeader, payload: RawSpan, now: MonotonicInstant) -> Bool {
    let isFirstFrame = frame.kind == .video && !hasTrack(.video)
    guard !payload.isEmpty, payload.byteCount <= WebMLayout.maximumFrameByteCount,
      (0..<1 << 62).contains(frame.timestamp.nanoseconds), frame.duration < .seconds(60), announce(frame, payload)
    else {
      statistics.refused += 1
      return false
    }
    stage.push(frame, payload: payload, now: now)
    if isFirstFrame { alignStart(with: frame.timestamp.nanoseconds) }
    return true
  }

  /// Begins the recording with a frame that comes just after audio: a camera takes up to an interval longer to open
  /// than a microphone, and players show the first frame late otherwise. Audio that is well ahead is kept.
  private mutating func alignStart(with frameTime: Int64) {
    guard encoder.origin == nil, fileByteCount == 0, stage.earliest < frameTime,
      frameTime - stage.earliest <= Self.longestLead
    else { return }
    stage.removeFrames(before: frameTime - Self.halfPacket)
  }

  /// The maximum lead of audio that is dropped before the first frame.
  private static let longestLead: Int64 = 200_000_000
  /// Half an audio packet, so that audio begins with the packet nearest to the frame.
  private static let halfPacket: Int64 = 10_000_000

  /// Notes the track of a kind's first frame. Returns false for undecodable video.
  private mutating func announce(_ frame: EncodedFrameHeader, _ payload: RawSpan) -> Bool {
    guard !hasTrack(frame.kind) else { return true }
    if frame.kind == .audio {
      announced.audio = WebMAudioTrack(payload)
      return true
    }
    guard frame.isKeyFrame else { return false }
    announced.video = WebMVideoTrack(payload) ?? WebMVideoTrack(width: frame.width, height: frame.height)
    return true
  }

  /// Ends the input: from now on `nextOutput` returns the rest.
  public mutating func finish() { isLast = true }

  /// Decides the next operation. Call again, once that is on the disk, until it says `.nothing`.
  public mutating func nextOutput(now: MonotonicInstant) -> WebMOutput {
    switch state {
    case .recording: nextCluster(now: now)
    case .finishing(let patches, let next): nextPatch(patches, next)
    case .betweenFiles(let origin): beginFile(at: origin, now: now)
    case .ended: .nothing
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
  private mutating func nextCluster(now: MonotonicInstant) -> WebMOutput {
    if let summary = held.take() {
      block = nil
      note(summary)
      return .append
    }
    guard let cut = isLast ? stage.finalCut : stage.dueCut(now: now) else { return isLast ? finishFile() : .nothing }
    guard let end = nextFileOrigin else { return nextOutput(before: segmentCut(cut)) }
    closeGap(before: end)
    return finishFile()
  }

  /// Declares tracks first, if the cluster needs any; then the cluster.
  private mutating func nextOutput(before cut: Int64) -> WebMOutput {
    if declareTracks(before: cut) {
      if header.creationDate == nil { header.creationDate = date(at: encoder.origin ?? stage.earliest) }
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
    guard fits(encoder.output.count) else { return holdCluster(summary) }
    note(summary)
    return .append
  }

  /// The file did not take the cluster that was announced last: it is completed without it, later files become no larger, and
  /// the cluster begins the next one.
  ///
  /// - Returns: false if the file holds nothing else, so that nothing would be gained.
  public mutating func moveClusterToNextFile() -> Bool {
    guard let last = lastCluster, last.offset > WebMLayout.firstClusterOffset else { return false }
    (fileByteCount, durationMilliseconds) = (last.offset, last.durationBefore)
    maximumFileByteCount = min(maximumFileByteCount ?? .max, last.offset)
    cues.removePoints(from: last.offset)
    uncount(last.summary)
    held = last.summary
    closeGap(before: heldOrigin ?? 0)
    state = .finishing(finishingPatches(), next: 0)
    return true
  }

  /// Ends the file before a cluster that is encoded already.
  private mutating func holdCluster(_ summary: ClusterEncoder.Summary) -> WebMOutput {
    held = summary
    closeGap(before: heldOrigin ?? 0)
    return finishFile()
  }

  /// The media time of the next file's zero, when it begins with a cluster that is encoded already.
  private var heldOrigin: Int64? {
    guard let held, let origin = encoder.origin else { return nil }
    return origin.saturatingAdding(held.firstMilliseconds.saturatingMultiplied(by: 1_000_000))
  }

  private func fits(_ byteCount: Int) -> Bool {
    guard let maximumFileByteCount, fileByteCount > WebMLayout.firstClusterOffset else { return true }
    return fileByteCount.saturatingAdding(UInt64(byteCount)) <= maximumFileByteCount
  }

  private func date(at time: Int64?) -> Int64? {
    guard let timelineDate, let time else { return nil }
    return timelineDate &+ time
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
    lastCluster = HandedOut(summary: summary, offset: fileByteCount, durationBefore: durationMilliseconds)
    if let key = summary.keyFrameMilliseconds {
      cues.offer(CuePoint(milliseconds: key, kind: .video, clusterOffset: fileByteCount))
    } else if header.video == nil {
      cues.offer(CuePoint(milliseconds: summary.firstMilliseconds, kind: .audio, clusterOffset: fileByteCount))
    }
    statistics.clusters += 1
    statistics.audioFrames += summary.audioFrames
    statistics.videoFrames += summary.videoFrames
    fileByteCount += UInt64(encoder.output.count)
    let shortest = summary.videoFrames > 0 ? WebMTiming.loneFrameMilliseconds : 0
    durationMilliseconds = max(durationMilliseconds, summary.endMilliseconds, shortest)
  }

  private mutating func uncount(_ summary: ClusterEncoder.Summary) {
    statistics.clusters -= 1
    statistics.audioFrames -= summary.audioFrames
    statistics.videoFrames -= summary.videoFrames
  }

  private mutating func finishFile() -> WebMOutput {
    guard fileByteCount > 0 else {
      state = .ended
      return .nothing
    }
    return nextPatch(finishingPatches(), 0)
  }

  private mutating func finishingPatches() -> [WebMPatch] {
    if header.creationDate == nil { header.creationDate = date(at: encoder.origin) }
    return WebMPatch.finishing(
      header, cues: cues, fileByteCount: fileByteCount, durationMilliseconds: durationMilliseconds)
  }

  private mutating func nextPatch(_ patches: [WebMPatch], _ next: Int) -> WebMOutput {
    if next < patches.count {
      state = .finishing(patches, next: next + 1)
      block = patches[next].bytes
      return .write(offset: patches[next].offset)
    }
    guard let origin = heldOrigin ?? nextFileOrigin else {
      state = .ended
      return .nothing
    }
    state = .betweenFiles(origin: origin)
    return .nextFile
  }

  /// The last frames are taken to last until the next file begins, unless there was a pause.
  private mutating func closeGap(before origin: Int64) {
    let end = (origin - (encoder.origin ?? origin)) / 1_000_000
    if end - durationMilliseconds < 1_000 { durationMilliseconds = end }
  }

  /// Forgets the complete file and begins the next with the frames that wait.
  private mutating func beginFile(at origin: Int64, now: MonotonicInstant) -> WebMOutput {
    let old = header
    header = WebMHeader()
    cues = CueTable()
    fileByteCount = 0
    durationMilliseconds = 0
    lastCluster = nil
    state = .recording
    if let held { return beginFile(with: held, after: old) }
    encoder.beginFile(at: origin)
    announced.audio = stage.firstPayload(.audio) { WebMAudioTrack($0) }
    announced.video = stage.firstPayload(.video) { WebMVideoTrack($0) ?? old.video } ?? nil
    return nextOutput(now: now)
  }

  /// The next file begins within a stream of frames, so the file before knows its tracks.
  private mutating func beginFile(with cluster: ClusterEncoder.Summary, after old: WebMHeader) -> WebMOutput {
    encoder.beginFile(with: cluster)
    held = cluster.asFirst
    announced = (announced.video ?? old.video, announced.audio ?? old.audio)
    if cluster.videoFrames > 0 { header.video = announced.video.take() }
    if cluster.audioFrames > 0 { header.audio = announced.audio.take() }
    header.creationDate = date(at: encoder.origin)
    block = header.encode() + CueTable.encodeReservation()
    fileByteCount = WebMLayout.firstClusterOffset
    return .append
  }
}
