import Archive
import Glibc
import MediaCore
import RealtimeRuntime
import Signalling

/// A recording in real time: what its thread costs, how often it wakes, and what memory its rings take.
enum LiveCost {
  private static let seconds = 20

  static func measure(folder: String) async throws {
    let store = ArchiveStore(root: folder + "/archive-bench")
    let before = status("RssAnon")
    let recorder = try ArchiveRecorder(
      ArchiveID("live"), in: store, details: ArchiveDetails(sessionID: "bench"),
      configuration: ArchiveConfiguration(minimumFreeBytes: 0)
    ) { _ in }
    let inbox = try recorder.addStream(ArchiveStreamDescription(streamID: "device")) {}
    let start = MonotonicClock.now()
    let frames = TestFrames()
    frames.forEach(seconds: seconds, from: start) { header, payload in
      MonotonicClock.sleep(until: header.timestamp)
      inbox.push(header, payload: payload.span.bytes)
    }
    let thread = threadFigures(named: "archive")
    let memory = status("RssAnon") - before
    _ = await recorder.stop()
    try store.delete(recorder.id)
    print(
      "live: \(Double(thread.wakeUps) / Double(seconds)) wake-ups/s of the archive's thread, waits for the disk included"
    )
    print("live: \(Double(thread.ticks) / Double(seconds)) % of a core in the archive's thread")
    print("live: \(memory) KiB of RssAnon for one stream")
  }

  /// Kilobytes of a line in /proc/self/status.
  private static func status(_ key: String) -> Int { number(after: key + ":", in: contents("/proc/self/status")) }

  private static func threadFigures(named name: String) -> (wakeUps: Int, ticks: Int) {
    guard let folder = opendir("/proc/self/task") else { return (0, 0) }
    defer { closedir(folder) }
    while let entry = readdir(folder) {
      let thread = withUnsafeBytes(of: &entry.pointee.d_name) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
      let path = "/proc/self/task/" + thread
      guard contents(path + "/comm") == name + "\n" else { continue }
      let fields = contents(path + "/stat").split(separator: " ")
      let wakeUps = number(after: "\nvoluntary_ctxt_switches:", in: contents(path + "/status"))
      return (wakeUps, (Int(fields[13]) ?? 0) + (Int(fields[14]) ?? 0))
    }
    return (0, 0)
  }

  private static func number(after key: String, in text: String) -> Int {
    guard let place = text.firstRange(of: key) else { return 0 }
    return Int(text[place.upperBound...].drop { !$0.isNumber }.prefix { $0.isNumber }) ?? 0
  }

  private static func contents(_ path: String) -> String {
    let descriptor = open(path, O_RDONLY)
    guard descriptor >= 0 else { return "" }
    defer { close(descriptor) }
    let bytes = [UInt8](unsafeUninitializedCapacity: 8192) { buffer, count in
      count = max(0, read(descriptor, buffer.baseAddress, 8192))
    }
    return String(decoding: bytes, as: UTF8.self)
  }
}
