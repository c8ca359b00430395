import MediaCore

/// Finding frames among packets.
extension VideoPacketSlots {
  enum Scan {
    case complete(Range<Int64>)
    /// A packet is missing, maybe because it was not sent yet.
    case incomplete
    /// The packets there cannot form a frame.
    case broken
  }

  /// The first whole frame in `numbers` whose first packet is wanted.
  func firstFrame(in numbers: Range<Int64>, where isWanted: (Packet) -> Bool) -> Range<Int64>? {
    for number in numbers {
      guard let packet = self[number], packet.startsFrame, isWanted(packet) else { continue }
      if case .complete(let frame) = scan(from: number) { return frame }
    }
    return nil
  }

  /// Finds the whole frame that begins at `start`, after packets of padding.
  func scan(from start: Int64) -> Scan {
    var first = start
    while let packet = self[first], packet.isPadding { first += 1 }
    guard let head = self[first] else { return .incomplete }
    guard head.startsFrame else { return .broken }
    var last = first
    while let packet = self[last] {
      // A sender that forgets the marker still changes the timestamp.
      if packet.timestamp != head.timestamp { return .complete(first..<last) }
      if last > first, packet.startsFrame { return .broken }
      last += 1
      if packet.marker { return .complete(first..<last) }
    }
    return .incomplete
  }

  /// The first missing packet before a stored one, and when it was found missing.
  func gap(in numbers: Range<Int64>) -> (number: Int64, since: MonotonicInstant)? {
    var missing = numbers.lowerBound
    while self[missing] != nil { missing += 1 }
    guard missing < numbers.upperBound, let later = first(in: missing..<numbers.upperBound) else { return nil }
    return (missing, later.gapSince)
  }
}
