/// The names of a stream's files: `device.webm`, `device-0002.webm`, `device-0003.webm`, …
struct SegmentName: Hashable {
  var streamID: String
  /// Counts from 1.
  var number: Int

  init(streamID: String, number: Int) {
    self.streamID = streamID
    self.number = number
  }

  /// Reads a file's name; every name that ends in no number is a first file's.
  init(fileName: String) {
    let stem = String(fileName.prefix { $0 != "." })
    let digits = stem.reversed().prefix { $0.isASCII && $0.isNumber }
    let base = stem.dropLast(digits.count)
    if digits.count >= 4, base.last == "-", base.count > 1, let number = Int(String(digits.reversed())), number > 1 {
      self.init(streamID: String(base.dropLast()), number: number)
    } else {
      self.init(streamID: stem, number: 1)
    }
  }

  var fileName: String {
    guard number > 1 else { return streamID + ".webm" }
    let digits = String(number)
    return streamID + "-" + String(repeating: "0", count: max(0, 4 - digits.count)) + digits + ".webm"
  }
}
