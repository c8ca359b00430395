public import Foundation

/// A program that tests need and that we did not write.
public enum ExternalProgram {
  /// It is not installed; says how to change that.
  public struct Missing: Error, CustomStringConvertible {
    public var description: String
  }

  /// A program ended with a status other than zero.
  public struct Failed: Error, CustomStringConvertible {
    public var description: String
  }

  /// What a program printed.
  public struct Output: Sendable {
    public var standardOutput: Data
    public var standardError: String
    public var status: Int32

    public var text: String { String(decoding: standardOutput, as: UTF8.self) }
  }

  private static let packages = [
    "ffmpeg": "ffmpeg", "ffprobe": "ffmpeg", "mkvmerge": "mkvtoolnix", "mount": "mount", "umount": "mount",
  ]

  /// Runs a program to its end.
  ///
  /// - Parameter expectsSuccess: whether another status than zero is an error.
  @discardableResult
  public static func run(_ name: String, _ arguments: [String], expectsSuccess: Bool = true) throws -> Output {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: try path(of: name))
    process.arguments = arguments
    let temporary = try TemporaryFolder()
    let output = try temporary.makeFile("output")
    let error = try temporary.makeFile("error")
    process.standardInput = FileHandle.nullDevice
    process.standardOutput = output
    process.standardError = error
    try process.run()
    process.waitUntilExit()
    let result = Output(
      standardOutput: try Data(contentsOf: temporary.url("output")),
      standardError: String(decoding: try Data(contentsOf: temporary.url("error")), as: UTF8.self),
      status: process.terminationStatus)
    guard result.status == 0 || !expectsSuccess else {
      throw Failed(description: "\(name) \(arguments): status \(result.status): \(result.standardError)\(result.text)")
    }
    return result
  }

  private static func path(of name: String) throws -> String {
    let folders = (ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin").split(separator: ":")
    for folder in folders {
      let path = "\(folder)/\(name)"
      if FileManager.default.isExecutableFile(atPath: path) { return path }
    }
    throw Missing(description: "\(name) is missing: apt-get install \(packages[name] ?? name)")
  }
}

/// A folder that goes when the value does.
public final class TemporaryFolder: Sendable {
  public let path: String

  /// - Parameter isInMemory: for tests whose timing a slow disk would spoil.
  public init(isInMemory: Bool = false) throws {
    let parent =
      isInMemory && FileManager.default.isWritableFile(atPath: "/dev/shm") ? "/dev/shm" : NSTemporaryDirectory()
    path = parent + "/livesessions-" + UUID().uuidString
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
  }

  deinit { try? FileManager.default.removeItem(atPath: path) }

  public func url(_ name: String) -> URL { URL(fileURLWithPath: file(name)) }

  public func file(_ name: String = UUID().uuidString) -> String { path + "/" + name }

  func makeFile(_ name: String) throws -> FileHandle {
    _ = FileManager.default.createFile(atPath: file(name), contents: nil)
    return try FileHandle(forWritingTo: url(name))
  }
}
