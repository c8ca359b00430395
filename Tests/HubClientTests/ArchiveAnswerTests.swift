import SystemSupport
import NIOCore
import Signalling
import Testing

@testable import HubClient

@Suite("Answers to the hub's archive requests")
struct ArchiveAnswerTests {
  @Test("Paths that may be asked for")
  func goodPaths() {
    #expect(ArchiveRequestPath("archives") == .list)
    #expect(ArchiveRequestPath("archives/0a-B_9") == .manifest(archiveID: "0a-B_9"))
    #expect(ArchiveRequestPath("archives/a/video.1.webm") == .file(archiveID: "a", name: "video.1.webm"))
  }

  private struct OneFrame: SnapshotProviding {
    var picture: [UInt8]?
    var cameras: [CameraName] = [.main, "yard"]
    func snapshot(of camera: CameraName) async -> [UInt8]? { picture.map { $0 + (camera == "yard" ? [4] : []) } }
  }

  @Test("A picture, where the configuration allows that and there is one that is small enough")
  func snapshots() async throws {
    #expect(ArchiveRequestPath("snapshot") == .snapshot(.main))
    let request = RequestEvent(uploadID: "u", path: "snapshot", range: nil, maximumBytes: 3)
    var content = RequestedContent(archives: MemoryArchives(files: [:]))
    #expect(try await ArchiveAnswer.make(request, from: content).status == 403)
    for missing in [nil, [1, 2, 3, 4]] as [[UInt8]?] {
      content.snapshots = OneFrame(picture: missing)
      #expect(try await ArchiveAnswer.make(request, from: content).status == 404)
    }
    content.snapshots = OneFrame(picture: [1, 2, 3])
    let answer = try await ArchiveAnswer.make(request, from: content)
    #expect(answer.status == 200 && answer.contentType == "image/jpeg" && answer.content.count == 3)
  }

  private final class Shutter: SnapshotProviding {
    let cameras: [CameraName] = [.main, "yard"]
    let opened = Mutex<[CameraName]>([])
    func snapshot(of camera: CameraName) async -> [UInt8]? {
      opened.withLock { $0.append(camera) }
      return Array(camera.text.utf8)
    }
  }

