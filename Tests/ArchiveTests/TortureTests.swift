import Foundation
import MediaCore
import TestSupport
import Signalling
import Testing
import WebM

@testable import Archive

/// Five hundred power cuts and damages, each repeatable by its seed: archives of two streams and several files a stream,
/// stopped before, within or after any of the writes that made them.
@Suite struct TortureTests {
  /// What became of the write that the power cut interrupted, or of the file's end.
  fileprivate enum Damage: CaseIterable {
    /// Only the write's beginning arrived.
    case cut
    /// All of it has its place, the end reads as zeros.
    case zeros
    case garbage
    /// Any of its sectors arrived.
    case sectors
    /// The file lost its end, though it had been on the disk.
    case truncation
  }

  private static let logs = Result {
    let (video, audio) = (try SampleMedia.smallVideo(), try SampleMedia.audio().prefix(450))
    // The camera comes late, so that the header is written twice.
    let pictures = video.dropLast(30).map { $0.delayed(by: 1_500) }
    return [
      DiskLog("device", video: pictures, audio: Array(audio), segmentDuration: .seconds(3)),
      DiskLog("caller", video: [], audio: Array(audio.suffix(300)), segmentDuration: nil),
    ]
  }

  /// A file of the damaged archive and what must be left of it.
  private struct Expectation {
    var name: String
    var clusters: ClosedRange<Int>
  }

  @Test(arguments: 0..<5) func everyArchivePlaysAfterRecovery(block: UInt64) throws {
    for seed in block * 100..<block * 100 + 100 {
      var generator = SeededGenerator(seed: seed &* 0x1_0001 + 7)
      let stage = try RecordingStage(isInMemory: true)
      let expectations = try Self.makeDamagedArchive(in: stage, using: &generator)
      _ = try stage.store.recover()
      let manifest = try stage.store.manifest(RecordingStage.id)
      #expect(manifest.status == (manifest.files.isEmpty ? .failed : .available), "seed \(seed)")
      #expect(try stage.store.verify(RecordingStage.id) == [], "seed \(seed)")
      for expectation in expectations { try Self.check(expectation, manifest, stage, seed) }
      Self.expectSeamless(manifest, seed)
    }
  }

  /// On a slow disk several clusters wait for one flush: a power cut leaves any of them.
  @Test func clustersReachTheDiskInAnyOrder() throws {
    for seed in 0..<150 as Range<UInt64> {
      var generator = SeededGenerator(seed: seed &* 0x1_0001 + 3)
      let stage = try RecordingStage(isInMemory: true)
      let log = try Self.logs.get()[Int(seed % 2)]
      let count = Int.random(in: 1...log.operations.count, using: &generator)
      try Self.write(log, after: count, in: stage) { $0.lose(log.lastAppends(before: count), &generator) }
      _ = try stage.store.recover()
      #expect(try stage.store.manifest(RecordingStage.id).status != .started)
      #expect(try stage.store.verify(RecordingStage.id) == [], "seed \(seed)")
    }
  }

  /// A file is completed while the next one is written: a power cut may leave both unfinished.
  @Test func fileBeforeMayBeUnfinished() throws {
    let log = try Self.logs.get()[0]
    let begin = try #require(log.operations.firstIndex { $0.file == 1 })
    for seed in 0..<60 as Range<UInt64> {
      var generator = SeededGenerator(seed: seed &* 0x1_0001 + 5)
      let stage = try RecordingStage(isInMemory: true)
      let count = Int.random(in: begin + 1..<log.operations.count, using: &generator)
      let missing = Int.random(in: 0...3, using: &generator)
      let previous = log.operations[count - 1].file - 1
      try Self.write(log, after: count, in: stage, unfinished: (previous, missing)) { _ in }
      _ = try stage.store.recover()
      #expect(try stage.store.verify(RecordingStage.id) == [], "seed \(seed)")
      let files = try stage.store.manifest(RecordingStage.id).files
      for (file, next) in zip(files, files.dropFirst()) {
        #expect((0...100).contains(next.startTimeOffset - file.stopTimeOffset), "seed \(seed): \(files)")
      }
      guard seed % 10 == 0, let file = files.first(where: { $0.filename == log.name(previous) }) else { continue }
      #expect(try MediaInspection.decodeWarnings(stage.path(file.filename)) == "", "seed \(seed)")
    }
  }

