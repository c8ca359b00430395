import Archive
import Glibc
import MediaCore
import Signalling
import WebM

/// The repair of a large file that a power cut left, beside the time to read it once.
enum RepairCost {
  static func measure(folder: String, megabytes: Int) throws {
    let root = folder + "/archive-bench"
    let archive = root + "/2026/01/01/repair"
    let path = archive + "/device.webm"
    var made = ""
    for part in archive.split(separator: "/") {
      made += "/" + part
      mkdir(made, 0o750)
    }
    defer { try? ArchiveStore(root: root).delete(ArchiveID("repair")) }
    write(makeManifest(), to: archive + "/archive.json")
    let size = writeTornFile(path, megabytes: megabytes)
    dropFromCache(path)
    let reading = milliseconds { readThrough(path) }
    dropFromCache(path)
    let repairing = try milliseconds { _ = try ArchiveStore(root: root).recover() }
    dropFromCache(path)
    let verifying = try milliseconds { _ = try ArchiveStore(root: root).verify(ArchiveID("repair")) }
    print("repair: \(Int(repairing)) ms for \(size >> 20) MB, \(Int(reading)) ms to read it")
    print("verify: \(Int(verifying)) ms with every checksum")
  }

  private static func makeManifest() -> [UInt8] {
    Array(
      """
      {"id":"repair","name":"","sessionId":"","createdAt":0,"files":[],"status":"started","reason":"","duration":0,
      "size":0,"hasAudio":true,"hasVideo":true,"outputMode":"individual","streamMode":"auto","clockSynchronized":true}
      """.utf8)
  }

  private static func write(_ bytes: [UInt8], to path: String) {
    let descriptor = creat(path, 0o640)
    _ = Glibc.write(descriptor, bytes, bytes.count)
    close(descriptor)
  }

  /// Writes a recording without its end, and returns its size.
  private static func writeTornFile(_ path: String, megabytes: Int) -> Int {
    let descriptor = creat(path, 0o640)
    defer { close(descriptor) }
    var writer = WebMWriter()
    var size = 0
    var start = MonotonicInstant(nanoseconds: 0)
    while size < megabytes << 20 {
      TestFrames().forEach(seconds: 60, from: start) { header, payload in
        writer.push(header, payload: payload.span.bytes, now: header.timestamp)
        while writer.nextOutput(now: header.timestamp) == .append {
          size += writer.withOutput { bytes in
            bytes.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
          }
        }
      }
      start = start + .seconds(60)
    }
    fsync(descriptor)
    ftruncate(descriptor, off_t(size - 20_000))
    return size
  }

  private static func dropFromCache(_ path: String) {
    let descriptor = open(path, O_RDONLY)
    fsync(descriptor)
    posix_fadvise(descriptor, 0, 0, POSIX_FADV_DONTNEED)
    close(descriptor)
  }

  private static func readThrough(_ path: String) {
    let descriptor = open(path, O_RDONLY)
    defer { close(descriptor) }
    var buffer = [UInt8](repeating: 0, count: 128 * 1024)
    while read(descriptor, &buffer, buffer.count) > 0 {}
  }
}
