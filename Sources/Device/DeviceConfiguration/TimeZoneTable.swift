import ConfigFile

/// A time zone of the system's tz database (TZif, RFC 9636): the offset from UTC at any time.
///
/// FoundationEssentials knows no named zones, and the C library only the one of the process.
public struct TimeZoneTable: Sendable, Hashable {
  private let transitions: [Int64]
  /// The offset from each transition on, in seconds east of Greenwich.
  private let offsets: [Int]
  private let firstOffset: Int
  /// What holds after the last transition.
  private let rule: RecurringTimeZone?

  /// Loads a zone by a name such as `Europe/Berlin`; nil when the system has none of that name.
  public init?(name: String) {
    let isName = !name.isEmpty && name.utf8.count <= 64 && name.utf8.allSatisfy(Self.isNameByte)
    guard isName, !name.split(separator: "/", omittingEmptySubsequences: false).contains("") else { return nil }
    self.init(path: "/usr/share/zoneinfo/\(name)")
  }

  /// Loads a zone from a file such as `/etc/localtime`.
  public init?(path: String) {
    guard let bytes = try? BoundedFile.read(path: path, maximumBytes: 65_536) else { return nil }
    self.init(bytes: bytes)
  }

  /// Reads the content of a TZif file of version 2 or later.
  public init?(bytes: [UInt8]) {
    var reader = TZifReader(bytes: bytes)
    guard let legacy = reader.header(), reader.skip(legacy.byteCount(timeSize: 4)), let header = reader.header() else {
      return nil
    }
    guard let times = reader.times(count: header.timeCount), let kinds = reader.bytes(header.timeCount),
      let types = reader.offsets(count: header.typeCount), !types.isEmpty, kinds.allSatisfy({ $0 < types.count }),
      reader.skip(header.characterCount + header.leapCount * 12 + header.standardCount + header.universalCount),
      let footer = reader.footer()
    else { return nil }
    guard zip(times, times.dropFirst()).allSatisfy({ $0 < $1 }) else { return nil }
    transitions = times
    offsets = kinds.map { types[Int($0)] }
    firstOffset = types[0]
    rule = footer.isEmpty ? nil : RecurringTimeZone(footer)
    guard footer.isEmpty || rule != nil else { return nil }
  }

  /// Seconds east of Greenwich at a time in seconds since 1970. O(log n).
  public func offset(at time: Int64) -> Int {
    guard let last = transitions.last else { return rule?.offset(at: time) ?? firstOffset }
    if time >= last, let rule { return rule.offset(at: time) }
    var low = 0
    var high = transitions.count
    while low < high {
      let middle = (low + high) / 2
      if transitions[middle] <= time { low = middle + 1 } else { high = middle }
    }
    return low == 0 ? firstOffset : offsets[low - 1]
  }

  private static func isNameByte(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"): true
    case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "/"), UInt8(ascii: "_"): true
    case UInt8(ascii: "-"), UInt8(ascii: "+"): true
    default: false
    }
  }
}
