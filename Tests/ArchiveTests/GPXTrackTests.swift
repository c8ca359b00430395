import Foundation
import FoundationXML
import MediaCore
import TestSupport
import RealtimeRuntime
import Testing

@testable import Archive

@Suite struct TrackTests {
  private func fix(_ number: Int, time: Int64? = nil) -> PositionFix {
    PositionFix(latitude: 52.5163 + Double(number) / 1e5, longitude: -13.3777, time: time)
  }

  @Test func positionsBecomeAWellFormedTrack() async throws {
    let stage = try RecordingStage()
    let recorder = try stage.startRecorder()
    recorder.addPosition(fix(0, time: 1_795_262_401), capturedAt: RecordingStage.start + .milliseconds(1_250))
    recorder.addPosition(fix(1), capturedAt: RecordingStage.start + .seconds(2))
    _ = await recorder.stop()
    let path = try stage.store.path(RecordingStage.id) + "/track.gpx"
    let text = try String(contentsOfFile: path, encoding: .utf8)
    #expect(text.contains("<trkpt lat=\"52.5163000\" lon=\"-13.3777000\"><time>2026-11-21T12:00:01Z</time>"))
    #expect(text.contains("<ls:offset>1.250</ls:offset>"))
    #expect(text.contains("lat=\"52.5163100\""))
    #expect(try points(in: path) == 2)
    #expect(try stage.store.verify(RecordingStage.id) == [])
  }

  /// Returns the number of points, as an XML parser sees them.
  private func points(in path: String) throws -> Int {
    let document = try XMLDocument(contentsOf: URL(fileURLWithPath: path))
    return try document.nodes(forXPath: "//*[local-name()='trkpt']").count
  }

  @Test func timesComeFromTheWallClockOnlyWhenItIsTrusted() {
    let line = GPXTrack.line(fix(0), offsetMilliseconds: 7, wallTime: nil)
    #expect(!line.contains("<time>"))
    #expect(line.contains("<ls:offset>0.007<"))
    #expect(GPXTrack.line(fix(0), offsetMilliseconds: 7, wallTime: 0).contains("<time>1970-01-01T00:00:00Z</time>"))
  }

  /// A power cut at every byte of the last writes.
  @Test func trackIsWellFormedAfterRecoveryWhereverItWasCut() throws {
    let folder = try TemporaryFolder(isInMemory: true)
    let handle = try DirectoryHandle(path: folder.path)
    let lines = (0..<3).map { GPXTrack.line(fix($0), offsetMilliseconds: Int64($0) * 1000, wallTime: 1_000) }
    let path = folder.path + "/track.gpx"
    let before = Array((GPXTrack.head + lines[0] + GPXTrack.tail).utf8)
    let written = Array((lines[1] + lines[2] + GPXTrack.tail).utf8)
    let place = before.count - GPXTrack.tail.utf8.count
    for arrived in 0...written.count {
      for rest in [[], [UInt8](repeating: 0, count: written.count - arrived)] {
        var bytes = before
        let new = Array(written[..<arrived]) + rest
        bytes.replaceSubrange(place..<min(before.count, place + new.count), with: new)
        try Data(bytes).write(to: URL(fileURLWithPath: path))
        try GPXRepair.repair(in: handle)
        let whole = arrived < lines[1].utf8.count ? 1 : arrived < lines[1].utf8.count + lines[2].utf8.count ? 2 : 3
        let expected = GPXTrack.head + lines[..<whole].joined() + GPXTrack.tail
        #expect(try String(contentsOfFile: path, encoding: .utf8) == expected, "\(arrived) of \(written.count) bytes")
      }
    }
    #expect(try points(in: path) == 3)
  }

  @Test func longTrackIsRepairedAndAnEmptyOneGoes() throws {
    let folder = try TemporaryFolder(isInMemory: true)
    let handle = try DirectoryHandle(path: folder.path)
    let path = folder.path + "/track.gpx"
    let lines = (0..<2_000).map { GPXTrack.line(fix($0), offsetMilliseconds: Int64($0), wallTime: nil) }.joined()
    try Data((GPXTrack.head + lines + "<trkpt lat=\"5").utf8).write(to: URL(fileURLWithPath: path))
    try GPXRepair.repair(in: handle)
    #expect(try points(in: path) == 2_000)
    try Data(GPXTrack.head.utf8.prefix(50)).write(to: URL(fileURLWithPath: path))
    try GPXRepair.repair(in: handle)
    #expect(!FileManager.default.fileExists(atPath: path))
    try GPXRepair.repair(in: handle)
  }
}
