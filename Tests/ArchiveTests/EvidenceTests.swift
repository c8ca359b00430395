import Evidence
import Foundation
import MediaCore
import TestSupport
import OpenSSLCrypto
import RealtimeRuntime
import Signalling
import Testing

@testable import Archive

@Suite(.timeLimit(.minutes(3))) struct ArchiveEvidenceTests {
  @Test func aRecordingThatEndedIsWhole() async throws {
    let archive = try await EvidenceArchive.record()
    let report = try archive.verify()
    #expect(report.verdict == .whole)
    #expect(report.findings == [])
    #expect(report.archiveID == RecordingStage.id.text)
    #expect(report.deviceKey == archive.key.publicKey)
    #expect((12_000...14_500).contains(report.validUntil?.offset ?? 0))
    #expect(try archive.stage.store.verify(RecordingStage.id) == [])
    #expect(try archive.names.contains("track.gpx"))
  }

  @Test func withoutEvidenceItIsMissing() async throws {
    let stage = try RecordingStage(isInMemory: true)
    let recorder = try stage.startRecorder()
    try stage.addStream("device", to: recorder).pushSamples()
    _ = await recorder.stop()
    #expect(try EvidenceArchive.verify(try stage.store.path(RecordingStage.id)).verdict == .missing)
    #expect(!FileManager.default.fileExists(atPath: try stage.path("evidence.bin")))
  }

  /// One bit of a byte anywhere in any file; how many of a thousand is set by `EVIDENCE_CHANGES`.
  @Test func aChangedByteIsFoundAndPlaced() async throws {
    let archive = try await EvidenceArchive.record()
    let names = try archive.names
    let sizes = try names.map { try archive.bytes($0).count }
    let count = ProcessInfo.processInfo.environment["EVIDENCE_CHANGES"].flatMap { Int($0) } ?? 60
    var generator = SeededGenerator(seed: 15)
    for change in 0..<count {
      // Small files as often as large ones.
      let index = change % names.count
      let offset = Int.random(in: 0..<sizes[index], using: &generator)
      let mask = UInt8(1) << UInt8.random(in: 0..<8, using: &generator)
      let report = try archive.report(changing: offset, of: names[index], by: mask)
      #expect(report.verdict == .changed, "\(names[index]) at \(offset): \(report.findings)")
      let isPlaced = report.findings.contains { $0.isPlaced(in: names[index], offset) }
      #expect(isPlaced, "\(names[index]) at \(offset): \(report.findings)")
    }
    #expect(try archive.verify().verdict == .whole)
  }

  @Test func truncatedFilesAreFound() async throws {
    let archive = try await EvidenceArchive.record()
    for name in try archive.names {
      let bytes = try archive.bytes(name)
      for count in [bytes.count - 1, bytes.count / 2, 0] {
        try archive.write(Array(bytes[..<count]), to: name)
        let report = try archive.verify()
        #expect(report.verdict == .changed, "\(name) cut to \(count) of \(bytes.count): \(report.findings)")
      }
      try archive.write(bytes + [0], to: name)
      #expect(try archive.verify().verdict == .changed, "\(name) goes on")
      try FileManager.default.removeItem(at: archive.url(name))
      let report = try archive.verify()
      #expect(report.verdict == (name == "evidence.bin" ? .missing : .changed), "\(name) removed: \(report.findings)")
      try archive.write(bytes, to: name)
    }
    #expect(try archive.verify().verdict == .whole)
  }

  @Test func reorderedClustersAreTold() async throws {
    let archive = try await EvidenceArchive.record()
    var bytes = try archive.bytes("device.webm")
    let crypto = OpenSSLCrypto()
    let log = try EvidenceVerification.statements(file: archive.path + "/evidence.bin", crypto, crypto)
    #expect(log.findings == [])
    // The file's first two clusters change their places.
    let first = 21_504
    let length = { (offset: Int) in
      8 + Int(bytes[offset + 5]) << 16 + Int(bytes[offset + 6]) << 8 + Int(bytes[offset + 7])
    }
    let (one, two) = (length(first), length(first + length(first)))
    let clusters = bytes[first..<first + one + two]
    bytes.replaceSubrange(first..<first + one + two, with: clusters.dropFirst(one) + clusters.prefix(one))
    try archive.write(bytes, to: "device.webm")
    let report = try archive.verify()
    #expect(report.verdict == .changed)
    #expect(
      report.findings.contains {
        if case .changed("device.webm", _) = $0 { true } else if case .moved = $0 { true } else { false }
      })
  }

  @Test func filesOfAnotherPlaceAreTold() async throws {
    let archive = try await EvidenceArchive.record()
    let (one, two) = (try archive.bytes("device-0002.webm"), try archive.bytes("device-0003.webm"))
    try archive.write(two, to: "device-0002.webm")
    try archive.write(one, to: "device-0003.webm")
    #expect(try archive.verify().verdict == .changed)
    try archive.write(one, to: "device-0002.webm")
    try archive.write(two, to: "device-0003.webm")
    let other = try await EvidenceArchive.record(key: archive.key, id: ArchiveID("another-archive"))
    try archive.write(try other.bytes("evidence.bin"), to: "evidence.bin")
    let report = try archive.verify()
    #expect(report.verdict == .foreign)
    #expect(report.findings.contains(.otherArchive("another-archive")))
    try archive.write([1, 2, 3], to: "added.txt")
    #expect(try archive.verify().findings.contains(.addedFile("added.txt")))
  }

  @Test func theDeviceMayRenameAndNobodyElse() async throws {
    let archive = try await EvidenceArchive.record()
    try archive.stage.store.rename(RecordingStage.id, to: "break-in")
    #expect(try archive.verify().verdict == .whole)
    try ArchiveStore(root: archive.stage.store.root).rename(RecordingStage.id, to: "nothing happened")
    #expect(try archive.verify().findings == [.document("archive.json")])
    // What somebody else has changed the device does not vouch for.
    try archive.stage.store.rename(RecordingStage.id, to: "all is well")
    #expect(try archive.verify().verdict == .changed)
  }

  @Test func otherFilesOfTheArchiveAreCoveredAtTheEnd() async throws {
    let key = try Ed25519Key()
    let stage = try RecordingStage(isInMemory: true, evidence: .sample(key))
    let recorder = try stage.startRecorder()
    try stage.addStream("device", to: recorder).pushSamples()
    try Data("{}\n".utf8).write(to: URL(fileURLWithPath: try stage.path("events.jsonl")))
    _ = await recorder.stop()
    let path = try stage.store.path(RecordingStage.id)
    #expect(try EvidenceArchive.verify(path).verdict == .whole)
    try Data("[]\n".utf8).write(to: URL(fileURLWithPath: try stage.path("events.jsonl")))
    #expect(try EvidenceArchive.verify(path).findings == [.document("events.jsonl")])
  }

  @Test func aDiskThatFailsLeavesACutChain() async throws {
    let stage = try RecordingStage(isInMemory: true, evidence: .sample(try Ed25519Key()))
    let calls = FullDisk().calls(after: 300_000)
    let recorder = try stage.startRecorder(calls: calls)
    try? stage.addStream("device", to: recorder).pushSamples()
    #expect(await recorder.stop().status == .failed)
    let report = try EvidenceArchive.verify(try stage.store.path(RecordingStage.id))
    #expect(report.verdict == .cut || report.verdict == .whole, "\(report.findings)")
  }
}

extension EvidenceFinding {
  /// Whether it says that something about this byte of a file was changed, and when that was: within two seconds of the
  /// recording, a cluster and its neighbour.
  fileprivate func isPlaced(in name: String, _ offset: Int) -> Bool {
    switch self {
    case .changed(name, let stretch): stretch.to.offset - stretch.from.offset <= 2_000
    case .header(name): offset < 21_504
    case .document(name): name == "archive.json" || name == "track.gpx"
    case .statements(let fault, _, _): name == "evidence.bin" && fault != .noOpening || offset < 400
    case .unconcluded: name == "evidence.bin"
    default: false
    }
  }
}

/// A disk that has no space left after some bytes.
private final class FullDisk: Sendable {
  func calls(after limit: Int) -> DiskCalls {
    var calls = DiskCalls()
    calls.write = { descriptor, bytes, offset in
      guard Int(offset) + bytes.count <= limit else {
        errno = ENOSPC
        return -1
      }
      return pwrite(descriptor, bytes.baseAddress, bytes.count, offset)
    }
    return calls
  }
}
