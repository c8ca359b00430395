/// Settings with units are strings, since a bare number would leave the reader guessing.
extension ConfigTable {
  /// A span of time such as `"500ms"`, `"30s"`, `"1h30m"` or `"7d"`.
  public func duration(_ key: String, in range: ClosedRange<Duration>) -> Duration? {
    quantity(key, example: "10m") { text throws(ConfigValueError) in
      let duration = try ConfigQuantity.duration(text)
      guard range.contains(duration) else {
        let seconds = (range.lowerBound.components.seconds, range.upperBound.components.seconds)
        throw ConfigValueError("\(key) is \(text), outside \(seconds.0) to \(seconds.1) seconds")
      }
      return duration
    }
  }

  public func duration(_ key: String, default fallback: Duration, in range: ClosedRange<Duration>) -> Duration {
    duration(key, in: range) ?? fallback
  }

  /// A number of bytes such as `"4GiB"` or `"500MB"`.
  public func bytes(_ key: String) -> Int64? {
    quantity(key, example: "4GiB", ConfigQuantity.bytes)
  }

  public func bytes(_ key: String, default fallback: Int64) -> Int64 { bytes(key) ?? fallback }

  /// A distance in metres, such as `"50m"`, `"1.5km"` or `"200mi"`.
  public func distance(_ key: String) -> Double? {
    quantity(key, example: "200mi", ConfigQuantity.distance)
  }

  /// Metres per second, such as `"90km/h"`, `"55mph"`, `"25m/s"` or `"12kn"`.
  ///
  /// - Parameter range: for people, what is allowed.
  public func speed(_ key: String, in range: ClosedRange<Double>, _ rangeText: String) -> Double? {
    quantity(key, example: "90km/h") { text throws(ConfigValueError) in
      let speed = try ConfigQuantity.speed(text)
      guard range.contains(speed) else { throw ConfigValueError("\(key) is \(text), outside \(rangeText)") }
      return speed
    }
  }

  /// Bits per second, such as `"800kbit/s"` or `"1.5Mbit/s"`.
  public func bitrate(_ key: String, in range: ClosedRange<Int>) -> Int? {
    quantity(key, example: "800kbit/s") { text throws(ConfigValueError) in
      let rate = try ConfigQuantity.bitrate(text)
      guard range.contains(rate) else {
        throw ConfigValueError("\(key) is \(text), outside \(range.lowerBound) to \(range.upperBound) bit/s")
      }
      return rate
    }
  }

  public func bitrate(_ key: String, default fallback: Int, in range: ClosedRange<Int>) -> Int {
    bitrate(key, in: range) ?? fallback
  }

  private func quantity<Value>(
    _ key: String, example: String, _ parse: (String) throws(ConfigValueError) -> Value
  ) -> Value? {
    if let entry = entry(key) {
      guard case .string = entry.node.value else {
        refuse(entry, expected: "a string with a unit", example: "\(key) = \"\(example)\"")
        return nil
      }
    }
    return value(key, parse: parse)
  }
}
