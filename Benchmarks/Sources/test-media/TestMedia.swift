import Glibc
import MediaCore
import MediaPipeline

/// Writes what `test:bars` and `test:tone` produce into a Y4M and a WAV file, for programs that are compared with ours.
///
///     test-media SECONDS WIDTH HEIGHT FRAMERATE BARS.y4m TONE.wav
@main
struct TestMedia {
  static func main() {
    let arguments = CommandLine.arguments
    let numbers = arguments.dropFirst().prefix(4).compactMap { Int($0) }
    guard arguments.count == 7, numbers.count == 4 else {
      print("usage: test-media SECONDS WIDTH HEIGHT FRAMERATE BARS.y4m TONE.wav")
      exit(64)
    }
    writeBars(
      to: OutputFile(path: arguments[5]), pictures: numbers[0] * numbers[3], width: numbers[1], height: numbers[2],
      frameRate: numbers[3])
    writeTone(to: OutputFile(path: arguments[6]), seconds: numbers[0])
  }

  private static func writeBars(
    to file: borrowing OutputFile, pictures: Int, width: Int, height: Int, frameRate: Int
  ) {
    var picture = I420Buffer(width: width, height: height)
    var bars = TestBars(width: width)
    bars.drawBackground(into: &picture)
    file.write("YUV4MPEG2 W\(width) H\(height) F\(frameRate):1 Ip A1:1 C420jpeg\n")
    for index in 0..<pictures {
      let timestamp = MonotonicInstant(nanoseconds: Int64(index) * 1_000_000_000 / Int64(frameRate))
      bars.drawNext(into: &picture, at: timestamp)
      file.write("FRAME\n")
      let view = picture.view
      writePlane(view.y, width: width, height: height, stride: view.yStride, to: file)
      writePlane(view.u, width: (width + 1) / 2, height: (height + 1) / 2, stride: view.chromaStride, to: file)
      writePlane(view.v, width: (width + 1) / 2, height: (height + 1) / 2, stride: view.chromaStride, to: file)
    }
  }

  private static func writePlane(
    _ plane: RawSpan, width: Int, height: Int, stride: Int, to file: borrowing OutputFile
  ) {
    for row in 0..<height { file.write(plane.extracting(row * stride..<row * stride + width)) }
  }

  /// A canonical 44-byte header and one channel of 16-bit samples at 48 kHz.
  private static func writeTone(to file: borrowing OutputFile, seconds: Int) {
    let count = seconds * 48_000
    file.write("RIFF")
    file.write(little(UInt32(36 + count * 2)))
    file.write("WAVEfmt ")
    file.write(little(UInt32(16)) + [1, 0, 1, 0] + little(UInt32(48_000)) + little(UInt32(96_000)) + [2, 0, 16, 0])
    file.write("data")
    file.write(little(UInt32(count * 2)))
    file.write((0..<count).flatMap { little(UInt16(bitPattern: sample($0))) })
  }

  private static func sample(_ index: Int) -> Int16 {
    Int16((8_191.75 * sin(2 * Double.pi * Double(index % 48) / 48)).rounded())
  }

  private static func little(_ value: some FixedWidthInteger) -> [UInt8] {
    withUnsafeBytes(of: value.littleEndian) { Array($0) }
  }
}

/// A file that is written from its start.
private struct OutputFile: ~Copyable {
  private let stream: UnsafeMutablePointer<FILE>

  init(path: String) {
    guard let stream = fopen(path, "w") else {
      perror(path)
      exit(73)
    }
    self.stream = stream
  }

  deinit { fclose(stream) }

  func write(_ text: String) { write(Array(text.utf8)) }

  func write(_ bytes: [UInt8]) { write(bytes.span.bytes) }

  func write(_ bytes: RawSpan) {
    let count = bytes.withUnsafeBytes { fwrite($0.baseAddress!, 1, $0.count, stream) }
    guard count == bytes.byteCount else {
      perror("write")
      exit(74)
    }
  }
}
