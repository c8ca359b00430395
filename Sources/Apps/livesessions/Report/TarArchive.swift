import Glibc

/// A tar archive of small files in memory (POSIX.1-1988, "ustar"): names of 99 bytes at most, mode 0600.
struct TarArchive {
  private static let block = 512

  private(set) var bytes: [UInt8] = []

  mutating func add(_ name: String, _ content: [UInt8], modified: Int64) {
    var header = [UInt8](repeating: 0, count: Self.block)
    func put(_ text: String, at place: Int, _ length: Int) {
      for (index, byte) in text.utf8.prefix(length).enumerated() { header[place + index] = byte }
    }
    func octal(_ number: Int64, _ digits: Int) -> String {
      let text = String(max(0, number), radix: 8)
      return String(repeating: "0", count: max(0, digits - text.count)) + text
    }
    put(name, at: 0, 99)
    put(octal(0o600, 7), at: 100, 7)
    put(octal(0, 7), at: 108, 7)
    put(octal(0, 7), at: 116, 7)
    put(octal(Int64(content.count), 11), at: 124, 11)
    put(octal(modified, 11), at: 136, 11)
    // The checksum counts its own field as spaces.
    put("        ", at: 148, 8)
    put("0", at: 156, 1)
    put("ustar", at: 257, 5)
    put("00", at: 263, 2)
    put(octal(header.reduce(0) { $0 + Int64($1) }, 6), at: 148, 6)
    header[154] = 0
    bytes += header + content + [UInt8](repeating: 0, count: (Self.block - content.count % Self.block) % Self.block)
  }

  /// Two empty blocks end an archive.
  mutating func finish() { bytes += [UInt8](repeating: 0, count: 2 * Self.block) }
}
