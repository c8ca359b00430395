import MediaCore

/// Walks over a file that ``WebMWriter`` made: finds where it is whole, and what a crash left undone.
///
/// Tolerates any bytes. Memory is bounded by the largest cluster (8 MiB) and by the table of seek points.
public enum WebMScanner {
  /// How much is read.
  public enum Depth: Sendable {
    /// Cluster headers, and the last clusters as a whole: what a repair after a crash needs. Reads 1 KiB a cluster.
    case quick
    /// Every byte, comparing checksums.
    case full
  }

  /// Scans the whole source. Rethrows read errors; bad content is a finding.
  public static func scan<Source: WebMSource & ~Copyable>(
    _ source: inout Source, depth: Depth
  ) throws(Source.Failure) -> WebMScan {
    var window = ScanWindow()
    try window.load(&source, at: 0, byteCount: WebMLayout.headerByteCount)
    guard let header = window.withBytes({ WebMHeader(parsing: $0) }) else {
      return try scanWithoutHeader(&source, window)
    }
    var walk = ClusterWalk(progress: ScanProgress(header: header, fileByteCount: source.byteCount), window: window)
    try walk.run(&source, depth: depth)
    guard depth == .quick, try !walk.checkRecentClusters(&source) else { return walk.finished(.header) }
    return try scan(&source, depth: .full)
  }

  /// A file whose header was torn, or never reached the disk, is recognised by the rest of its header, or by the whole
  /// cluster behind it.
  private static func scanWithoutHeader<Source: WebMSource & ~Copyable>(
    _ source: inout Source, _ window: ScanWindow
  ) throws(Source.Failure) -> WebMScan {
    let beginning = window.withBytes { WebMBeginning($0) }
    var walk = ClusterWalk(progress: ScanProgress(header: nil, fileByteCount: source.byteCount), window: window)
    var mayBeOurs = beginning != .other
    if !mayBeOurs { mayBeOurs = try walk.isWholeCluster(&source, at: WebMLayout.firstClusterOffset) }
    if mayBeOurs {
      try walk.run(&source, depth: .full)
      if !walk.progress.scan.isEmpty { return walk.finished(beginning) }
    }
    var scan = WebMScan()
    scan.beginning = beginning
    scan.fileByteCount = source.byteCount
    scan.findings = [.headerUnreadable]
    return scan
  }
}

/// One pass over the clusters.
private struct ClusterWalk {
  var progress: ScanProgress
  var window: ScanWindow
  /// Candidates for a cluster that a search may still examine; bounds the cost of hostile files.
  private var searchBudget = 256

  /// Enough of a cluster to see its first key frame behind a little sound.
  private static let peekByteCount = 1024
  private static let searchByteCount = 64 * 1024

  init(progress: ScanProgress, window: ScanWindow) {
    self.progress = progress
    self.window = window
  }

  mutating func run<Source: WebMSource & ~Copyable>(
    _ source: inout Source, depth: WebMScanner.Depth
  ) throws(Source.Failure) {
    var offset = WebMLayout.firstClusterOffset
    while offset < source.byteCount {
      if let end = try step(&source, at: offset, depth: depth) {
        offset = end
      } else if let found = try search(&source, from: offset + 1) {
        progress.noteDoubtful(.gap(offset: offset, byteCount: found - offset))
        offset = found
      } else {
        return
      }
    }
  }

  /// Notes the element at `offset` and returns where it ends; `nil` if there is no whole cluster and no Void.
  private mutating func step<Source: WebMSource & ~Copyable>(
    _ source: inout Source, at offset: UInt64, depth: WebMScanner.Depth
  ) throws(Source.Failure) -> UInt64? {
    try window.load(&source, at: offset, byteCount: Self.peekByteCount)
    if let end = window.withBytes({ Self.voidByteCount($0) }).map({ offset + $0 }), end <= source.byteCount {
      return end
    }
    guard let size = window.withBytes({ ClusterReport.clusterByteCount(at: $0) }),
      offset + UInt64(size) <= source.byteCount
    else { return nil }
    let extent = ScanProgress.Extent(offset: offset, end: offset + UInt64(size))
    guard depth == .full else {
      progress.noteCluster(extent, window.withBytes { ClusterReport(peeking: $0) })
      return extent.end
    }
    if let report = try check(&source, extent) {
      progress.noteCluster(extent, report)
      progress.noteContent(report)
    } else {
      progress.noteDoubtful(.clusterDamaged(offset: offset))
    }
    return extent.end
  }

  private static func voidByteCount(_ bytes: RawSpan) -> UInt64? {
    var reader = ByteReader(bytes)
    guard let header = try? reader.readElementHeader(), header.id == .void, let size = header.size else { return nil }
    return UInt64(reader.offset) + size
  }

  private mutating func check<Source: WebMSource & ~Copyable>(
    _ source: inout Source, _ extent: ScanProgress.Extent
  ) throws(Source.Failure) -> ClusterReport? {
    try window.load(&source, at: extent.offset, byteCount: Int(clamping: extent.end - extent.offset))
    return window.withBytes { ClusterReport(checking: $0) }
  }

  /// Finds the next cluster that is whole and has the right checksum.
  private mutating func search<Source: WebMSource & ~Copyable>(
    _ source: inout Source, from start: UInt64
  ) throws(Source.Failure) -> UInt64? {
    var offset = start
    while offset + UInt64(ClusterReport.headerByteCount) <= source.byteCount, searchBudget > 0 {
      try window.load(&source, at: offset, byteCount: Self.searchByteCount)
      guard let distance = window.withBytes({ ClusterReport.firstClusterID(in: $0) }) else {
        guard window.count == Self.searchByteCount else { return nil }
        offset += UInt64(Self.searchByteCount - 3)
        continue
      }
      searchBudget -= 1
      let candidate = offset + UInt64(distance)
      if try isWholeCluster(&source, at: candidate) { return candidate }
      offset = candidate + 1
    }
    return nil
  }

  func finished(_ beginning: WebMBeginning) -> WebMScan {
    var scan = progress.finished()
    scan.beginning = beginning
    return scan
  }

  mutating func isWholeCluster<Source: WebMSource & ~Copyable>(
    _ source: inout Source, at offset: UInt64
  ) throws(Source.Failure) -> Bool {
    try window.load(&source, at: offset, byteCount: ClusterReport.headerByteCount)
    guard let size = window.withBytes({ ClusterReport.clusterByteCount(at: $0) }),
      offset + UInt64(size) <= source.byteCount
    else { return false }
    return try check(&source, .init(offset: offset, end: offset + UInt64(size))) != nil
  }

  /// Checks the clusters that a power cut can have torn, and drops those at the end that are.
  ///
  /// Returns false if none of them is good, so that only a full scan can find what is.
  mutating func checkRecentClusters<Source: WebMSource & ~Copyable>(
    _ source: inout Source
  ) throws(Source.Failure) -> Bool {
    var reports: [ClusterReport?] = []
    for extent in progress.recent { reports.append(try check(&source, extent)) }
    while let last = reports.last, last == nil {
      reports.removeLast()
      progress.dropLastCluster()
    }
    for case let report? in reports { progress.noteContent(report) }
    return !reports.isEmpty || progress.scan.isEmpty
  }
}

extension WebMBeginning {
  fileprivate init(_ block: RawSpan) {
    if block.copiedToArray().allSatisfy({ $0 == 0 }) {
      self = .blank
    } else {
      self = WebMHeader.isBeginning(block) ? .header : .other
    }
  }
}
