/// Builds RIFF/WAVE files, right ones and wrong ones.
struct WAVBuilder {
  var container = "RIFF"
  var tag: UInt16 = 1
  var channels: UInt16 = 1
  var rate: UInt32 = 48_000
  var bits: UInt16 = 16
  var blockAlign: UInt16?
  var isExtensible = false
  /// Chunks between `fmt ` and `data`.
  var others: [(name: String, body: [UInt8])] = []
  var hasFormat = true
  /// What `data` says of its size, if not the truth.
  var toldDataSize: UInt32?
  var data: [UInt8] = Array(repeating: 7, count: 64)

  var bytes: [UInt8] {
    var chunks = hasFormat ? chunk("fmt ", format) : []
    for other in others { chunks += chunk(other.name, other.body) }
    chunks += Array("data".utf8) + little(toldDataSize ?? UInt32(data.count)) + data
    return Array(container.utf8) + little(UInt32(chunks.count + 4)) + Array("WAVE".utf8) + chunks
  }

  private var format: [UInt8] {
    let align = blockAlign ?? channels * (bits / 8)
    let plain =
      little(isExtensible ? 0xFFFE : tag) + little(channels) + little(rate) + little(rate * UInt32(align))
      + little(align)
      + little(bits)
    guard isExtensible else { return plain }
    return plain + little(UInt16(22)) + little(bits) + little(UInt32(3)) + little(tag)
      + [0, 0, 0, 0, 0x10, 0, 0x80, 0, 0, 0xAA, 0, 0x38, 0x9B, 0x71]
  }

  private func chunk(_ name: String, _ body: [UInt8]) -> [UInt8] {
    Array(name.utf8) + little(UInt32(body.count)) + body + (body.count % 2 == 1 ? [0] : [])
  }

  private func little<Value: FixedWidthInteger>(_ value: Value) -> [UInt8] {
    (0..<MemoryLayout<Value>.size).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
  }
}
