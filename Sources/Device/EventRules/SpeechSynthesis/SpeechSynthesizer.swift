internal import RealtimeRuntime
internal import Glibc
public import MediaCore

/// Speaks text with `espeak-ng`, which is optional.
public struct SpeechSynthesizer: Sendable {
  private static let program = "/usr/bin/espeak-ng"

  private let program: String

  public init() { self.init(program: Self.program) }

  init(program: String) { self.program = program }

  public static var isInstalled: Bool { access(program, X_OK) == 0 }

  /// Makes a WAV file of a text. Blocks for some milliseconds, five seconds at most.
  public func synthesize(_ speech: Announcement.Speech) throws(SpeechSynthesisError) -> MemoryFile {
    var text = try MemoryFile(name: "text")
    // The text comes by standard input: a process list does not show it, and it is never taken for an option.
    try text.fill(with: speech.text)
    let sound = try MemoryFile(name: "speech")
    let outcome = try run(speech.voice, ChildProcess.StandardFiles(input: text.descriptor, output: sound.descriptor))
    guard outcome == .exited(status: 0), sound.byteCount > 0 else { throw .failed(voice: speech.voice) }
    return sound
  }

  private func run(
    _ voice: String, _ files: ChildProcess.StandardFiles
  ) throws(SpeechSynthesisError) -> ChildProcess.Outcome {
    let process = ChildProcess(
      command: [program, "--stdin", "--stdout", "-b", "1", "-v", voice], environment: ["PATH=/usr/bin:/bin"],
      timeout: .seconds(3))
    do throws(ChildProcess.StartFailure) {
      return try process.run(files)
    } catch {
      throw error.code == ENOENT ? .notInstalled : .system(error.path, code: error.code)
    }
  }
}

/// A text cannot be spoken.
public enum SpeechSynthesisError: Error, Hashable, Sendable, CustomStringConvertible {
  case notInstalled
  case failed(voice: String)
  /// A system call or a program, and errno.
  case system(String, code: CInt)

  public var description: String {
    switch self {
    case .notInstalled: "espeak-ng, which speaks texts, is not installed: apt-get install espeak-ng"
    case .failed(let voice): "espeak-ng cannot speak this with the voice \(voice); espeak-ng --voices lists them"
    case .system(let call, let code): "\(call): \(String(cString: strerror(code)))"
    }
  }
}
