import Archive
import ControlMessages
import DTLSSRTP
import DeviceConfiguration
import Glibc
import OpenSSLCrypto
import SystemSupport

/// Whether the files that the daemon keeps across restarts are as it writes them, and can be written.
struct StateCheck {
  let subject: Subject
  private var folder: String { subject.configuration.identity.stateDirectory }

  /// What each file has to be; a missing one is made.
  private static let files: [(name: String, isWhole: @Sendable ([UInt8]) -> Bool)] = [
    ("dtls.pem", { (try? DTLSIdentity(pem: $0)) != nil }),
    ("evidence.key", { (try? Ed25519Key(pem: $0)) != nil }),
    ("home", { ["yes\n", "no\n"].contains(String(decoding: $0, as: UTF8.self)) }),
    ("evidence-outstanding", isList), ("on-archive-outstanding", isList),
  ]
  /// Octets; none of the files has more.
  private static let limit = 1 << 20
  /// What the files need when they are written again.
  private static let leastFree: UInt64 = 1 << 20

  private static let isList: @Sendable ([UInt8]) -> Bool = { OutstandingArchives.read($0).isWhole }

  func findings() -> [Finding] {
    let problems = (folderProblem().map { [$0] } ?? []) + Self.files.compactMap(problem) + leftovers()
    return problems.isEmpty ? [Finding(.state, .ok, "the files in \(folder) are whole")] : problems
  }

  private func folderProblem() -> Finding? {
    var system = statvfs()
    guard statvfs(folder, &system) == 0 else {
      // The daemon makes it, or systemd.
      guard errno != ENOENT else { return nil }
      return finding(.unreadable(SystemCallError(call: "statvfs", errno: errno)), folder)
    }
    var status = stat()
    guard stat(folder, &status) == 0, status.st_mode & S_IFMT == S_IFDIR else {
      return finding(.unwritable(SystemCallError(call: "stat", errno: ENOTDIR)), folder)
    }
    if system.f_flag & UInt(ST_RDONLY) != 0 { return unwritable(EROFS) }
    let (free, isMore) = UInt64(system.f_bavail).multipliedReportingOverflow(by: UInt64(system.f_frsize))
    return isMore || free >= Self.leastFree ? nil : unwritable(ENOSPC)
  }

  private func unwritable(_ code: CInt) -> Finding {
    finding(.unwritable(SystemCallError(call: "write", errno: code)), folder)
  }

  private func problem(_ name: String, _ isWhole: @Sendable ([UInt8]) -> Bool) -> Finding? {
    let path = "\(folder)/\(name)"
    if case .denied(let text) = subject.account.permission([.read, .write], path) {
      return Finding(.state, .failure, text, remedy: "run: chown \(subject.account.name) '\(path)'")
    }
    do {
      guard let contents = try PrivateFile.read(path, limit: Self.limit), !isWhole(contents.octets) else { return nil }
      return Finding(
        .state, .failure, "\(path) is damaged: the daemon renames it when it restarts",
        remedy: "put the right one back from a copy, or restart the daemon, which makes it again")
    } catch {
      // Of a file that is not theirs others learn nothing.
      return error.errno == EACCES ? nil : finding(.unreadable(error), path)
    }
  }

  /// What the daemon has kept of damaged files.
  private func leftovers() -> [Finding] {
    let names = FolderEntries.names(in: folder).filter { $0.contains(".damaged") }
    guard let first = names.first else { return [] }
    let more = names.count > 1 ? " and \(names.count - 1) more" : ""
    return [
      Finding(
        .state, .warning, "\(folder)/\(first)\(more) was damaged, and the daemon has made a new one",
        remedy: "find the cause (the disk, a power cut), then remove \(folder)/*.damaged*")
    ]
  }

  private func finding(_ kind: StateFault.Kind, _ path: String) -> Finding {
    let fault = StateFault(path, kind, "calls continue, and nothing is kept across a restart")
    return Finding(.state, .failure, fault.problem, remedy: fault.remedy)
  }
}
