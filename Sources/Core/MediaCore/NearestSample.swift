extension Int16 {
  /// The sample nearest to a value, clamped; 0 for NaN.
  ///
  /// For per-sample work: it calls nothing, unlike `rounded()` and the checked conversion.
  @inlinable
  public init(nearest value: Float) {
    let limited = Swift.max(-32_768, Swift.min(32_767, value.isNaN ? 0 : value))
    self = Int16(limited < 0 ? Swift.max(limited - 0.5, -32_768) : Swift.min(limited + 0.5, 32_767))
  }
}
