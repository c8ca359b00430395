/// Writes VP8's boolean entropy code (RFC 6386 §7.3).
struct BoolEncoder {
  private(set) var bytes: [UInt8] = []
  private var range: UInt32 = 255
  private var bottom: UInt32 = 0
  private var bitsUntilByte = 24

  /// - Parameter probability: of `false`, in 256ths; never 0.
  mutating func write(_ value: Bool, probability: UInt8) {
    let split = 1 + (((range - 1) * UInt32(probability)) >> 8)
    if value {
      bottom &+= split
      range -= split
    } else {
      range = split
    }
    while range < 128 { shift() }
  }

  /// Writes the lower `count` bits, the highest of them first, each as likely 0 as 1.
  mutating func write(_ value: UInt8, bits count: Int) {
    for bit in 0..<count { write(value >> (count - 1 - bit) & 1 != 0, probability: 128) }
  }

  private mutating func shift() {
    range <<= 1
    if bottom & 1 << 31 != 0 { carry() }
    bottom <<= 1
    bitsUntilByte -= 1
    guard bitsUntilByte == 0 else { return }
    bytes.append(UInt8(truncatingIfNeeded: bottom >> 24))
    bottom &= 1 << 24 - 1
    bitsUntilByte = 8
  }

  private mutating func carry() {
    var index = bytes.count - 1
    while index >= 0, bytes[index] == 255 {
      bytes[index] = 0
      index -= 1
    }
    if index >= 0 { bytes[index] += 1 }
  }

  /// Ends the code. Zeros at its end stay: some decoders take it for damaged when they have to read on.
  consuming func finish() -> [UInt8] {
    for _ in 0..<32 { write(false, probability: 128) }
    return bytes
  }
}

/// Reads the first flags of a frame header: those that are as likely 0 as 1.
struct HeaderFlags {
  private var value: UInt32 = 0
  private var range: UInt32 = 255

  /// - Parameter bytes: two suffice for seven flags.
  init(_ first: UInt8, _ second: UInt8) { value = UInt32(first) << 8 | UInt32(second) }

  mutating func next() -> Bool {
    let split = 1 + (range - 1) >> 1
    let isSet = value >= split << 8
    if isSet {
      value -= split << 8
      range -= split
    } else {
      range = split
    }
    while range < 128 {
      value <<= 1
      range <<= 1
    }
    return isSet
  }
}
