import Foundation

/// A redis-server of the simulator's own, on a Unix socket, that keeps nothing on disk.
final class RedisServer {
  let socket: String
  private let folder: URL
  private let process = Process()

  init() throws {
    folder = FileManager.default.temporaryDirectory.appendingPathComponent("hub-simulator-\(getpid())")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    socket = folder.appendingPathComponent("redis.socket").path
    process.executableURL = URL(fileURLWithPath: "/usr/bin/redis-server")
    process.arguments = [
      "--port", "0", "--unixsocket", socket, "--save", "", "--appendonly", "no", "--hash-max-listpack-value", "1024",
      "--dir", folder.path,
    ]
    process.standardOutput = FileHandle.nullDevice
    try process.run()
  }

  /// CPU seconds so far, user and system.
  var cpu: Double { processorTime(of: process.processIdentifier) }

  func stop() {
    process.terminate()
    process.waitUntilExit()
    try? FileManager.default.removeItem(at: folder)
  }
}

/// CPU seconds of all threads of a process.
func processorTime(of pid: Int32) -> Double {
  var clock = clockid_t()
  var time = timespec()
  guard clock_getcpuclockid(pid, &clock) == 0 else { return 0 }
  clock_gettime(clock, &time)
  return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
}

/// Bytes of this process's RssAnon.
func ownMemory() -> Int {
  let status = (try? String(contentsOfFile: "/proc/self/status", encoding: .utf8)) ?? ""
  let line = status.split(separator: "\n").first { $0.hasPrefix("RssAnon:") }
  return (line?.split(separator: " ").dropFirst().first.flatMap { Int($0) } ?? 0) * 1_024
}

extension RedisServer {
  /// Bytes that Redis has allocated.
  func memory() throws -> Int {
    let (asking, output) = (Process(), Pipe())
    asking.executableURL = URL(fileURLWithPath: "/usr/bin/redis-cli")
    asking.arguments = ["-s", socket, "INFO", "memory"]
    asking.standardOutput = output
    try asking.run()
    let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    asking.waitUntilExit()
    let line = text.split(whereSeparator: \.isNewline).first { $0.hasPrefix("used_memory:") }
    return line.flatMap { Int($0.dropFirst("used_memory:".count)) } ?? 0
  }
}
