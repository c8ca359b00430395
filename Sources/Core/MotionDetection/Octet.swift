/// Eight neighbouring cells.
///
/// Choices are made by arithmetic: without SSE 4.1, which a build for any x86-64 cannot count on, comparisons of vectors are
/// compiled into one of each element.
typealias Octet<Value: SIMDScalar> = SIMD8<Value>

extension Octet<Int32> {
  /// All bits where negative, else none.
  private var signs: Self { self &>> 31 }

  /// Selects from two, element by element, by the sign of this one.
  @inline(__always)
  func choosing(_ other: Self, whereNegative negative: Self) -> Self { other ^ ((other ^ negative) & signs) }

  /// Elements and limits must be less than 2³⁰ apart.
  @inline(__always)
  func limited(to least: Int32, _ greatest: Int32) -> Self {
    let lower = self &- least
    let raised = lower & ~lower.signs &+ least
    let upper = greatest &- raised
    return raised &+ (upper & upper.signs)
  }

  @inline(__always)
  var hasNegative: Bool {
    let four = lowHalf | highHalf
    let two = four.lowHalf | four.highHalf
    return (two.x | two.y) < 0
  }
}

extension Octet<UInt8> {
  /// 1 where an element is at least this much, else 0; of elements below 128.
  @inline(__always)
  func reaching(_ least: UInt8) -> Self { (self &+ (128 &- least)) &>> 7 }
}