  @Test("Each camera is named, has its own picture, and no other is opened")
  func snapshotsOfFurtherCameras() async throws {
    var content = RequestedContent(archives: MemoryArchives(files: [:]))
    func ask(_ path: String) async throws -> (status: Int, text: String) {
      let answer = try await ArchiveAnswer.make(
        RequestEvent(uploadID: "u", path: path, range: nil, maximumBytes: 100), from: content)
      guard case .bytes(let bytes) = answer.content else { return (answer.status, "") }
      return (answer.status, String(decoding: bytes, as: UTF8.self))
    }
    #expect(try await ask("cameras") == (403, ""))
    #expect(try await ask("snapshot/yard") == (403, ""))
    let shutter = Shutter()
    content.snapshots = shutter
    #expect(try await ask("cameras") == (200, #"{"items":["device","yard"]}"#))
    for (path, camera) in [("snapshot", "device"), ("snapshot/device", "device"), ("snapshot/yard", "yard")] {
      #expect(try await ask(path) == (200, camera))
    }
    for unknown in ["cellar", "mosaic"] {
      #expect(try await ask("snapshot/\(unknown)") == (404, "it has no camera of this name; it has device, yard"))
    }
    let misspelt = ["snapshot/", "snapshot/Yard", "snapshot/-yard", "snapshot/..", "snapshot/y%2f", "cameras/x"]
    for path in misspelt { #expect(try await ask(path) == (404, "")) }
    #expect(shutter.opened.withLock { $0 } == [.main, .main, "yard"])
  }

  private struct OneEvent: TimelineProviding {
    func events(in span: TimelineSpan, after cursor: EventCursor?) async throws -> [UInt8] {
      Array((span.text + (cursor.map { "<\($0.text)" } ?? "")).utf8)
    }
    func recordings(in span: TimelineSpan) async throws -> [UInt8] { Array(#"{"items":[]}"#.utf8) }
    func image(of id: DetectedEventID, limit: Int64) async -> [UInt8]? { id.text.hasSuffix("0") ? [1, 2] : nil }
  }

  @Test("Events and their pictures, where the configuration allows that")
  func timeline() async throws {
    var content = RequestedContent(archives: MemoryArchives(files: [:]))
    func ask(_ path: String, limit: Int64 = 10) async throws -> ArchiveAnswer {
      try await .make(RequestEvent(uploadID: "u", path: path, range: nil, maximumBytes: limit), from: content)
    }
    let picture = "events/20261124T195512Z-9f3c01a0/picture"
    #expect(try await ask("events/5-10").status == 403)
    #expect(try await ask(picture).status == 403)
    #expect(try await ask("recordings/5-10").status == 403)
    content.timeline = OneEvent()
    #expect(try await ask("recordings/5-10", limit: 100).content.count == 12)
    let list = try await ask("events/5-10")
    #expect(list.status == 200 && list.contentType == "application/json" && list.content.count == 4)
    #expect(try await ask("events/5-10", limit: 3).status == 404)
    let cursor = "7-20261124T195512Z-9f3c01a0"
    #expect(try await ask("events/5-10/after/\(cursor)", limit: 100).content.count == 5 + cursor.utf8.count)
    let found = try await ask(picture)
    #expect(found.status == 200 && found.contentType == "image/jpeg" && found.content.count == 2)
    #expect(try await ask(picture, limit: 1).status == 404)
    #expect(try await ask("events/20261124T195512Z-9f3c01a1/picture").status == 404)
  }

  private actor Recorder: RecordingControl {
    private var isRecording = false
    var disk = ""
    func fill(_ words: String) { disk = words }
    func setRecording(
      _ isWanted: Bool?, for requester: ContentRequester?
    ) async throws(RequestRefusal) -> RecordingState {
      guard requester?.userID == "anna" else { throw .notAllowed("it knows you not") }
      if isWanted == true, !disk.isEmpty { throw .notPossible(disk) }
      isRecording = isWanted ?? isRecording
      return RecordingState(isRecording: isRecording)
    }
  }

  @Test("Recording by hand, where the device permits it")
  func recording() async throws {
    let recorder = Recorder()
    var content = RequestedContent(archives: MemoryArchives(files: [:]))
    func ask(_ path: String, by userID: String = "anna") async throws -> (status: Int, text: String) {
      var request = RequestEvent(uploadID: "u", path: path, range: nil, maximumBytes: 100)
      request.requester = ContentRequester(userID: userID, role: "operator", groups: [], token: "")
      let answer = try await ArchiveAnswer.make(request, from: content)
      guard case .bytes(let bytes) = answer.content else { return (answer.status, "") }
      return (answer.status, String(decoding: bytes, as: UTF8.self))
    }
    #expect(try await ask("recording/start") == (403, ""))
    content.recording = recorder
    #expect(try await ask("recording") == (200, #"{"isRecording":false}"#))
    #expect(try await ask("recording/start") == (200, #"{"isRecording":true}"#))
    #expect(try await ask("recording/stop") == (200, #"{"isRecording":false}"#))
    #expect(try await ask("recording/stop", by: "bert") == (403, "it knows you not"))
    await recorder.fill("the disk is full")
    #expect(try await ask("recording/start") == (409, "the disk is full"))
    await recorder.fill(String(repeating: "ä", count: 400))
    #expect(try await ask("recording/start") == (409, String(repeating: "ä", count: 256)))
  }

  @Test("A part of a stream, where there is one, within the hub's limit")
  func clips() async throws {
    let content = RequestedContent(archives: MemoryArchives(files: ["a/v.webm": Array(0..<100)]))
    func ask(_ path: String, limit: Int64 = 1_000) async throws -> ArchiveAnswer {
      try await .make(RequestEvent(uploadID: "u", path: path, range: nil, maximumBytes: limit), from: content)
    }
    let clip = try await ask("archives/a/v.webm/clip/10-40")
    #expect(clip.status == 200 && clip.content.count == 30 && clip.fileName == "clip.webm")
    #expect(try await ask("archives/a/v.webm/clip/10-40", limit: 29).status == 409)
    #expect(try await ask("archives/a/v.webm/clip/10-400").status == 409)
    #expect(try await ask("archives/a/w.webm/clip/10-40").status == 404)
    #expect(try await ask("archives/a/thumbnail").status == 404)
  }

  private struct Keeper: ArchiveChanging {
    func change(
      _ archiveID: ArchiveID, _ change: ArchiveChange, for requester: ContentRequester?
    ) async throws(RequestRefusal) -> ArchiveState {
      guard requester?.userID == "anna" else { throw .notAllowed("its policy does not let you") }
      guard archiveID == "a" else { throw .notFound("it has no such recording") }
      switch change {
      case .delete: throw .notPossible("the recording is locked")
      case .lock, .unlock: return ArchiveState(id: "a", name: "", isLocked: change == .lock, isDeleted: false)
      case .rename(let name): return ArchiveState(id: "a", name: name, isLocked: false, isDeleted: false)
      }
    }
  }

  @Test("Changes of archives, where the device permits them")
  func changes() async throws {
    var content = RequestedContent(archives: MemoryArchives(files: [:]))
    func ask(_ path: String, by userID: String = "anna") async throws -> (status: Int, text: String) {
      var request = RequestEvent(uploadID: "u", path: path, range: nil, maximumBytes: 200)
      request.requester = ContentRequester(userID: userID, role: "operator", groups: [], token: "")
      let answer = try await ArchiveAnswer.make(request, from: content)
      guard case .bytes(let bytes) = answer.content else { return (answer.status, "") }
      return (answer.status, String(decoding: bytes, as: UTF8.self))
    }
    #expect(try await ask("archives/a/change/lock") == (403, ""))
    content.changes = Keeper()
    let locked = try await ask("archives/a/change/lock")
    #expect(locked.status == 200 && locked.text.contains(#""isLocked":true"#))
    let renamed = try await ask("archives/a/change/\(ArchiveChange.rename("Tür").text)")
    #expect(renamed.status == 200 && renamed.text.contains(#""name":"Tür""#))
    #expect(try await ask("archives/a/change/delete") == (409, "the recording is locked"))
    #expect(try await ask("archives/b/change/lock") == (404, "it has no such recording"))
    #expect(try await ask("archives/a/change/lock", by: "bert") == (403, "its policy does not let you"))
  }

  @Test(
    "Paths that may not",
    arguments: [
      "", "/archives", "archives/", "archives//x", "archives/..", "archives/a/..", "archives/a/../b", "archives/a/b/c",
      "archives/a/change/", "archives/a/change/burn", "archives/a/change/name/4",
      "archives/a/change/name/ff", "archives/a/change/name/4A", "archives/a/v.webm/clip", "archives/a/v.webm/clip/",
      "archives/a/v.webm/clip/5-5", "archives/a/v.webm/clip/0-900001", "archives/a/v.webm/clip/-5-10",
      "archives/a/v..webm/clip/0-1", "archives/../v.webm/clip/0-1", "archives/a/v.webm/part/0-1",
      "archives/a/.hidden", "archives/a/x..y", "archives/a/%2e%2e", "archives/a/b\\c", "archives/a/b\0", "other/a",
      "recording/", "recording/pause", "recording/start/x", "recordings", "recordings/5-5", "recordings/5-10/x",
      "events", "events/", "events/10-5", "events/5-5", "events/-5-10", "events/+1-2",
      "events/0-99999999999999999999", "events/0-604800000000", "events/5-10/picture",
      "events/20261124T195512Z-9f3c01ab", "snapshot/", "snapshot/Yard", "snapshot/yard/x",
      "events/5-10/after", "events/5-10/after/", "events/5-10/after/7",
      "events/5-10/before/7-20261124T195512Z-9f3c01a0",
      "events/5-10/after/-7-20261124T195512Z-9f3c01a0", "events/5-10/after/7-20261124T195512Z-9f3c01a0/x",
      "events/10-5/after/7-20261124T195512Z-9f3c01a0", "events/5-10/after/..",
      "events/20261124T195512Z-9F3C01AB/picture", "events/../picture", "events/20261124T195512Z-9f3c01ab/other",
      "archives/ä", "archives/" + String(repeating: "a", count: 129),
    ])
  func badPaths(path: String) {
    #expect(ArchiveRequestPath(path) == nil)
  }

  @Test(
    "Ranges of ten bytes, RFC 9110 section 14.1.2",
    arguments: [
      (nil, RangeSelection.whole), ("bytes=0-3", .part(0..<4)), ("bytes=4-", .part(4..<10)),
      ("bytes=-3", .part(7..<10)), ("bytes=-99", .part(0..<10)), ("bytes=9-99", .part(9..<10)),
      ("bytes=10-", .unsatisfiable), ("bytes=-0", .unsatisfiable), ("bytes=3-2", .whole), ("bytes=0-1,4-5", .whole),
      ("bytes=-", .whole), ("items=0-1", .whole), ("bytes=+1-2", .whole),
      ("bytes=99999999999999999999-", .whole), ("Bytes=0-0", .part(0..<1)),
    ] as [(String?, RangeSelection)])
  func ranges(header: String?, expected: RangeSelection) {
    #expect(RangeSelection(header: header, size: 10) == expected)
  }

  private func answer(_ path: String, range: String? = nil, maximum: Int64 = 1000) async throws -> ArchiveAnswer {
    let request = RequestEvent(uploadID: "u", path: path, range: range, maximumBytes: maximum)
    return try await ArchiveAnswer.make(
      request, from: RequestedContent(archives: MemoryArchives(files: ["a/v.webm": Array(0..<100)])))
  }

  @Test func wholeFile() async throws {
    let answer = try await answer("archives/a/v.webm")
    #expect(answer.status == 200)
    #expect(answer.contentType == "video/webm")
    #expect(answer.content.count == 100)
  }

  @Test func partOfAFileIsCutToTheHubsLimit() async throws {
    let answer = try await answer("archives/a/v.webm", range: "bytes=10-", maximum: 20)
    #expect(answer.status == 206)
    #expect(answer.contentRange == "bytes 10-29/100")
    #expect(answer.content.count == 20)
  }

  @Test("Limits of the hub that no file reaches", arguments: [1, Int64.max - 1, .max])
  func anyLimit(maximum: Int64) async throws {
    let answer = try await answer("archives/a/v.webm", range: "bytes=1-", maximum: maximum)
    #expect(answer.status == 206)
    #expect(answer.content.count == min(99, maximum))
  }

  @Test("Limits of the hub that let nothing through", arguments: [0, -1, Int64.min])
  func noLimit(maximum: Int64) async throws {
    #expect(try await answer("archives/a/v.webm", range: "bytes=1-", maximum: maximum).status == 416)
    #expect(try await answer("archives/a/v.webm", maximum: maximum).status == 416)
    #expect(try await answer("archives", maximum: maximum).status == 404)
  }

  @Test func aWholeFileAboveTheLimitIsRefusedWithItsSize() async throws {
    let answer = try await answer("archives/a/v.webm", maximum: 20)
    #expect(answer.status == 416)
    #expect(answer.contentRange == "bytes */100")
    #expect(answer.content.count == 0)
  }

  @Test("What is not there", arguments: ["archives/b", "archives/a/w.webm", "archives/../etc", "archives/b/v.webm"])
  func missing(path: String) async throws {
    #expect(try await answer(path).status == 404)
  }

  @Test func listAndManifestAreJSON() async throws {
    #expect(try await answer("archives").contentType == "application/json")
    #expect(try await answer("archives/a").status == 200)
  }

  @Test func chunksCoverExactlyTheRange() async throws {
    let bytes = (0..<200_000).map { UInt8(truncatingIfNeeded: $0 % 251) }
    let chunks = ArchiveFileChunks(file: MemoryFile(bytes: bytes), range: 5..<199_999)
    var received: [UInt8] = []
    for try await chunk in chunks {
      #expect(chunk.readableBytes <= 64 * 1024)
      received += Array(chunk.readableBytesView)
    }
    #expect(received == Array(bytes[5..<199_999]))
  }

  @Test func aFileThatShrinksBreaksTheUploadOff() async {
    let chunks = ArchiveFileChunks(file: MemoryFile(bytes: [1, 2, 3]), range: 0..<10)
    await #expect(throws: ArchiveFileChunks.Truncated.self) {
      for try await _ in chunks {}
    }
  }
}
