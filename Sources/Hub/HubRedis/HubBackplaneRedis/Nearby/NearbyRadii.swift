/// The radii to search one after the other for the nearest few, so that among many no search sorts them all.
///
///     var radii = NearbyRadii(maximum: query.within)
///     while let radius = radii.next(foundSoFar: found.count, wanted: query.limit) { found = … }
///
/// At most eight radii. Where users are spread evenly, no search but the first finds more than 16 times as many as are
/// wanted, unless it is the last: that one has the maximum.
struct NearbyRadii: Sendable {
  /// Half the Earth's circumference in metres, rounded up.
  static let everywhere = 20_015_115.0
  /// Metres.
  static let smallest = 500.0

  private let maximum: Double
  private var current: Double?

  /// - Parameter maximum: metres, if the asker sets one; not a number is none.
  init(maximum: Double? = nil) {
    let maximum = maximum ?? Self.everywhere
    self.maximum = maximum < Self.everywhere ? max(0, maximum) : Self.everywhere
  }

  /// The next radius in metres; nil when enough are found, or when the maximum has been searched.
  ///
  /// - Parameters:
  ///   - foundSoFar: how many the last search found whose measured distance is within its radius.
  ///   - wanted: how many would do.
  mutating func next(foundSoFar: Int, wanted: Int) -> Double? {
    guard foundSoFar < wanted, current != maximum else { return nil }
    let grown = current.map { $0 * factor(foundSoFar: foundSoFar, wanted: wanted) } ?? Self.smallest
    // What comes close to the maximum may as well be the maximum.
    let radius = grown > maximum / 4 ? maximum : grown
    current = radius
    return radius
  }

  /// Four times the radius is 16 times the area: where that would still not do, 16 times the radius.
  private func factor(foundSoFar: Int, wanted: Int) -> Double {
    foundSoFar > wanted / 16 ? 4 : 16
  }
}
