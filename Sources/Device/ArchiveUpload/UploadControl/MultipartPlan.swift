public import ObjectStorage

/// How an object is cut into parts.
///
/// The smallest parts that S3 takes, so that little is sent again after an interruption; larger ones where they would be too
/// many. (https://docs.aws.amazon.com/AmazonS3/latest/userguide/qfacts.html)
public struct MultipartPlan: Hashable, Sendable {
  public static let smallestPart: UInt64 = 5 * 1_048_576
  public static let maxParts: UInt64 = 10_000
  /// 5 TiB; in 10,000 parts these have about 550 MB, well below the 5 GiB that one may have.
  public static let largestObject: UInt64 = 5 << 40

  public let byteCount: UInt64
  public let partSize: UInt64

  /// - Parameter byteCount: of the whole object.
  public init(byteCount: UInt64) {
    self.init(byteCount: byteCount, partSize: Self.smallestPart)
  }

  /// A plan with parts of a size; they are larger where they would be too many.
  public init(byteCount: UInt64, partSize: UInt64) {
    self.byteCount = byteCount
    let least = byteCount / Self.maxParts + (byteCount % Self.maxParts == 0 ? 0 : 1)
    self.partSize = max(1, partSize, least)
  }

  /// Whether one request carries all of it.
  public var isSinglePart: Bool { byteCount <= partSize }

  public var partCount: Int { Int(clamping: byteCount / partSize) + (byteCount % partSize == 0 ? 0 : 1) }

  /// Where a part begins and how long it is, in octets.
  ///
  /// - Parameter number: from 1 to ``partCount``.
  public func range(of number: Int) -> (offset: UInt64, byteCount: UInt64) {
    let offset = min(
      byteCount, partSize.multipliedReportingOverflow(by: UInt64(clamping: max(1, number) - 1)).partialValue)
    return (offset, min(partSize, byteCount - offset))
  }

  /// The parts that a store has as they are to be; others are sent again.
  public func sound(_ stored: [StoredPart]) -> [StoredPart] {
    var byNumber: [Int: StoredPart] = [:]
    for part in stored where (1...max(1, partCount)).contains(part.number) {
      guard part.byteCount == range(of: part.number).byteCount else { continue }
      byNumber[part.number] = part
    }
    return byNumber.values.sorted { $0.number < $1.number }
  }

  /// The numbers of the parts that are still to be sent.
  public func missing(_ sound: [StoredPart]) -> [Int] {
    let present = Set(sound.map { $0.number })
    return partCount == 0 ? [] : (1...partCount).filter { !present.contains($0) }
  }
}
