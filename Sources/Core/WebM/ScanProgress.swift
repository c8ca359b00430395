import MediaCore

/// What a walk over the clusters has learnt so far.
struct ScanProgress {
  /// A cluster's place in the file.
  struct Extent {
    var offset: UInt64
    var end: UInt64
  }

  private(set) var scan: WebMScan
  /// The last few clusters, for a quick scan to check.
  private(set) var recent: [Extent] = []
  /// Damage behind the last good cluster: part of the torn tail, unless another good one follows.
  private var doubtful: [WebMFinding] = []
  private var audioEnd: Int64 = 0
  private var lastFrame: Int64?
  private var frameBefore: Int64?
  /// The header is lost: a new one is made of what clusters show of their tracks.
  private let rebuildsHeader: Bool

  private static let recentLimit = 4
  /// More are counted neither in memory nor in reports.
  private static let findingLimit = 64

  /// - Parameter header: `nil` makes a new one.
  init(header: WebMHeader?, fileByteCount: UInt64) {
    scan = WebMScan()
    rebuildsHeader = header == nil
    scan.header = header ?? WebMHeader()
    scan.fileByteCount = fileByteCount
    scan.validByteCount = min(fileByteCount, WebMLayout.firstClusterOffset)
  }

  /// A cluster whose beginning has been seen; offers its key frame as a seek point.
  mutating func noteCluster(_ extent: Extent, _ report: ClusterReport) {
    scan.clusters += 1
    scan.validByteCount = extent.end
    for finding in doubtful { add(finding) }
    doubtful.removeAll()
    if recent.count == Self.recentLimit { recent.removeFirst() }
    recent.append(extent)
    if let key = report.keyFrameMilliseconds {
      scan.cues.offer(CuePoint(milliseconds: key, kind: .video, clusterOffset: extent.offset))
    } else if scan.header?.video == nil {
      scan.cues.offer(CuePoint(milliseconds: report.timestamp, kind: .audio, clusterOffset: extent.offset))
    }
  }

  /// A cluster that has been checked as a whole, in the order of the file.
  mutating func noteContent(_ report: ClusterReport) {
    scan.audioFrames += report.audioFrames
    scan.videoFrames += report.videoFrames
    if rebuildsHeader, let header = scan.header {
      scan.header?.video = header.video ?? report.video
      scan.header?.audio = header.audio ?? report.audio
    }
    audioEnd = max(audioEnd, report.audioEnd)
    if let last = report.lastFrame {
      frameBefore = report.frameBefore ?? lastFrame
      lastFrame = last
    }
  }

  mutating func noteDoubtful(_ finding: WebMFinding) {
    if doubtful.count < Self.findingLimit { doubtful.append(finding) }
  }

  /// Gives up the last cluster that was noted.
  mutating func dropLastCluster() {
    guard let extent = recent.popLast() else { return }
    scan.clusters -= 1
    scan.validByteCount = recent.last?.end ?? extent.offset
    scan.cues.removePoints(from: extent.offset)
  }

  private mutating func add(_ finding: WebMFinding) {
    if scan.findings.count < Self.findingLimit { scan.findings.append(finding) }
  }

  /// The result, when the walk is over.
  func finished() -> WebMScan {
    var scan = scan
    if rebuildsHeader { scan.findings.insert(.headerUnreadable, at: 0) }
    if scan.fileByteCount > scan.validByteCount {
      scan.findings.append(
        .tornTail(offset: scan.validByteCount, byteCount: scan.fileByteCount - scan.validByteCount))
    }
    let completion = scan.header?.completion
    if let completion, completion.fileByteCount == scan.validByteCount,
      completion.durationMilliseconds > 0 || scan.isEmpty
    {
      scan.durationMilliseconds = completion.durationMilliseconds
    } else {
      scan.durationMilliseconds = max(audioEnd, frameEnd)
      scan.findings.append(.unfinished)
    }
    return scan
  }

  /// The last frame is taken to last as long as the one before.
  private var frameEnd: Int64 {
    guard let lastFrame else { return 0 }
    let duration = frameBefore.map { min(1_000, max(0, lastFrame - $0)) }
    return lastFrame + (duration ?? WebMTiming.loneFrameMilliseconds)
  }
}
