/// Where a bucket is addressed: a host, the region that requests are signed for, and how the bucket is named.
public struct StorePlace: Hashable, Sendable {
  /// Without the bucket's name, with its port where the URL has one; small letters.
  public var endpoint: String
  public var region: String
  /// Whether the bucket stands in the path; it is part of the host's name otherwise.
  public var isPathStyle: Bool
  public let bucket: String

  public init(endpoint: String, region: String, bucket: String, isPathStyle: Bool) {
    self.endpoint = endpoint.lowercased()
    self.region = region
    self.bucket = bucket
    self.isPathStyle = isPathStyle
  }

  /// The host that is connected to, with its port where the URL has one.
  public var host: String { isPathStyle ? endpoint : "\(bucket).\(endpoint)" }
}

extension StorePlace {
  /// Where a refusal sends requests, if that is the same store or the same provider's in another region; nil otherwise,
  /// and where it would be this place again.
  ///
  /// Requests carry recordings and are signed with the owner's key, so that no store may send them where it likes: the scheme
  /// and the port stay, and of the host's name nothing but the region changes, in the forms
  /// `s3.REGION.DOMAIN`, `s3-REGION.DOMAIN` and `s3.dualstack.REGION.DOMAIN`. This host's own name has to be of one of
  /// them, with the region that is configured, or Amazon's without a region: only the provider gives out such names.
  func moved(by refusal: StorageRefusal) -> StorePlace? {
    var next = self
    if let named = refusal.place {
      guard let target = permitted(named) else { return nil }
      next.endpoint = target.endpoint
      next.isPathStyle = target.isVirtual && target.endpoint == endpoint ? false : isPathStyle
      next.region = Self.valid(refusal.region) ?? target.region ?? region
    } else {
      guard let region = Self.valid(refusal.region) else { return nil }
      next.endpoint = RegionalHost(endpoint, region: self.region)?.name(in: region) ?? endpoint
      next.region = region
    }
    return next == self ? nil : next
  }

  private func permitted(_ named: String) -> (endpoint: String, region: String?, isVirtual: Bool)? {
    let prefix = bucket.lowercased() + "."
    let isVirtual = named.hasPrefix(prefix)
    let bare = isVirtual ? String(named.dropFirst(prefix.count)) : named
    if bare == endpoint { return (bare, nil, isVirtual) }
    guard let region = RegionalHost(endpoint, region: region)?.region(of: bare) else { return nil }
    return (bare, region, isVirtual)
  }

  private static func valid(_ region: String?) -> String? {
    guard let region, RegionalHost.isRegion(region[...]) else { return nil }
    return region
  }
}

/// The name of a provider's host, of which the region is a part.
private struct RegionalHost {
  /// The part before the region.
  private let head: String
  /// The part after it, such as `.amazonaws.com`, with the port.
  private let tail: String
  private static let heads = ["s3.dualstack.", "s3.", "s3-"]
  /// Amazon's host without a region stands for `us-east-1`.
  private static let global = ["s3.amazonaws.com": ".amazonaws.com"]

  /// - Parameter region: the one of which this host is.
  init?(_ host: String, region: String) {
    if let tail = Self.global[host] {
      (head, self.tail) = ("s3.", tail)
      return
    }
    guard let head = Self.heads.first(where: { host.hasPrefix("\($0)\(region).") }) else { return nil }
    self.head = head
    tail = String(host.dropFirst(head.count + region.count))
    // A dot, a name, a dot and another: the part after the region is a domain.
    guard tail.split(separator: ".", omittingEmptySubsequences: false).count > 2 else { return nil }
  }

  func name(in region: String) -> String { head + region + tail }

  /// The region of another host with such a name; nil for all others.
  func region(of host: String) -> String? {
    for head in Self.heads where host.hasPrefix(head) && host.hasSuffix(tail) {
      guard host.utf8.count > head.utf8.count + tail.utf8.count else { continue }
      let region = host.dropFirst(head.count).dropLast(tail.count)
      if Self.isRegion(region) { return String(region) }
    }
    return nil
  }

  static func isRegion(_ text: Substring) -> Bool {
    (1...64).contains(text.utf8.count)
      && text.utf8.allSatisfy { (97...122).contains($0) || (48...57).contains($0) || $0 == UInt8(ascii: "-") }
  }
}
