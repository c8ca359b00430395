import Foundation
import Glibc
import MediaCore
import TestSupport
import Testing
import WebM

@testable import Archive

/// Something that somebody puts into an archive's folder, and what it looks like.
enum ForeignFile: String, CaseIterable {
  /// What others make: small recordings that play.
  case ffmpegOpus, ffmpegFrames, joinedExport
  /// Files of a recording's name that hold none of ours.
  case text, zerosAndText, cutOff, sparse
  case symbolicLink, dangling, pipe, socket, device, folder, hardLink
  /// Other names.
  case notes, clip, spacedName, hidden, ownTrack

  var name: String {
    switch self {
    case .notes: "notes.txt"
    case .clip: "clip.mp4"
    case .spacedName: "device (copy).webm"
    case .hidden: ".device.webm.swp"
    case .ownTrack: "track.gpx"
    case .ffmpegOpus, .ffmpegFrames, .joinedExport, .text, .zerosAndText, .cutOff, .sparse, .symbolicLink, .dangling,
      .pipe, .socket, .device, .folder, .hardLink:
      "cut-by-ffmpeg.webm"
    }
  }

  /// - Parameter outside: a file elsewhere.
  func lay(in folder: String, outside: String) throws {
    let path = folder + "/" + name
    let result: CInt? =
      switch self {
      case .symbolicLink: symlink(outside, path)
      case .dangling: symlink("/nowhere/at/all", path)
      case .pipe: mkfifo(path, 0o600)
      case .socket: mknod(path, S_IFSOCK | 0o600, 0)
      case .device: mknod(path, S_IFCHR | 0o600, 0x0103) == 0 ? 0 : symlink("/dev/null", path)
      case .folder: mkdir(path, 0o700)
      case .hardLink: link(outside, path)
      case .sparse: FileManager.default.createFile(atPath: path, contents: nil) ? truncate(path, 1 << 40) : -1
      case .ffmpegOpus, .ffmpegFrames, .joinedExport, .text, .zerosAndText, .cutOff, .notes, .clip, .spacedName,
        .hidden, .ownTrack:
        nil
      }
    if let result { return #expect(result == 0) }
    try Data(try content()).write(to: URL(filePath: path))
  }

  private func content() throws -> [UInt8] {
    switch self {
    case .ffmpegOpus: try Self.encoded(["-f", "lavfi", "-i", "sine=d=4", "-c:a", "libopus", "-b:a", "16k"])
    case .ffmpegFrames: try Self.encoded(Self.pictures)
    case .joinedExport: try Self.joined()
    case .cutOff: Array(try Self.encoded(Self.pictures).prefix(1_500))
    case .zerosAndText: [UInt8](repeating: 0, count: 40_000) + Array("something".utf8)
    case .ownTrack: Array("<?xml version=\"1.0\"?>\n<gpx version=\"1.1\" creator=\"me\"></gpx>\n".utf8)
    case .text, .notes, .clip, .spacedName, .hidden: Array("something".utf8)
    case .sparse, .symbolicLink, .dangling, .pipe, .socket, .device, .folder, .hardLink: []
    }
  }

  private static let pictures = [
    "-f", "lavfi", "-i", "testsrc=d=1:r=5:s=64x48", "-c:v", "libvpx", "-b:v", "20k",
  ]

  private static func encoded(_ arguments: [String]) throws -> [UInt8] {
    let folder = try TemporaryFolder()
    let path = folder.path + "/out.webm"
    try ExternalProgram.run("ffmpeg", ["-v", "error"] + arguments + [path])
    let bytes = [UInt8](try Data(contentsOf: URL(filePath: path)))
    #expect(bytes.count < 21_504)
    return bytes
  }

  /// An export of ours is no recording.
  private static func joined() throws -> [UInt8] {
    let track = WebMMuxedTrack(name: "device audio", media: .audio(WebMAudioTrack(channels: 1)), isDefault: true)
    var muxer = WebMMuxer(tracks: [track])
    for sound in try SampleMedia.audio().prefix(50) {
      muxer.push(
        track: 1, milliseconds: sound.milliseconds, isKeyFrame: true, isDiscardable: false,
        payload: sound.payload.span.bytes)
    }
    muxer.finish()
    var bytes: [UInt8] = []
    while true {
      switch muxer.nextOutput() {
      case .nothing, .nextFile: return bytes
      case .append: muxer.withOutput { bytes += $0.copiedToArray() }
      case .write(let offset):
        muxer.withOutput {
          bytes.replaceSubrange(Int(offset)..<Int(offset) + $0.byteCount, with: $0.copiedToArray())
        }
      }
    }
  }
}

/// What a file is, to see whether somebody touched it.
struct FileState: Equatable {
  var inode: UInt64
  var mode: UInt32
  var byteCount: Int
  var content: Data?

  /// `nil` if there is nothing of the name.
  init?(_ path: String) {
    var status = stat()
    guard lstat(path, &status) == 0 else { return nil }
    inode = UInt64(status.st_ino)
    mode = status.st_mode
    byteCount = status.st_size
    let isRead = status.st_mode & S_IFMT == S_IFREG && status.st_size < 1 << 20
    content = isRead ? try? Data(contentsOf: URL(filePath: path)) : nil
  }
}
