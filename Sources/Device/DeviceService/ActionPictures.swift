import Glibc
import Locking
import Logging
import MediaCore
import MediaPipeline
import RealtimeRuntime

/// Keeps a picture of the moment at which somebody has an action done, or is refused it, if the camera runs then; during
/// a call it does.
final class ActionPictures: Sendable {
  /// The oldest go for new ones.
  static let mostPictures = 500
  private static let shortestInterval = TimeSpan.seconds(1)

  private let folder: String
  private let stills: StillPictures
  private let logger: Logger
  private let lastTaken = Mutex<MonotonicInstant?>(nil)

  /// - Parameter folder: is made when the first picture is written.
  init(folder: String, stills: StillPictures, logger: Logger) {
    self.folder = folder
    self.stills = stills
    self.logger = logger
  }

  /// Returns at once; at most one picture a second is kept.
  func keep(of action: String) {
    guard isDue(MonotonicClock.now()) else { return }
    let time = time(nil)
    Task {
      guard let picture = await stills.next() else { return }
      let path = "\(folder)/\(Self.name(action, time))"
      do {
        try await BlockingWork.run { try self.write(picture, to: path) }
        logger.info("action \(action): a picture of the moment is in \(path)")
      } catch {
        logger.warning("action \(action): no picture of the moment: \(error)")
      }
    }
  }

  private func isDue(_ now: MonotonicInstant) -> Bool {
    lastTaken.withLock { last in
      if let last, now - last < Self.shortestInterval { return false }
      last = now
      return true
    }
  }

  /// In the order of time, such as `20261123T215012Z-open-door.jpg`.
  static func name(_ action: String, _ time: time_t) -> String {
    var (time, fields, text) = (time, tm(), [CChar](repeating: 0, count: 32))
    gmtime_r(&time, &fields)
    let count = strftime(&text, text.count, "%Y%m%dT%H%M%SZ", &fields)
    let stamp = String(decoding: text.prefix(count).map { UInt8(bitPattern: $0) }, as: UTF8.self)
    return "\(stamp)-\(action).jpg"
  }

  func write(_ picture: [UInt8], to path: String) throws(SystemCallError) {
    if mkdir(folder, 0o750) != 0, errno != EEXIST { throw .last("mkdir \(folder)") }
    let descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o640)
    guard descriptor >= 0 else { throw .last("open \(path)") }
    defer { close(descriptor) }
    var written = 0
    while written < picture.count {
      let count = picture.withUnsafeBytes {
        Glibc.write(descriptor, $0.baseAddress! + written, picture.count - written)
      }
      guard count > 0 else {
        let error = SystemCallError.last("write \(path)")
        unlink(path)
        throw error
      }
      written += count
    }
    removeOldest()
  }

  private func removeOldest() {
    let names = names()
    for name in names.dropLast(Self.mostPictures) { unlink("\(folder)/\(name)") }
  }

  private func names() -> [String] {
    guard let directory = opendir(folder) else { return [] }
    defer { closedir(directory) }
    var names: [String] = []
    while let entry = readdir(directory) {
      let name = withUnsafeBytes(of: &entry.pointee.d_name) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
      if name.hasSuffix(".jpg") { names.append(name) }
    }
    return names.sorted()
  }
}
