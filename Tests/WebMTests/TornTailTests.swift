import Foundation
import TestSupport
import Testing
import WebM

/// What a power cut can leave behind, 200 times with different seeds.
@Suite struct TornTailTests {
  /// How the end of the file was torn.
  enum Tear: CaseIterable {
    case cut
    case zeros
    case garbage
    case partOfNextCluster
    case zerosWithinLastCluster
  }

  @Test(arguments: 0..<20) func everyTearIsRepaired(seed: UInt64) throws {
    let recording = try Self.recording.get()
    for tear in Tear.allCases {
      var generator = SeededGenerator(seed: seed * 31 + UInt64(tear.ordinal))
      let (torn, wholeEnd) = Self.make(tear, recording, &generator)
      let (bytes, scan) = repaired(torn)
      #expect(scan.validByteCount == UInt64(wholeEnd), "\(tear), seed \(seed)")
      try withFile(bytes) { (path) throws in
        #expect(try MediaInspection.probeWarnings(path) == "", "\(tear), seed \(seed)")
      }
      #expect(repaired(bytes).bytes == bytes, "\(tear), seed \(seed): not idempotent")
    }
  }

  /// Shows that the judge of the other test is no rubber stamp.
  @Test func ffprobeComplainsOfTearsThatAreNotRepaired() throws {
    let recording = try Self.recording.get()
    let torn = Array(recording.bytes.prefix(recording.clusterEnds[3] + 500))
    try withFile(torn) { (path) throws in #expect(try MediaInspection.probeWarnings(path) != "") }
    var damaged = Array(recording.bytes.prefix(recording.clusterEnds[3]))
    // Within the first key frame.
    let start = Int(WebMLayout.firstClusterOffset) + 30
    damaged.replaceSubrange(start..<start + 20, with: [UInt8](repeating: 0xFF, count: 20))
    try withFile(damaged) { (path) throws in #expect(try MediaInspection.decodeWarnings(path) != "") }
  }

  private static let recording = Result { try Recording.ofSamples(isFinished: false) }

  /// Returns the torn file and where its last whole cluster ends.
  private static func make(
    _ tear: Tear, _ recording: Recording, _ generator: inout SeededGenerator
  ) -> (bytes: [UInt8], wholeEnd: Int) {
    let ends = recording.clusterEnds
    let index = Int.random(in: 1..<ends.count - 1, using: &generator)
    let (end, nextEnd) = (ends[index], ends[index + 1])
    var bytes = Array(recording.bytes.prefix(end))
    switch tear {
    case .cut:
      let cut = Int.random(in: end..<nextEnd, using: &generator)
      return (Array(recording.bytes.prefix(cut)), end)
    case .zeros:
      bytes += [UInt8](repeating: 0, count: Int.random(in: 1..<70_000, using: &generator))
    case .garbage:
      bytes += (0..<Int.random(in: 1..<70_000, using: &generator)).map { _ in
        UInt8.random(in: 0...255, using: &generator)
      }
    case .partOfNextCluster:
      // The file has its new size, but only the beginning of the data has arrived.
      let arrived = Int.random(in: end..<nextEnd - 1, using: &generator)
      bytes = Array(recording.bytes.prefix(arrived)) + [UInt8](repeating: 0, count: nextEnd - arrived)
      // Zeros in place of zeros are no tear.
      if bytes == Array(recording.bytes.prefix(nextEnd)) { return (bytes, nextEnd) }
    case .zerosWithinLastCluster:
      let page = end + Int.random(in: 0..<max(1, (nextEnd - end) / 2), using: &generator)
      bytes = Array(recording.bytes.prefix(nextEnd))
      let range = page..<min(page + 4096, nextEnd)
      bytes.replaceSubrange(range, with: [UInt8](repeating: 0, count: range.count))
    }
    return (bytes, end)
  }
}

extension TornTailTests.Tear {
  fileprivate var ordinal: Int { Self.allCases.firstIndex(of: self)! }
}