  /// Writes the archive of one stream as it is after some operations, its last file damaged, and perhaps another one without its
  /// last operations.
  private static func write(
    _ log: DiskLog, after count: Int, in stage: RecordingStage, unfinished: (file: Int, missing: Int) = (-1, 0),
    damage: (inout DiskLog.Snapshot) -> Void
  ) throws {
    let folder = stage.store.root + "/2026/11/21/\(RecordingStage.id)"
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    var manifest = ArchiveManifest(
      id: RecordingStage.id, details: ArchiveDetails(sessionID: "s", callerID: "c"),
      createdAt: RecordingStage.createdAt,
      clockSynchronized: true)
    var snapshots = log.snapshots(after: count)
    damage(&snapshots[snapshots.count - 1])
    if unfinished.missing > 0 {
      snapshots[unfinished.file] = log.snapshot(of: unfinished.file, withoutLast: unfinished.missing)
    }
    for (index, snapshot) in snapshots.enumerated() {
      try Data(snapshot.bytes).write(to: URL(fileURLWithPath: folder + "/" + log.name(index)))
      var entry = log.complete[index]
      if index == snapshots.count - 1 || index == unfinished.file { entry.size = 0 }
      manifest.files.append(entry)
    }
    try manifest.json().write(to: URL(fileURLWithPath: folder + "/archive.json"))
  }

  /// Writes the archive as the damage left it.
  private static func makeDamagedArchive(
    in stage: RecordingStage, using generator: inout SeededGenerator
  ) throws -> [Expectation] {
    let folder = stage.store.root + "/2026/11/21/\(RecordingStage.id)"
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    var manifest = ArchiveManifest(
      id: RecordingStage.id, details: ArchiveDetails(sessionID: "s", callerID: "c"),
      createdAt: RecordingStage.createdAt,
      clockSynchronized: true)
    var expectations: [Expectation] = []
    for log in try logs.get() {
      let (files, clusters) = damaged(log, &generator)
      for (index, bytes) in files.enumerated() {
        try Data(bytes).write(to: URL(fileURLWithPath: folder + "/" + log.name(index)))
        let isLast = index == files.count - 1
        if isLast { expectations.append(Expectation(name: log.name(index), clusters: clusters)) }
        // The manifest lags behind: it may not know the last file, nor that the one before is complete.
        if isLast, index > 0, Bool.random(using: &generator) { continue }
        var entry = log.complete[index]
        if isLast || (index == files.count - 2 && Bool.random(using: &generator)) { entry.size = 0 }
        manifest.files.append(entry)
      }
    }
    try manifest.json().write(to: URL(fileURLWithPath: folder + "/archive.json"))
    return expectations
  }

  /// The files of a stream, the last one damaged, and how many whole clusters that has.
  private static func damaged(
    _ log: DiskLog, _ generator: inout SeededGenerator
  ) -> (files: [[UInt8]], clusters: ClosedRange<Int>) {
    let count = Int.random(in: 1..<log.operations.count, using: &generator)
    var snapshots = log.snapshots(after: count)
    let damage = Damage.allCases.randomElement(using: &generator)!
    let operation = log.operations[count]
    if damage == .truncation {
      let length = Int.random(in: 0...snapshots.last!.bytes.count, using: &generator)
      snapshots[snapshots.count - 1].truncate(to: length)
    }
    let clusters =
      operation.file == snapshots.count - 1 || damage == .truncation ? snapshots.last!.clusterEnds.count : 0
    if damage != .truncation {
      if operation.file == snapshots.count { snapshots.append(DiskLog.Snapshot()) }
      snapshots[operation.file].tear(operation, damage, &generator)
    }
    return (snapshots.map(\.bytes), clusters...clusters + 1)
  }

