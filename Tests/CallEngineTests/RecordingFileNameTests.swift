import Signalling
import Testing

@testable import EngineControl

@Suite struct RecordingFileNameTests {
  private func file(_ streamID: String, camera: String? = nil) -> ArchivedFile {
    ArchivedFile(
      streamId: streamID, connectionData: "", filename: "a.webm", size: 0, startTimeOffset: 0, stopTimeOffset: 0,
      camera: camera)
  }

  @Test(
    arguments: [
      ("Front door", "yard", "yard", "front-door", "_yard"), ("Front door", "device", nil, "front-door", ""),
      ("  Haus \"Süd\"/../1 ", "caller", nil, "haus-s-d-1", "_caller"), ("門", "device", nil, "", ""),
      (String(repeating: "a", count: 90), "device", nil, String(repeating: "a", count: 40), ""),
    ] as [(String, String, String?, String, String)])
  func namesAreSafeEverywhere(title: String, stream: String, camera: String?, start: String, end: String) throws {
    let name = RecordingFileName.text(title: title, start: 1_795_262_400_000, file(stream, camera: camera))
    let stem = try #require(name.hasSuffix(".webm") ? name.dropLast(5) : nil)
    #expect(stem.hasPrefix(start) && stem.hasSuffix(end), "\(name)")
    #expect(stem.wholeMatch(of: #/([a-z0-9-]+_)?2026-11-2[0-2]_\d\d-\d\d(_[a-z0-9-]+)?/#) != nil, "\(name)")
  }
}
