/// What a `Range` header selects of a file (RFC 9110, section 14.1.2).
enum RangeSelection: Equatable {
  /// No range, or one that may be ignored: several ranges, another unit, a syntax error.
  case whole
  case part(Range<Int64>)
  /// The range starts behind the end: status 416.
  case unsatisfiable

  init(header: String?, size: Int64) {
    guard let header, header.utf8.count <= 64, header.lowercased().hasPrefix("bytes=") else {
      self = .whole
      return
    }
    let bounds = header.dropFirst("bytes=".count).split(separator: "-", omittingEmptySubsequences: false)
    guard bounds.count == 2, let first = Bound(bounds[0]), let last = Bound(bounds[1]) else {
      self = .whole
      return
    }
    self = Self.select(first: first, last: last, size: size)
  }

  private static func select(first: Bound, last: Bound, size: Int64) -> RangeSelection {
    switch (first, last) {
    case (.absent, .absent):
      return .whole
    case (.absent, .at(let suffix)):
      return suffix == 0 || size == 0 ? .unsatisfiable : .part(max(0, size - suffix)..<size)
    case (.at(let start), .absent):
      return start < size ? .part(start..<size) : .unsatisfiable
    case (.at(let start), .at(let end)):
      guard start <= end else { return .whole }
      return start < size ? .part(start..<(min(end, size - 1) + 1)) : .unsatisfiable
    }
  }

  private enum Bound {
    case absent
    case at(Int64)

    init?(_ text: Substring) {
      if text.isEmpty {
        self = .absent
        return
      }
      let isNumber = text.utf8.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
      guard isNumber, let value = Int64(text) else { return nil }
      self = .at(value)
    }
  }
}
