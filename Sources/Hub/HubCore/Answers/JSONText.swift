/// JSON text (RFC 8259) written in one pass, for what hubs send often or at length: an encoder builds a tree first and costs
/// ten times as much.
///
/// Members stand in the order in which they are written; nil is left out.
public struct JSONText: Sendable {
  public private(set) var bytes: [UInt8] = []
  private var needsComma = false

  public init(capacity: Int = 256) { bytes.reserveCapacity(capacity) }

  public var text: String { String(decoding: bytes, as: UTF8.self) }

  public mutating func object(_ members: (inout JSONText) -> Void) {
    open("{")
    members(&self)
    close("}")
  }

  public mutating func list<Element>(
    _ name: StaticString, _ elements: [Element], _ write: (inout JSONText, Element) -> Void
  ) {
    key(name)
    open("[")
    for element in elements {
      separate()
      write(&self, element)
      needsComma = true
    }
    close("]")
  }

  public mutating func member(_ name: StaticString, _ value: String?) {
    guard let value else { return }
    key(name)
    string(value)
  }

  public mutating func member(_ name: StaticString, _ value: (some BinaryInteger)?) {
    guard let value else { return }
    key(name)
    bytes.append(contentsOf: "\(value)".utf8)
  }

  /// Left out as well where it is no finite number, which JSON does not know.
  public mutating func member(_ name: StaticString, _ value: Double?) {
    guard let value, value.isFinite else { return }
    key(name)
    let text = "\(value)".utf8
    bytes.append(contentsOf: text.suffix(2).elementsEqual(".0".utf8) ? text.dropLast(2) : text[...])
  }

  public mutating func member(_ name: StaticString, _ value: Bool) {
    key(name)
    bytes.append(contentsOf: (value ? "true" : "false").utf8)
  }

  public mutating func member(_ name: StaticString, _ values: [String]?) {
    guard let values else { return }
    list(name, values) { $0.string($1) }
  }

  public mutating func member(_ name: StaticString, _ members: (inout JSONText) -> Void) {
    key(name)
    object(members)
  }

  // MARK: Parts

  private mutating func open(_ bracket: Unicode.Scalar) {
    bytes.append(UInt8(ascii: bracket))
    needsComma = false
  }

  private mutating func close(_ bracket: Unicode.Scalar) {
    bytes.append(UInt8(ascii: bracket))
    needsComma = true
  }

  private mutating func separate() {
    if needsComma { bytes.append(UInt8(ascii: ",")) }
  }

  private mutating func key(_ name: StaticString) {
    separate()
    string(name.description)
    bytes.append(UInt8(ascii: ":"))
    needsComma = true
  }

  private mutating func string(_ value: String) {
    bytes.append(UInt8(ascii: "\""))
    for byte in value.utf8 {
      switch byte {
      case UInt8(ascii: "\""): bytes.append(contentsOf: #"\""#.utf8)
      case UInt8(ascii: "\\"): bytes.append(contentsOf: #"\\"#.utf8)
      case 0..<0x20: escape(byte)
      default: bytes.append(byte)
      }
    }
    bytes.append(UInt8(ascii: "\""))
  }

  private mutating func escape(_ control: UInt8) {
    switch control {
    case 0x08: bytes.append(contentsOf: #"\b"#.utf8)
    case 0x09: bytes.append(contentsOf: #"\t"#.utf8)
    case 0x0A: bytes.append(contentsOf: #"\n"#.utf8)
    case 0x0C: bytes.append(contentsOf: #"\f"#.utf8)
    case 0x0D: bytes.append(contentsOf: #"\r"#.utf8)
    default:
      bytes.append(contentsOf: (control < 0x10 ? #"\u000"# : #"\u00"#).utf8)
      bytes.append(contentsOf: String(control, radix: 16).utf8)
    }
  }
}

/// What writes its own ``JSONText``, with the members that its `Encodable` form has; their names in order.
public protocol JSONWritable: Encodable {
  func write(to text: inout JSONText)
}

extension JSONWritable {
  public var json: JSONText {
    var text = JSONText()
    write(to: &text)
    return text
  }
}
