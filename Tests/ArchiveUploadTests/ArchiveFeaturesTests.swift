import Archive
import Foundation
import MediaCore
import TestSupport
import OpenSSLCrypto
import RealtimeRuntime
import Signalling
import Testing

@testable import ArchiveUpload

/// Features of archives beside each other, with the real recorder, real files and a store: a recording stays provably as the device
/// left it, whatever else is done with it.
@Suite(.timeLimit(.minutes(5))) struct ArchiveFeaturesTests {
  private static let id = ArchiveID("0b0c5c4e-9a53-4c8e-8a3e-4f6f1f0a7d11")
  private static let start = MonotonicInstant(nanoseconds: 500_000_000_000)
  private static let owner = Result { try Owner() }

  /// Whom uploads are encrypted for.
  private struct Owner {
    let folder: TemporaryFolder
    var certificate: String { folder.path + "/cert.pem" }

    init() throws {
      folder = try TemporaryFolder(isInMemory: true)
      try ExternalProgram.run(
        "openssl",
        [
          "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-subj", "/CN=owner", "-days", "3650", "-keyout",
          folder.path + "/key.pem", "-out", certificate,
        ])
    }
  }

  @Test func eachPairOfChoicesOccurs() {
    let rows = ArchiveFeatures.pairwise
    for one in ArchiveFeatures.sizes.indices {
      for other in ArchiveFeatures.sizes.indices where one < other {
        let pairs = Set(rows.map { [$0[one], $0[other]] })
        #expect(pairs.count == ArchiveFeatures.sizes[one] * ArchiveFeatures.sizes[other])
      }
    }
    #expect(rows.count < 30)
  }

  @Test(arguments: ArchiveFeatures.pairwise) func recordingsStayAsTheyWere(choices: [Int]) async throws {
    let features = ArchiveFeatures(choices: choices)
    let crypto = OpenSSLCrypto()
    let stage = try UploadStage(
      evidence: ArchiveEvidence(hashing: crypto, signer: try Ed25519Key(), verifier: crypto))
    defer { stage.server.stop() }
    try await record(features, stage)
    try expectSound(stage, features, "recorded")
    if features.rename == .beforeUpload { try stage.archives.rename(Self.id, to: "before") }
    if features.lock != .never { try stage.archives.lock(Self.id) }
    if features.export == .before { try expectExport(stage, features) }
    try await upload(features, stage)
    try expectSound(stage, features, "uploaded")
    if features.rename == .afterUpload { try stage.archives.rename(Self.id, to: "after") }
    if features.export == .after { try expectExport(stage, features) }
    if features.lock == .unlocked { try stage.archives.unlock(Self.id) }
    try expectSound(stage, features, "at last")
    try expectRestOfUpload(try await service(features, stage).step(), stage, features)
    try expectSound(stage, features, "uploaded whole")
    try expectLock(stage, features)
  }

  // MARK: What is done

  private func record(_ features: ArchiveFeatures, _ stage: UploadStage) async throws {
    var details = ArchiveDetails(name: "first", sessionID: "s", hasAudio: features.pace == .real)
    if features.pace == .timeLapse { details.timeLapse = TimeLapse(interval: .seconds(2)) }
    let recorder = try ArchiveRecorder(
      Self.id, in: stage.archives, details: details,
      configuration: ArchiveConfiguration(
        minimumFreeBytes: 0, segmentDuration: features.segments == .several ? .seconds(4) : nil), start: Self.start,
      createdAt: 1_795_262_400_000
    ) { _ in }
    for camera in features.cameras == .two ? [nil, "yard"] : [nil] {
      try push(camera, features, to: recorder)
    }
    if features.track == .positions {
      for second in 0..<12 {
        recorder.addPosition(
          PositionFix(latitude: 52.5 + Double(second) / 1_000, longitude: 13.4),
          capturedAt: Self.start + .seconds(Int64(second)))
      }
    }
    try await end(recorder, features, stage)
  }

  private func push(_ camera: String?, _ features: ArchiveFeatures, to recorder: ArchiveRecorder) throws {
    let hasAudio = camera == nil && features.pace == .real
    var stream = ArchiveStreamDescription(streamID: camera ?? "device", hasAudio: hasAudio)
    stream.camera = camera
    if features.pace == .timeLapse { stream.timeLapse = TimeLapse(interval: .seconds(2)) }
    let inbox = try recorder.addStream(stream) {}
    for (kind, frames) in [(MediaKind.video, try SampleMedia.video()), (.audio, try SampleMedia.audio())] {
      guard kind == .video || hasAudio else { continue }
      for (number, frame) in frames.enumerated() {
        let header = EncodedFrameHeader(
          kind: kind, timestamp: Self.start + .milliseconds(frame.milliseconds),
          duration: kind == .audio ? .milliseconds(20) : .milliseconds(33), isKeyFrame: frame.isKeyFrame,
          number: UInt32(number))
        _ = inbox.push(header, payload: frame.payload.span.bytes)
      }
    }
  }

  private func end(_ recorder: ArchiveRecorder, _ features: ArchiveFeatures, _ stage: UploadStage) async throws {
    guard features.ending != .stopped else {
      #expect(await recorder.stop().status == .available)
      return
    }
    // The disk as it is when the power goes: a copy of the folder, made while nothing is written.
    var size: UInt64 = 0
    repeat {
      size = recorder.statistics.byteCount
      try await Task.sleep(for: .milliseconds(400))
    } while size == 0 || recorder.statistics.byteCount != size
    let (root, copy) = (stage.archives.root, stage.folder.path + "/copy")
    try FileManager.default.copyItem(atPath: root, toPath: copy)
    _ = await recorder.stop()
    try FileManager.default.removeItem(atPath: root)
    try FileManager.default.moveItem(atPath: copy, toPath: root)
    if features.ending == .repaired {
      _ = try stage.archives.repair(Self.id)
    } else {
      let isRecovered = try stage.archives.recover().contains { if case .recovered = $0 { true } else { false } }
      #expect(isRecovered)
    }
  }

  private func service(_ features: ArchiveFeatures, _ stage: UploadStage) throws -> UploadService {
    let certificate = features.encryption == .forOwner ? try Self.owner.get().certificate : nil
    return try stage.service(certificate.map { "encrypt_for = \"\($0)\"" } ?? "")
  }

  private func upload(_ features: ArchiveFeatures, _ stage: UploadStage) async throws {
    let folder = try stage.archives.path(Self.id)
    switch features.upload {
    case .none: return
    case .interrupted:
      stage.server.behave { $0.breaksAfter = 15_000 }
      #expect(try await service(features, stage).step() > .zero)
      #expect(FileManager.default.fileExists(atPath: folder + "/uploading"))
    case .whole:
      #expect(try await service(features, stage).step() == .zero)
      #expect(stage.isUploaded(Self.id))
    case .interruptedNote:
      #expect(try await service(features, stage).step() == .zero)
      try FileManager.default.copyItem(atPath: folder + "/uploaded", toPath: folder + "/uploading-new")
    }
  }

  // MARK: What has to hold

  private func expectSound(_ stage: UploadStage, _ features: ArchiveFeatures, _ moment: String) throws {
    #expect(try stage.archives.verify(Self.id) == [], "\(moment): \(features)")
    let crypto = OpenSSLCrypto()
    let report = try EvidenceVerification.verify(folder: try stage.archives.path(Self.id), crypto, crypto)
    let expected: EvidenceReport.Verdict = features.ending == .stopped ? .whole : .cut
    #expect(report.verdict == expected, "\(moment): \(features): \(report.findings)")
  }

  private func expectExport(_ stage: UploadStage, _ features: ArchiveFeatures) throws {
    let remuxer = try ArchiveRemuxer(Self.id, in: stage.archives)
    var byteCount = 0
    try remuxer.run { _, bytes in byteCount += bytes.byteCount }
    #expect(remuxer.problems == [], "\(features)")
    #expect(remuxer.tracks.count == (features.cameras == .two ? 2 : 1) + (features.pace == .real ? 1 : 0))
    #expect(byteCount > 10_000)
  }

  /// A change after the upload has that file sent again, and nothing else.
  private func expectRestOfUpload(_ pause: TimeSpan, _ stage: UploadStage, _ features: ArchiveFeatures) throws {
    #expect(stage.isUploaded(Self.id), "\(features)")
    let folder = try stage.archives.path(Self.id)
    let suffix = features.encryption == .forOwner ? ".cms" : ""
    for name in try FileManager.default.contentsOfDirectory(atPath: folder) where name.contains(".") {
      let object = try #require(stage.server.objects[stage.key(Self.id, name + suffix)], "\(name): \(features)")
      let file = [UInt8](try Data(contentsOf: URL(fileURLWithPath: folder + "/" + name)))
      #expect(suffix.isEmpty ? object == file : object.count > file.count, "\(name): \(features)")
    }
  }

  private func expectLock(_ stage: UploadStage, _ features: ArchiveFeatures) throws {
    let isLocked = features.lock == .locked
    #expect(try stage.archives.listings().map(\.isLocked) == [isLocked])
    if isLocked {
      #expect(throws: ArchiveError.locked(Self.id)) { try stage.archives.delete(Self.id) }
    } else {
      try stage.archives.delete(Self.id)
    }
  }
}
