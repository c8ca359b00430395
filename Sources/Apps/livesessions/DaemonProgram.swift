import Glibc
import RealtimeRuntime

/// The daemon's program, run for an errand of this one.
enum DaemonProgram {
  struct Failure: Error {
    var text: String
  }

  private static let name = "livesessionsd"

  private static let longestOutput = 4 * 1_048_576

  /// Its output, after its end.
  static func output(_ arguments: [String]) throws(Failure) -> String {
    let process = ChildProcess(command: [try path()] + arguments, environment: nil, timeout: nil)
    let (outcome, output): (ChildProcess.Outcome, CollectedOutput)
    do {
      (outcome, output) = try process.output(.init(error: STDERR_FILENO), maximumBytes: longestOutput)
    } catch {
      throw Failure(text: "\(error)")
    }
    if let failure = outcome.failure { throw Failure(text: "\(name): \(failure)") }
    return output.text
  }

  /// Beside this program.
  static func path() throws(Failure) -> String {
    let own = withUnsafeTemporaryAllocation(of: CChar.self, capacity: Int(PATH_MAX)) { buffer in
      let count = max(0, readlink("/proc/self/exe", buffer.baseAddress!, buffer.count))
      return String(decoding: buffer.prefix(count).map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }
    let path = own.lastIndex(of: "/").map { own[...$0] + name } ?? ""
    guard access(path, X_OK) == 0 else { throw Failure(text: "there is no \(name) beside this program: \(own)") }
    return path
  }
}
