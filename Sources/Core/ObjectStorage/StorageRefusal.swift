/// An answer of a store that is no success, as far as something can be learned from it.
public struct StorageRefusal: Hashable, Sendable {
  public var status: Int
  /// What the body says; nil for one that says nothing.
  public var error: StorageError?
  /// The host, with its port, that `Location` names; nil without one.
  public var redirectHost: String?
  /// `x-amz-bucket-region`.
  public var bucketRegion: String?
  /// Milliseconds since 1970 by the store's clock (`Date`, RFC 9110 §6.6.1).
  public var date: Int64?

  /// - Parameters:
  ///   - location: the value of `Location`, of which nothing but the host is used.
  ///   - date: the value of `Date`.
  public init(
    status: Int, error: StorageError? = nil, location: String? = nil, bucketRegion: String? = nil, date: String? = nil
  ) {
    self.status = status
    self.error = error
    redirectHost = location.flatMap { Self.host(ofURL: $0) }
    self.bucketRegion = bucketRegion
    self.date = date.flatMap { HTTPDate.milliseconds($0) }
  }

  /// Where the store says the bucket is: a host, with a port where it has one.
  var place: String? { redirectHost ?? error?.endpoint?.lowercased() }

  /// The region that it reports.
  var region: String? { bucketRegion ?? error?.region }

  var code: String { error?.code ?? "" }

  private static func host(ofURL text: String) -> String? {
    guard let scheme = ["https://", "http://"].first(where: { text.lowercased().hasPrefix($0) }) else { return nil }
    let host = text.dropFirst(scheme.count).prefix { $0 != "/" && $0 != "?" && $0 != "#" }
    return host.isEmpty || host.contains("@") ? nil : host.lowercased()
  }
}

/// Dates as HTTP writes them: `Sun, 06 Nov 1994 08:49:37 GMT` (RFC 9110 §5.6.7), the form that servers must send.
enum HTTPDate {
  private static let months = [
    "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
  ]
  /// A store that lives before or after is not believed.
  private static let years: ClosedRange<Int64> = 2_000...2_100

  /// Milliseconds since 1970; nil for other text, and outside of the years 2000 … 2100.
  static func milliseconds(_ text: String) -> Int64? {
    let words = text.split(separator: " ").map(String.init)
    guard words.count == 6, words[5] == "GMT", let month = months.firstIndex(of: words[2]),
      let day = number(words[1], 1...31), let year = number(words[3], years), let time = secondOfDay(words[4])
    else { return nil }
    return (days(year, Int64(month) + 1, day) * 86_400 + time) * 1_000
  }

  private static func secondOfDay(_ text: String) -> Int64? {
    let parts = text.split(separator: ":", omittingEmptySubsequences: false).map(String.init)
    guard parts.count == 3, let hour = number(parts[0], 0...23), let minute = number(parts[1], 0...59),
      let second = number(parts[2], 0...60)
    else { return nil }
    return hour * 3_600 + minute * 60 + second
  }

  private static func number(_ text: String, _ range: ClosedRange<Int64>) -> Int64? {
    guard text.utf8.count <= 4, let value = Int64(text), range.contains(value) else { return nil }
    return value
  }

  /// Days since 1970-01-01 in the Gregorian calendar, whose years are reckoned from March.
  private static func days(_ year: Int64, _ month: Int64, _ day: Int64) -> Int64 {
    let shifted = month > 2 ? year : year - 1
    let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
    return shifted * 365 + shifted / 4 - shifted / 100 + shifted / 400 + dayOfYear - 719_468
  }
}
