import Glibc
import SystemSupport

/// The words in the texts of a program: those that its own messages are made of.
enum ProgramWords {
  /// Sections of an ELF file (System V ABI) with texts, and with names of Swift's cases and properties.
  private static let sections = [".rodata", "swift5_reflstr"]
  private static let maxSectionBytes = 64 << 20
  private static let maxSections = 4_096
  private static let maxLength = 24

  /// Words of letters, without those that begin with a capital letter and continue in small ones, as names do; empty
  /// for what is no such file.
  static func read(_ path: String) -> Set<String> {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { return [] }
    defer { close(descriptor) }
    return ELFSections(descriptor, maximum: maxSections).ranges(of: sections).reduce(into: []) { words, range in
      guard range.size <= maxSectionBytes else { return }
      collect(bytes(descriptor, range), into: &words)
    }
  }

  private static func collect(_ bytes: [UInt8], into words: inout Set<String>) {
    for word in bytes.split(whereSeparator: { !$0.isLetter }) where word.count <= maxLength && !isName(word) {
      words.insert(String(decoding: word, as: UTF8.self))
    }
  }

  private static func isName(_ word: ArraySlice<UInt8>) -> Bool {
    word.count > 1 && !word[word.startIndex].isSmall && word.dropFirst().allSatisfy(\.isSmall)
  }

  fileprivate static func bytes(_ descriptor: CInt, _ range: (offset: Int, size: Int)) -> [UInt8] {
    [UInt8](unsafeUninitializedCapacity: range.size) { buffer, count in
      count = max(0, pread(descriptor, buffer.baseAddress, range.size, off_t(range.offset)))
    }
  }
}

/// The section headers of an ELF file of 32 or 64 bits, little endian.
private struct ELFSections {
  private let descriptor: CInt
  private var headers: [(name: Int, offset: Int, size: Int)] = []
  private var names = 0

  init(_ descriptor: CInt, maximum: Int) {
    self.descriptor = descriptor
    let head = ProgramWords.bytes(descriptor, (0, 64))
    guard head.count == 64, head.starts(with: [0x7F, 0x45, 0x4C, 0x46]), head[5] == 1 else { return }
    let isWide = head[4] == 2
    let table = isWide ? head.number(40, 8) : head.number(32, 4)
    let (size, count) = isWide ? (64, head.number(60, 2)) : (40, head.number(48, 2))
    names = isWide ? head.number(62, 2) : head.number(50, 2)
    guard count <= maximum, (0...Int(Int32.max)).contains(table) else { return }
    let bytes = ProgramWords.bytes(descriptor, (table, count * size))
    headers = stride(from: 0, to: bytes.count - size + 1, by: size).map { place in
      isWide
        ? (bytes.number(place, 4), bytes.number(place + 24, 8), bytes.number(place + 32, 8))
        : (bytes.number(place, 4), bytes.number(place + 16, 4), bytes.number(place + 20, 4))
    }
  }

  func ranges(of wanted: [String]) -> [(offset: Int, size: Int)] {
    guard headers.indices.contains(names), (0...(1 << 20)).contains(headers[names].size) else { return [] }
    let texts = ProgramWords.bytes(descriptor, (headers[names].offset, headers[names].size))
    return headers.filter { header in
      header.size > 0 && header.offset > 0 && texts.indices.contains(header.name)
        && wanted.contains(String(decoding: texts[header.name...].prefix { $0 != 0 }, as: UTF8.self))
    }.map { ($0.offset, $0.size) }
  }
}

extension [UInt8] {
  /// Little endian; 0 for what does not fit, or lies outside.
  fileprivate func number(_ place: Int, _ count: Int) -> Int {
    guard place >= 0, place + count <= self.count else { return 0 }
    let value = self[place..<place + count].reversed().reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
    return Int(exactly: value) ?? 0
  }
}

extension UInt8 {
  fileprivate var isSmall: Bool { (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(self) }
  fileprivate var isLetter: Bool { isSmall || (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(self) }
}
