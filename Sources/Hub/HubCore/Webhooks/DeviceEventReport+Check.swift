public import Signalling

extension DeviceEventReport {
  /// Refuses what is too long, or no event: whoever is told of it takes its fields at their word.
  public func check() throws(HubRefusal) {
    for (field, text) in [("id", id), ("source", source), ("rule", rule)] {
      guard !text.isEmpty else { throw .invalid(field: field, reason: "is empty") }
      try MessageSizes.check(field, text, atMost: MessageLimits.identifier)
    }
    try MessageSizes.check("kind", kind, atMost: MessageLimits.word)
    try MessageSizes.check("detail", detail, atMost: MessageLimits.word)
    try MessageSizes.check("camera", camera, atMost: MessageLimits.word)
    guard (0...100).contains(score) else { throw .invalid(field: "score", reason: "must be 0 to 100") }
    guard region?.isWithinPicture ?? true else {
      throw .invalid(field: "region", reason: "must be thousandths of the picture, 0 to 1000")
    }
  }
}

extension DeviceEventReport.Region {
  fileprivate var isWithinPicture: Bool { [x, y, width, height].allSatisfy { (0...1_000).contains($0) } }
}
