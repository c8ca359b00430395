/// A part of an object that a store has.
public struct StoredPart: Hashable, Sendable {
  /// Counts from 1.
  public var number: Int
  /// As the store wrote it, quotes included.
  public var tag: String
  /// Octets; nil where the store does not say.
  public var byteCount: UInt64?
  /// The SHA-256 digest in base 64; nil where the store keeps none.
  public var checksum: String?

  public init(number: Int, tag: String, byteCount: UInt64? = nil, checksum: String? = nil) {
    self.number = number
    self.tag = tag
    self.byteCount = byteCount
    self.checksum = checksum
  }
}

/// A page of the answer to ListParts.
public struct StoredPartList: Hashable, Sendable {
  public var parts: [StoredPart]
  /// What the next page is asked with; nil on the last one.
  public var nextMarker: Int?

  /// Parts whose number or tag is missing are skipped, and thus sent again.
  public init(_ octets: [UInt8]) throws(XMLLeaves.Malformed) {
    var (parts, isTruncated, marker) = ([StoredPart](), false, Int?.none)
    for leaf in try XMLLeaves.read(octets) {
      let name = leaf.path.last ?? ""
      guard leaf.path.dropLast().last == "Part" else {
        if name == "IsTruncated" { isTruncated = leaf.text == "true" }
        if name == "NextPartNumberMarker" { marker = Int(leaf.text) }
        continue
      }
      // A store may write the elements of a part in any order; the number begins a new one in all that are known.
      if name == "PartNumber" { parts.append(StoredPart(number: Int(leaf.text) ?? 0, tag: "")) }
      guard let last = parts.indices.last else { continue }
      parts[last].take(name, leaf.text)
    }
    self.parts = parts.filter { $0.number > 0 && !$0.tag.isEmpty }
    nextMarker = isTruncated ? marker : nil
  }
}

extension StoredPart {
  fileprivate mutating func take(_ name: String, _ text: String) {
    switch name {
    case "ETag": tag = text
    case "Size": byteCount = UInt64(text)
    case "ChecksumSHA256": checksum = text
    default: break
    }
  }
}
