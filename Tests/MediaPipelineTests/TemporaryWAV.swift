import Foundation

/// A 16-bit WAV file in the temporary folder, removed when nobody holds it any more.
final class TemporaryWAV {
  let path = FileManager.default.temporaryDirectory.appending(path: "sound-\(UUID()).wav").path

  init(rate: Int, channels: Int = 1, samples: [Int16]) throws {
    var data = Data("RIFF".utf8)
    func append<Value: FixedWidthInteger>(_ value: Value) { withUnsafeBytes(of: value.littleEndian) { data += $0 } }
    append(UInt32(36 + samples.count * 2))
    data += Data("WAVEfmt ".utf8)
    append(UInt32(16))
    append(UInt16(1))
    append(UInt16(channels))
    append(UInt32(rate))
    append(UInt32(rate * channels * 2))
    append(UInt16(channels * 2))
    append(UInt16(16))
    data += Data("data".utf8)
    append(UInt32(samples.count * 2))
    for sample in samples { append(sample) }
    try data.write(to: URL(filePath: path))
  }

  deinit { try? FileManager.default.removeItem(atPath: path) }
}
