import ArgumentParser
import ControlMessages
import Glibc

struct SnapshotCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "snapshot", abstract: "Takes a snapshot of a camera.",
    discussion: """
      The image is a JPEG with privacy masks and overlay, as callers see it. A camera that is closed is opened for \
      it, for some seconds at most.
      """)

  @OptionGroup var connection: ConnectionOptions
  @Option(
    help: ArgumentHelp("The [[camera]] of that name instead of the one of [video].", valueName: "name"))
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
    guard let path = Self.path(output, isTerminal: Output.isTerminal) else { return try write(reply.picture) }
    do {
      try FrameFile.write(reply.picture, to: path)
    } catch {
      throw Failure("\(path): \(error)").reported()
    }
    if Output.isTerminal { Output.printLine(path) }
  }

  /// Nil for standard output.
  static func path(_ output: String?, isTerminal: Bool, now: time_t = time(nil)) -> String? {
    guard let output else { return isTerminal ? "snapshot-\(stamp(now)).jpg" : nil }
    return output == "-" ? nil : output
  }

  /// Local time, in the order of names.
  private static func stamp(_ time: time_t) -> String {
    var (time, local) = (time, tm())
    localtime_r(&time, &local)
    let bytes = [UInt8](unsafeUninitializedCapacity: 32) { buffer, count in
      count = buffer.withMemoryRebound(to: CChar.self) { strftime($0.baseAddress!, $0.count, "%Y%m%dT%H%M%S", &local) }
    }
    return String(decoding: bytes, as: UTF8.self)
  }

  private func write(_ image: [UInt8]) throws {
    guard FrameFile.write(image, to: STDOUT_FILENO) else {
      throw Failure("standard output: \(String(cString: strerror(errno)))").reported()
    }
  }
}

/// An image on its way to a file.
enum FrameFile {
  struct Failure: Error, CustomStringConvertible {
    let description: String

    fileprivate static var last: Failure { Failure(description: String(cString: strerror(errno))) }
  }

  /// Writes beside the file and renames it into place, so that readers see only whole images. Others may not read it,
  /// as with the images of events.
  static func write(_ image: [UInt8], to path: String) throws(Failure) {
    guard isReplaceable(path) else { return try writeInto(path, image) }
    let temporary = "\(path).\(getpid()).new"
    let descriptor = open(temporary, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0o640)
    guard descriptor >= 0 else { throw .last }
    let isWritten = write(image, to: descriptor)
    let failure = Failure.last
    close(descriptor)
    guard isWritten else {
      unlink(temporary)
      throw failure
    }
    guard rename(temporary, path) == 0 else {
      let failure = Failure.last
      unlink(temporary)
      throw failure
    }
  }

  /// Whether a file is there, or nothing; devices and pipes are not to be replaced by files.
  private static func isReplaceable(_ path: String) -> Bool {
    var status = stat()
    return stat(path, &status) != 0 || status.st_mode & S_IFMT == S_IFREG
  }

  private static func writeInto(_ path: String, _ image: [UInt8]) throws(Failure) {
    let descriptor = open(path, O_WRONLY | O_CLOEXEC)
    guard descriptor >= 0 else { throw .last }
    defer { close(descriptor) }
    guard write(image, to: descriptor) else { throw .last }
  }

  /// Returns false when the system refuses; `errno` says why.
  static func write(_ image: [UInt8], to descriptor: CInt) -> Bool {
    var rest = image[...]
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { return false }
      rest = rest.dropFirst(count)
    }
    return true
  }
}
