import Archive
import ArchiveReading
import Foundation
import MediaCore
import TestSupport
import OpenSSLCrypto
import RealtimeRuntime
import Signalling

/// A finished archive of samples in a temporary folder.
struct ExportStage {
  let folder: TemporaryFolder
  let store: ArchiveStore
  let id = ArchiveID("0b0c5c4e9a534c8e")

  /// Milliseconds by which the caller comes later.
  static let callerOffset: Int64 = 1_730

  /// - Parameter caller: what the caller's stream has; no such stream if empty.
  init(device: [[SampleFrame]?], caller: [[SampleFrame]?] = [], evidence: ArchiveEvidence? = nil) async throws {
    folder = try TemporaryFolder()
    store = ArchiveStore(root: folder.path + "/archives", evidence: evidence)
    let recorder = try ArchiveRecorder(
      id, in: store, details: ArchiveDetails(name: "front door", sessionID: "s"),
      configuration: ArchiveConfiguration(minimumFreeBytes: 0), start: Self.start
    ) { _ in }
    try Self.push(device, as: "device", offset: 0, to: recorder)
    if !caller.isEmpty { try Self.push(caller, as: "caller", offset: Self.callerOffset, to: recorder) }
    _ = await recorder.stop()
  }

  var export: ArchiveExport {
    ArchiveExport(id, in: store, hashing: OpenSSLCrypto(), verifier: OpenSSLCrypto())
  }

  /// Both parties with pictures and sound.
  static func ofBoth() async throws -> ExportStage {
    let (video, audio) = (try SampleMedia.video(), try SampleMedia.audio())
    return try await ExportStage(device: [audio, video], caller: [audio, try SampleMedia.largerVideo()])
  }

  private static let start = MonotonicInstant(nanoseconds: 500_000_000_000)

  private static func push(
    _ frames: [[SampleFrame]?], as streamID: String, offset: Int64, to recorder: ArchiveRecorder
  ) throws {
    let inbox = try recorder.addStream(ArchiveStreamDescription(streamID: streamID)) {}
    for (kind, frames) in zip([MediaKind.audio, .video], frames) {
      for (number, frame) in (frames ?? []).enumerated() {
        let header = EncodedFrameHeader(
          kind: kind, timestamp: start + .milliseconds(frame.milliseconds + offset),
          duration: kind == .audio ? .milliseconds(20) : .milliseconds(33), isKeyFrame: frame.isKeyFrame,
          number: UInt32(number))
        _ = inbox.push(header, payload: frame.payload.span.bytes)
      }
    }
  }

  /// What lies in the temporary folder beside the archives.
  var leftovers: [String] {
    ((try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []).filter { $0 != "archives" }.sorted()
  }

  func path(_ name: String) -> String { folder.path + "/" + name }
}
