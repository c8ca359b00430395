import Archive
import ArchiveReading
import Foundation
import TestSupport
import OpenSSLCrypto
import Signalling
import Testing

@Suite(.timeLimit(.minutes(2))) struct ExportedEvidenceTests {
  @Test func theProofOfTheOriginalGoesWithAnExport() async throws {
    let (crypto, key) = (OpenSSLCrypto(), try Ed25519Key())
    let stage = try await ExportStage(
      device: [nil, try SampleMedia.smallVideo()],
      evidence: ArchiveEvidence(hashing: crypto, signer: key, verifier: crypto))
    let path = stage.folder.path + "/out.webm"
    _ = try stage.export.join(to: path, replaces: false) { _ in }
    let original = try Data(contentsOf: URL(fileURLWithPath: try stage.store.path(stage.id) + "/evidence.bin"))
    #expect(try Data(contentsOf: URL(fileURLWithPath: path + ".evidence")) == original)
    let judgement = try EvidenceVerdict.export(path + ".evidence", EvidenceTrust())
    #expect(judgement.verdict == "whole")
    #expect(judgement.archiveID == stage.id.text)
    var bytes = try Data(contentsOf: URL(fileURLWithPath: path))
    bytes[bytes.count / 2] ^= 1
    try bytes.write(to: URL(fileURLWithPath: path))
    #expect(try EvidenceVerdict.export(path + ".evidence", EvidenceTrust()).verdict == "changed")
  }

  @Test func withoutEvidenceNothingGoesWithAnExport() async throws {
    let stage = try await ExportStage(device: [nil, try SampleMedia.smallVideo()])
    _ = try stage.export.join(to: stage.folder.path + "/out.webm", replaces: false) { _ in }
    let names = try FileManager.default.contentsOfDirectory(atPath: stage.folder.path).sorted()
    #expect(names == ["archives", "out.webm"])
  }
}
