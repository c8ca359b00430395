import Foundation

/// What the kernel says that a process has used, now.
struct ProcessUsage {
  /// CPU seconds of all threads, user and system.
  let cpu: Double
  /// Bytes of RssAnon: memory that is the process's own.
  let anonymous: Int

  init(pid: Int32) {
    var clock = clockid_t()
    var time = timespec()
    if clock_getcpuclockid(pid, &clock) == 0 { clock_gettime(clock, &time) }
    cpu = Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
    let status = (try? String(contentsOfFile: "/proc/\(pid)/status", encoding: .utf8)) ?? ""
    let line = status.split(separator: "\n").first { $0.hasPrefix("RssAnon:") }
    anonymous = (line?.split(separator: " ").dropFirst().first.flatMap { Int($0) } ?? 0) * 1_024
  }
}

/// The processes that are measured, this one among them.
struct UsageMeter {
  private let processes: [(name: String, pid: Int32)]
  private let before: [ProcessUsage]
  private let begin = monotonicTime()

  init(_ processes: [(name: String, pid: Int32)]) {
    self.processes = processes + [("generator", getpid())]
    before = self.processes.map { ProcessUsage(pid: $0.pid) }
  }

  var elapsed: Double { Double(monotonicTime() - begin) / 1e9 }

  /// What was used since the beginning.
  var reading: [String: Reading] {
    var all: [String: Reading] = [:]
    for (process, before) in zip(processes, before) {
      let now = ProcessUsage(pid: process.pid)
      all[process.name] = Reading(
        cpu: now.cpu - before.cpu, anonymous: now.anonymous, growth: now.anonymous - before.anonymous)
    }
    return all
  }

  struct Reading: Encodable {
    /// CPU seconds.
    var cpu: Double
    /// Bytes, and how many more than at the beginning.
    var anonymous: Int
    var growth: Int
  }
}