  private static func check(
    _ expectation: Expectation, _ manifest: ArchiveManifest, _ stage: RecordingStage, _ seed: UInt64
  ) throws {
    guard manifest.files.contains(where: { $0.filename == expectation.name }) else {
      #expect(expectation.clusters.contains(0), "seed \(seed): \(expectation.name) is gone")
      return
    }
    let path = try stage.path(expectation.name)
    var source = MemorySource([UInt8](try Data(contentsOf: URL(fileURLWithPath: path))))
    let scan = WebMScanner.scan(&source, depth: .full)
    #expect(expectation.clusters.contains(scan.clusters), "seed \(seed): \(expectation.name)")
    guard seed % 20 == 0 else { return }
    #expect(try MediaInspection.decodeWarnings(path) == "", "seed \(seed): \(expectation.name)")
  }

  private static func expectSeamless(_ manifest: ArchiveManifest, _ seed: UInt64) {
    let files = manifest.files.filter { $0.streamId == "device" }
    for (file, next) in zip(files, files.dropFirst()) {
      #expect(file.stopTimeOffset == next.startTimeOffset, "seed \(seed)")
      #expect(next.connectionData == "data of device", "seed \(seed)")
    }
  }
}

extension DiskLog {
  /// The last operations before this one that did nothing but make the file longer, five at most.
  fileprivate func lastAppends(before count: Int) -> ArraySlice<Operation> {
    var first = count
    while first > 0, count - first < 5, isAppend(first - 1), operations[first - 1].file == operations[count - 1].file {
      first -= 1
    }
    return operations[first..<count]
  }

  private func isAppend(_ index: Int) -> Bool {
    let before = snapshots(after: index)
    let operation = operations[index]
    return operation.offset == (operation.file < before.count ? before[operation.file].bytes.count : 0)
  }
}

extension DiskLog.Snapshot {
  /// Lets any of these operations have never reached the disk.
  fileprivate mutating func lose(_ operations: ArraySlice<DiskLog.Operation>, _ generator: inout SeededGenerator) {
    for operation in operations where Bool.random(using: &generator) {
      let range = operation.offset..<operation.offset + operation.bytes.count
      bytes.replaceSubrange(range, with: [UInt8](repeating: 0, count: range.count))
    }
  }

  fileprivate mutating func truncate(to length: Int) {
    bytes.removeLast(bytes.count - length)
    clusterEnds.removeAll { $0 > length }
  }

  /// Carries an operation out in part.
  fileprivate mutating func tear(
    _ operation: DiskLog.Operation, _ damage: TortureTests.Damage, _ generator: inout SeededGenerator
  ) {
    let old = Array(bytes.dropFirst(operation.offset).prefix(operation.bytes.count))
    var new = operation.bytes
    let arrived = Int.random(in: 0..<new.count, using: &generator)
    let rest = arrived..<new.count
    switch damage {
    case .cut: new = Array(new[..<arrived] + old.dropFirst(arrived))
    case .zeros: new.replaceSubrange(rest, with: [UInt8](repeating: 0, count: rest.count))
    case .garbage: new.replaceSubrange(rest, with: rest.map { _ in UInt8.random(in: 0...255, using: &generator) })
    case .sectors: keepSectors(&new, old, &generator)
    case .truncation: break
    }
    apply(DiskLog.Operation(file: operation.file, offset: operation.offset, bytes: new))
  }

  private func keepSectors(_ new: inout [UInt8], _ old: [UInt8], _ generator: inout SeededGenerator) {
    for start in stride(from: 0, to: new.count, by: 512) where Bool.random(using: &generator) {
      for index in start..<min(start + 512, new.count) { new[index] = index < old.count ? old[index] : 0 }
    }
  }
}
