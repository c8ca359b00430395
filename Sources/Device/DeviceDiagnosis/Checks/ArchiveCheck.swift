import ControlMessages
import DeviceConfiguration
import Glibc
import MediaPlaneAPI

/// Whether there is a place for recordings.
struct ArchiveCheck {
  let subject: Subject
  private var directory: String { subject.configuration.archive.directory }

  func findings() -> [Finding] {
    if let problem = subject.daemon.status?.archiveProblem { return [Finding(.archives, .failure, problem)] }
    if let disk = subject.daemon.figures?.media.disk { return [space(free: disk.free, capacity: disk.capacity)] }
    switch subject.account.permission([.read, .write, .execute], directory) {
    case .denied(let text):
      return [Finding(.archives, .failure, text, remedy: "run: chown -R \(subject.account.name) '\(directory)'")]
    case .unknown:
      return [Finding(.archives, .warning, "\(directory) is not readable for you", remedy: "run this as root")]
    case .granted, .absent: return [disk()]
    }
  }

  /// The file system of the folder, or of the nearest above it where it is still to be made.
  private func disk() -> Finding {
    var path = directory[...]
    var system = statvfs()
    while statvfs(String(path), &system) != 0 {
      guard path.count > 1, let slash = path.lastIndex(of: "/") else {
        return Finding(.archives, .failure, "\(directory): \(String(cString: strerror(errno)))")
      }
      path = slash == path.startIndex ? "/" : path[..<slash]
    }
    guard system.f_flag & UInt(ST_RDONLY) == 0 else {
      return Finding(
        .archives, .failure, "the file system of \(directory) is read-only",
        remedy: "mount it writable; after errors of the disk see dmesg")
    }
    let block = Int64(clamping: system.f_frsize)
    return space(
      free: Self.product(system.f_bavail, block), capacity: Self.product(system.f_blocks, block))
  }

  private static func product(_ blocks: fsblkcnt_t, _ size: Int64) -> Int64 {
    let (bytes, isTooMuch) = Int64(clamping: blocks).multipliedReportingOverflow(by: size)
    return isTooMuch ? .max : bytes
  }

  private func space(free: Int64, capacity: Int64) -> Finding {
    let least = subject.configuration.archive.minimumFree
    let text = "\(directory) has \(Self.mebibytes(free)) free of \(Self.mebibytes(capacity))"
    let remedy = "delete recordings, or set max_total, max_age or min_free of [archive]"
    guard free >= least else {
      return Finding(
        .archives, .failure, "\(text), less than the \(Self.mebibytes(least)) of min_free: nothing is recorded",
        remedy: remedy)
    }
    guard free - least >= least / 2 else {
      return Finding(.archives, .warning, "\(text); below \(Self.mebibytes(least)) nothing is recorded", remedy: remedy)
    }
    return Finding(.archives, .ok, text)
  }

  private static func mebibytes(_ bytes: Int64) -> String { "\(bytes / 1_048_576) MiB" }
}
