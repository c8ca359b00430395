/// Arithmetic that ends at the limits of its type instead of trapping, for values from a network, a file, a driver or a
/// peer process.
extension FixedWidthInteger {
  /// The sum, or the limit that it lies beyond.
  @inlinable
  public func saturatingAdding(_ other: Self) -> Self {
    let (sum, overflow) = addingReportingOverflow(other)
    return overflow ? (other < 0 ? .min : .max) : sum
  }

  /// The difference, or the limit that it lies beyond.
  @inlinable
  public func saturatingSubtracting(_ other: Self) -> Self {
    let (difference, overflow) = subtractingReportingOverflow(other)
    return overflow ? (other < 0 ? .max : .min) : difference
  }

  /// The product, or the limit that it lies beyond.
  @inlinable
  public func saturatingMultiplied(by other: Self) -> Self {
    let (product, overflow) = multipliedReportingOverflow(by: other)
    return overflow ? ((self < 0) == (other < 0) ? .max : .min) : product
  }

  /// Division by zero ends at the limit that smaller and smaller divisors lead to; nothing by zero is zero.
  @inlinable
  public func saturatingDivided(by other: Self) -> Self {
    let (quotient, overflow) = dividedReportingOverflow(by: other)
    if overflow { return self == 0 ? 0 : other == 0 && self < 0 ? .min : .max }
    return quotient
  }

  /// The value without its fraction, clamped; zero for NaN.
  @inlinable
  public init(saturating value: Double) {
    if let exact = Self(exactly: value.rounded(.towardZero)) {
      self = exact
    } else {
      self = value.isNaN ? 0 : value < 0 ? .min : .max
    }
  }
}
