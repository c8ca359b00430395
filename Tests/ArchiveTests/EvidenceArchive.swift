import Evidence
import Foundation
import MediaCore
import TestSupport
import OpenSSLCrypto
import RealtimeRuntime
import Signalling
import TransportCrypto

@testable import Archive

/// An archive of two streams, several files and a track, with evidence, on a disk in memory.
struct EvidenceArchive {
  let stage: RecordingStage
  let path: String
  let key: Ed25519Key

  /// Records one as the daemon does, twelve seconds at once.
  static func record(key: Ed25519Key? = nil, id: ArchiveID = RecordingStage.id) async throws -> EvidenceArchive {
    let key = try key ?? Ed25519Key()
    let stage = try RecordingStage(isInMemory: true, evidence: .sample(key))
    let recorder = try stage.startRecorder(id, segmentDuration: .seconds(4))
    let (device, caller) = (try stage.addStream("device", to: recorder), try stage.addStream("caller", to: recorder))
    try device.pushSamples()
    try caller.pushSamples(startingAt: 1_500)
    for second in 0..<12 {
      recorder.addPosition(
        PositionFix(latitude: 52.5 + Double(second) / 1_000, longitude: 13.4),
        capturedAt: RecordingStage.start + .seconds(Int64(second)))
    }
    _ = await recorder.stop()
    return EvidenceArchive(stage: stage, path: try stage.store.path(id), key: key)
  }

  func verify() throws -> EvidenceReport { try Self.verify(path) }

  static func verify(_ path: String) throws -> EvidenceReport {
    let crypto = OpenSSLCrypto()
    return try EvidenceVerification.verify(folder: path, crypto, crypto)
  }

  var names: [String] {
    get throws { try FileManager.default.contentsOfDirectory(atPath: path).sorted() }
  }

  func url(_ name: String) -> URL { URL(fileURLWithPath: path + "/" + name) }

  func bytes(_ name: String) throws -> [UInt8] { [UInt8](try Data(contentsOf: url(name))) }

  func write(_ bytes: [UInt8], to name: String) throws { try Data(bytes).write(to: url(name)) }

  /// Changes one byte in place, verifies, and changes it back.
  func report(changing offset: Int, of name: String, by mask: UInt8) throws -> EvidenceReport {
    let file = try FileHandle(forUpdating: url(name))
    defer { try? file.close() }
    try file.seek(toOffset: UInt64(offset))
    let old = try file.read(upToCount: 1)![0]
    func put(_ byte: UInt8) throws {
      try file.seek(toOffset: UInt64(offset))
      try file.write(contentsOf: Data([byte]))
    }
    try put(old ^ mask)
    defer { try? put(old) }
    return try verify()
  }
}

extension ArchiveEvidence {
  static func sample(_ key: Ed25519Key, certificate: String? = nil) -> ArchiveEvidence {
    let crypto = OpenSSLCrypto()
    return ArchiveEvidence(hashing: crypto, signer: key, verifier: crypto) { certificate }
  }
}
