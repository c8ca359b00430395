import RealtimeRuntime
import Foundation

/// An Ogg Opus file that opusenc made of another file, removed when nobody holds it any more.
final class TemporaryOpus {
  let path = FileManager.default.temporaryDirectory.appending(path: "sound-\(UUID()).opus").path

  struct Failure: Error { let outcome: ChildProcess.Outcome }

  init(of source: TemporaryWAV) throws {
    let encoder = ChildProcess(
      command: ["/usr/bin/opusenc", "--quiet", "--bitrate", "64", source.path, path], environment: [],
      timeout: .seconds(30))
    let outcome = try encoder.run(.init())
    guard outcome == .exited(status: 0) else { throw Failure(outcome: outcome) }
  }

  deinit { try? FileManager.default.removeItem(atPath: path) }
}
