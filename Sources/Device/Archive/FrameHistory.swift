import MediaCore

/// The last seconds of a stream's frames, by whole GOPs.
///
/// Takes memory for what it holds, up to a limit; allocates nothing once it has been as full as it gets.
struct FrameHistory: ~Copyable {
  fileprivate struct Entry {
    var header: EncodedFrameHeader
    var payload: Range<Int>
  }

  private var span: TimeSpan
  private var byteLimit: Int
  private var entries: [Entry] = []
  private var payloads = ByteBlocks()
  private var newest: [2 of MonotonicInstant?] = [nil, nil]
  /// Frames came that cannot be decoded.
  private(set) var lacksKeyFrame = false

  init(span: TimeSpan, byteLimit: Int) {
    self.span = span
    self.byteLimit = byteLimit
  }

  /// Keeps another span from now on; what is there stays, up to the new limits.
  mutating func keep(span: TimeSpan, byteLimit: Int) {
    (self.span, self.byteLimit) = (span, byteLimit)
    while !entries.isEmpty, byteCount > byteLimit { removeOldestGroup() }
    trim()
  }

  var byteCount: Int { payloads.end - (entries.first?.payload.lowerBound ?? payloads.end) }

  /// Copies a frame in. Video before the first key frame is useless and left out.
  mutating func push(_ header: EncodedFrameHeader, _ payload: RawSpan) {
    while !entries.isEmpty, byteCount + payload.byteCount > byteLimit { removeOldestGroup() }
    if header.kind == .video {
      lacksKeyFrame = !header.isKeyFrame && newest[1] == nil
      guard !lacksKeyFrame else { return }
    }
    let start = payloads.end
    payloads.append(payload)
    entries.append(Entry(header: header, payload: start..<payloads.end))
    newest[Int(header.kind.rawValue)] = header.timestamp
  }

  /// Forgets GOPs that ended more than the span ago.
  mutating func trim() {
    if !entries.isEmpty { trim(before: end - span) }
  }

  /// The last frame's time.
  private var end: MonotonicInstant {
    let start = MonotonicInstant(nanoseconds: .min)
    return max(newest[0] ?? start, newest[1] ?? start)
  }

  private mutating func trim(before limit: MonotonicInstant) {
    if let last = newest[1], last < limit { newest[1] = nil }
    removeFirst(firstIndex(since: limit))
  }

  /// Where the frames begin that are needed to show what was from then on.
  private func firstIndex(since limit: MonotonicInstant) -> Int {
    let isVideoAlive = newest[1] != nil
    let keyFrame = isVideoAlive ? entries.lastIndex { $0.isVideoKeyFrame && $0.header.timestamp <= limit } : nil
    return keyFrame ?? entries.prefix { $0.header.timestamp < limit }.count
  }

  /// Frees memory: everything before the second key frame goes, or everything.
  private mutating func removeOldestGroup() {
    let first = entries.firstIndex { $0.isVideoKeyFrame }
    if let first, let second = entries[(first + 1)...].firstIndex(where: { $0.isVideoKeyFrame }) {
      removeFirst(second)
    } else if first == nil, entries.count > 1 {
      removeFirst(entries.count / 2)
    } else {
      removeAll()
    }
  }

  private mutating func removeAll() {
    removeFirst(entries.count)
    newest[1] = nil
  }

  private mutating func removeFirst(_ count: Int) {
    guard count > 0 else { return }
    entries.removeFirst(count)
    payloads.removeBytes(before: entries.first?.payload.lowerBound ?? payloads.end)
  }

  /// Copies the frames from a key frame on, or all audio when there is no video.
  ///
  /// - Parameters:
  ///   - extent: only frames that are later, or in a GOP that reaches into it.
  ///   - next: when given, only frames within the span before it, or in a GOP that reaches into it.
  mutating func copy(_ extent: ArchiveStreamDescription.History = .all, before next: MonotonicInstant?) -> KeptFrames {
    if let next { trim(before: next - span) } else { trim() }
    let entries = entries[firstIndex(of: extent, before: next ?? end)...]
    let start = entries.first { $0.isVideoKeyFrame }?.header.timestamp
    var kept = KeptFrames()
    kept.reserve(frames: entries.count, bytes: payloads.end - (entries.first?.payload.lowerBound ?? payloads.end))
    for entry in entries where start.map({ entry.header.timestamp >= $0 }) ?? true {
      kept.append(entry.header, byteCount: entry.payload.count) { payloads.copyBytes(entry.payload, to: &$0) }
    }
    return kept
  }
}

extension FrameHistory {
  private func firstIndex(of extent: ArchiveStreamDescription.History, before next: MonotonicInstant) -> Int {
    switch extent {
    case .all: 0
    case .nothing: entries.count
    case .span(let span): firstIndex(since: next - span)
    case .since(let limit): firstIndex(since: limit)
    }
  }
}

extension FrameHistory.Entry {
  fileprivate var isVideoKeyFrame: Bool { header.kind == .video && header.isKeyFrame }
}

/// Frames that were copied out of a pre-roll.
struct KeptFrames: Sendable {
  struct Frame {
    var header: EncodedFrameHeader
    var payload: Range<Int>
  }

  private(set) var frames: [Frame] = []
  private var bytes: [UInt8] = []

  mutating func reserve(frames frameCount: Int, bytes byteCount: Int) {
    frames.reserveCapacity(frameCount)
    bytes.reserveCapacity(byteCount)
  }

  mutating func append(_ header: EncodedFrameHeader, byteCount: Int, copy: (inout [UInt8]) -> Void) {
    let start = bytes.count
    copy(&bytes)
    frames.append(Frame(header: header, payload: start..<start + byteCount))
  }

  func withPayload(of frame: Frame, _ body: (RawSpan) -> Void) {
    body(bytes.span.bytes.extracting(frame.payload))
  }
}
