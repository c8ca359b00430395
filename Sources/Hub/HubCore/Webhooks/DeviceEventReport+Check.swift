public import Signalling

/// The year 10000: a time that is written with more digits is none.
private let endOfTime: Int64 = 253_402_300_800_000

extension DeviceEventReport {
  /// Refuses numbers that no event has: whoever is told of it takes its fields at their word.
  public func check() throws(HubRefusal) {
    guard (0..<endOfTime).contains(start) else {
      throw .invalid(field: "start", reason: "must be milliseconds since 1970")
    }
    guard (0...100).contains(score) else { throw .invalid(field: "score", reason: "must be 0 to 100") }
    guard region?.isWithinPicture ?? true else {
      throw .invalid(field: "region", reason: "must be thousandths of the picture, 0 to 1000")
    }
  }
}

extension DeviceEventReport.Region {
  fileprivate var isWithinPicture: Bool { [x, y, width, height].allSatisfy { (0...1_000).contains($0) } }
}
