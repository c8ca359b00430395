internal import Glibc
internal import MediaCore
internal import MediaFiles

/// A sound file cannot be played; says which, and why.
struct WAVFileError: Error, Hashable, CustomStringConvertible {
  let path: String
  let reason: String

  var description: String { "\(path): \(reason)" }

  static func last(_ path: String, _ call: String) -> WAVFileError {
    WAVFileError(path: path, reason: "\(call): \(String(cString: strerror(errno)))")
  }
}

/// An open WAV file, read forward and rewound; plain reads through the page cache.
struct WAVFile: ~Copyable {
  let path: String
  let header: WAVHeader
  private let descriptor: CInt
  private let buffer: UnsafeMutableRawBufferPointer
  /// Frames before this one were read.
  private var position: UInt64 = 0

  /// Frames that are read at once: 20 ms at 48 kHz.
  private static let readFrames = 960

  init(path: String) throws(WAVFileError) {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    guard descriptor >= 0 else { throw .last(path, "open") }
    do throws(WAVFileError) {
      header = try Self.readHeader(descriptor, path)
    } catch {
      close(descriptor)
      throw error
    }
    self.path = path
    self.descriptor = descriptor
    buffer = .allocate(byteCount: Self.readFrames * header.frameByteCount, alignment: 16)
  }

  deinit {
    close(descriptor)
    buffer.deallocate()
  }

  private static func readHeader(_ descriptor: CInt, _ path: String) throws(WAVFileError) -> WAVHeader {
    var status = stat()
    guard fstat(descriptor, &status) == 0 else { throw .last(path, "fstat") }
    guard status.st_mode & S_IFMT == S_IFREG else { throw WAVFileError(path: path, reason: "no regular file") }
    var reader = WAVHeaderReader(fileByteCount: UInt64(status.st_size))
    var step = reader.start
    while true {
      switch step {
      case .finished(let header): return header
      case .read(let offset, let byteCount):
        let bytes = try read(descriptor, path, offset: offset, byteCount: byteCount)
        do throws(WAVError) {
          step = try reader.read(bytes.span.bytes)
        } catch {
          throw WAVFileError(path: path, reason: error.description)
        }
      }
    }
  }

  private static func read(
    _ descriptor: CInt, _ path: String, offset: UInt64, byteCount: Int
  ) throws(WAVFileError) -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: byteCount)
    let count = pread(descriptor, &bytes, byteCount, off_t(offset))
    guard count >= 0 else { throw .last(path, "read") }
    return Array(bytes.prefix(count))
  }

  /// Reads frames as far as they fit into `output`, mixed to `channels`; returns how many, 0 at the end.
  mutating func read(into output: inout MutableSpan<Int16>, channels: Int) throws(WAVFileError) -> Int {
    let room = min(UInt64(min(output.count / channels, Self.readFrames)), header.frameCount - position)
    let wanted = Int(room) * header.frameByteCount
    guard wanted > 0 else { return 0 }
    let offset = header.dataOffset + position * UInt64(header.frameByteCount)
    let count = pread(descriptor, buffer.baseAddress, wanted, off_t(offset))
    guard count >= 0 else { throw .last(path, "read") }
    let bytes = UnsafeRawBufferPointer(rebasing: buffer[..<count])
    let frames = header.format.decode(
      bytes.bytes, channels: header.channels, into: &output, channels: channels)
    position += UInt64(frames)
    return frames
  }

  mutating func rewind() { position = 0 }
}
