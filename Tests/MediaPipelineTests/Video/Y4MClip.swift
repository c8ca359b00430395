import Foundation

/// A YUV4MPEG2 file in the temporary folder; picture N has a luma of 20 + N everywhere.
final class Y4MClip: Sendable {
  let path: String

  init(
    width: Int, height: Int, rate: String = "30:1", colour: String = "C420jpeg", pictures: Int, tail: String = ""
  ) throws {
    path = FileManager.default.temporaryDirectory.appending(path: "clip-\(UUID()).y4m").path
    var bytes = Data("YUV4MPEG2 W\(width) H\(height) F\(rate) Ip A1:1 \(colour)\n".utf8)
    let chroma = colour == "Cmono" ? 0 : 2 * ((width + 1) / 2) * ((height + 1) / 2)
    for index in 0..<pictures {
      bytes += Data("FRAME\n".utf8)
      bytes += Data(repeating: 20 + UInt8(truncatingIfNeeded: index), count: width * height)
      bytes += Data(repeating: 100, count: chroma)
    }
    bytes += Data(tail.utf8)
    try bytes.write(to: URL(filePath: path))
  }

  deinit { try? FileManager.default.removeItem(atPath: path) }
}
