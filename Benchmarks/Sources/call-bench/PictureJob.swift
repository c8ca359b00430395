import Glibc
import MediaCore
import RealtimeRuntime
import MediaCodecs

/// Reads the pictures of a Y4M file of 640×480, again and again.
final class FrameReader: @unchecked Sendable {
  static let (width, height) = (640, 480)
  private static let chromaCount = width * height / 4

  /// Used by one thread.
  private let file: UnsafeMutablePointer<FILE>
  private let first: Int

  init(path: String) throws {
    guard let file = fopen(path, "rb") else { throw BenchError.unreadable(path) }
    self.file = file
    while case let byte = getc(file), byte != 10 { if byte == EOF { throw BenchError.unreadable(path) } }
    first = ftell(file)
  }

  func read(into picture: inout I420Buffer) throws {
    if !skipHeader() {
      fseek(file, first, SEEK_SET)
      guard skipHeader() else { throw BenchError.unreadable("pictures") }
    }
    let (yStride, chromaStride) = (picture.yStride, picture.chromaStride)
    var isWhole = true
    picture.withUnsafeMutablePlanes { y, u, v in
      for row in 0..<Self.height { isWhole = read(y + row * yStride, Self.width) && isWhole }
      for plane in [u, v] {
        for row in 0..<Self.height / 2 { isWhole = read(plane + row * chromaStride, Self.width / 2) && isWhole }
      }
    }
    guard isWhole else { throw BenchError.unreadable("pictures") }
  }

  private func read(_ target: UnsafeMutablePointer<UInt8>, _ count: Int) -> Bool { fread(target, 1, count, file) == count }

  /// Passes over `FRAME` and its line end; false at the end of the file.
  private func skipHeader() -> Bool {
    var byte = getc(file)
    while byte != 10, byte != EOF { byte = getc(file) }
    return byte == 10
  }
}

/// Encodes 30 pictures a second, with a key frame every 4 s as while a recording runs.
enum FrameJob {
  private static let rate = 30

  /// Takes the CPU time of the encoder, and what came out.
  static func run(_ reader: FrameReader, from begin: MonotonicInstant, seconds: Int) throws -> [String: Double] {
    let (width, height) = (FrameReader.width, FrameReader.height)
    var picture = I420Buffer(width: width, height: height)
    var encoder = try VP8Encoder(
      VP8EncoderSettings(
        width: width, height: height, frameRate: rate, bitrate: .kilobits(800), temporalLayers: 1,
        maximumKeyFrameInterval: .seconds(4)))
    var watch = Stopwatch()
    var octets = 0
    let duration = TimeSpan.seconds(1) / Int64(rate)
    for index in 0..<seconds * rate {
      let time = begin + duration * Int64(index)
      MonotonicClock.sleep(until: time)
      try reader.read(into: &picture)
      watch.start()
      try encoder.encode(picture.view, at: time, duration: duration) { _, payload in octets += payload.byteCount }
      watch.stop()
    }
    return ["pictures": watch.seconds, "octets": Double(octets)]
  }
}
