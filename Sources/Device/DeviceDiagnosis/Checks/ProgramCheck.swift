import ControlMessages
import DeviceConfiguration
import RealtimeRuntime

/// Whether the daemon may run a program that the configuration names.
struct ProgramCheck {
  let part: Finding.Part
  let account: ServiceAccount

  /// Of a program that is a source, which may be named without a folder.
  func source(_ command: [String]) -> Finding {
    guard let path = ProgramSearch.absolutePath(of: command[0]) else {
      return Finding(
        part, .failure, "\(programName(command)): no folder of PATH has \(command[0])",
        remedy: "install it, or write its whole path")
    }
    return finding(path, programName(command))
  }

  /// - Parameter name: of what runs it.
  func finding(_ path: String, _ name: String) -> Finding {
    switch account.permission(.execute, path) {
    case .granted: Finding(part, .ok, "\(name): \(path) is there")
    case .denied(let text): Finding(part, .failure, "\(name): \(text)", remedy: "run: chmod +x '\(path)'")
    case .absent: Finding(part, .failure, "\(name): there is no program \(path)", remedy: "install it")
    case .unknown: Finding(part, .warning, "\(name): \(path) is not readable for you", remedy: "run this as root")
    }
  }
}
