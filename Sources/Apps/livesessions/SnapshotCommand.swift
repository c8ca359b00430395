import ArgumentParser
import ControlMessages
import Glibc
import SystemSupport

struct SnapshotCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "snapshot", abstract: "Takes a snapshot of a camera.",
    discussion: """
      The image is a JPEG with privacy masks and overlay, as callers see it. A camera that is closed is opened for \
      it, for some seconds at most.
      """)

  @OptionGroup var connection: ConnectionOptions
  @Option(
    help: ArgumentHelp("The [[camera]] of that name instead of the one of [video].", valueName: "name"),
    completion: Completions.cameras)
  var camera: String?
  @Option(
    name: .shortAndLong,
    help: ArgumentHelp(
      "Where to write it; - for standard output. (default: a file named by the time, or standard output where that is no "
        + "terminal)", valueName: "file"))
  var output: String?

  /// The daemon gives up sooner.
  private static let timeout = Duration.seconds(40)

  func run() throws {
    let reply = try connection.withClient { client throws(ControlClientError) in
      try client.call(.snapshot, SnapshotParameters(camera: camera), timeout: Self.timeout)
    }
    let path = Self.path(output, isTerminal: Output.isTerminal)
    do throws(SystemCallError) {
      if let path {
        try ImageFile.write(reply.picture, to: path)
      } else {
        try PrivateFile.write(reply.picture, to: STDOUT_FILENO)
      }
    } catch {
      throw Failure("\(path ?? "standard output"): \(error.reason)").reported()
    }
    if let path, Output.isTerminal { Output.printLine(path) }
  }

  /// Nil for standard output.
  static func path(_ output: String?, isTerminal: Bool, now: time_t = time(nil)) -> String? {
    guard let output else { return isTerminal ? "snapshot-\(TimeText.local(Int64(now), "%Y%m%dT%H%M%S")).jpg" : nil }
    return output == "-" ? nil : output
  }
}

/// An image on its way to a file.
enum ImageFile {
  /// Writes beside the file and renames it into place, so that readers see only whole images. Others may not read it,
  /// as with the images of events.
  static func write(_ image: [UInt8], to path: String) throws(SystemCallError) {
    guard isReplaceable(path) else { return try writeInto(path, image) }
    let mask = umask(0)
    umask(mask)
    try PrivateFile.replace(path, with: image, mode: 0o640 & ~mask)
  }

  /// Whether a file is there, or nothing; devices and pipes are not to be replaced by files.
  private static func isReplaceable(_ path: String) -> Bool {
    var status = stat()
    return stat(path, &status) != 0 || status.st_mode & S_IFMT == S_IFREG
  }

  private static func writeInto(_ path: String, _ image: [UInt8]) throws(SystemCallError) {
    let descriptor = open(path, O_WRONLY | O_CLOEXEC)
    guard descriptor >= 0 else { throw SystemCallError(call: "open", errno: errno) }
    defer { close(descriptor) }
    try PrivateFile.write(image, to: descriptor)
  }
}
