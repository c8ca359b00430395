/// The FreeformClass of RFC 8264: which code points a string for people to read may have.
enum FreeformClass {
  /// The first code point that may not be there, or not beside its neighbours.
  static func firstDisallowed(in text: String) -> Unicode.Scalar? {
    let scalars = Array(text.unicodeScalars)
    return scalars.indices.first { !isAllowed(scalars, at: $0) }.map { scalars[$0] }
  }

  private static func isAllowed(_ scalars: [Unicode.Scalar], at index: Int) -> Bool {
    isAllowedInContext(scalars, at: index) ?? isAllowedAnywhere(scalars[index])
  }

  /// Section 8, in its order; code points that need a context are not asked about here.
  private static func isAllowedAnywhere(_ scalar: Unicode.Scalar) -> Bool {
    let properties = scalar.properties
    if let isAllowed = exception(scalar.value) { return isAllowed }
    if properties.isDefaultIgnorableCodePoint || properties.isNoncharacterCodePoint || properties.isDeprecated
      || isOldHangulJamo(scalar.value)
    {
      return false
    }
    switch properties.generalCategory {
    case .unassigned, .control, .format, .privateUse, .surrogate, .lineSeparator, .paragraphSeparator: return false
    default: return true
    }
  }

  /// Section 9.6, as far as it decides otherwise than the general categories.
  private static func exception(_ value: UInt32) -> Bool? {
    switch value {
    case 0x0640, 0x07FA, 0x302E, 0x302F, 0x3031...0x3035, 0x303B: false
    default: nil
    }
  }

  /// Section 9.9.
  private static func isOldHangulJamo(_ value: UInt32) -> Bool {
    switch value {
    case 0x1100...0x11FF, 0xA960...0xA97C, 0xD7B0...0xD7FB: true
    default: false
    }
  }

  /// The rules of RFC 5892, appendix A; nil where none applies.
  ///
  /// A zero-width non-joiner between cursive letters would need the joining types of all letters, so it is allowed
  /// after a virama alone.
  private static func isAllowedInContext(_ scalars: [Unicode.Scalar], at index: Int) -> Bool? {
    let before = index > 0 ? scalars[index - 1] : nil
    let after = index + 1 < scalars.count ? scalars[index + 1] : nil
    switch scalars[index].value {
    case 0x200C, 0x200D: return before?.properties.canonicalCombiningClass == .virama
    case 0x00B7: return before == "l" && after == "l"
    case 0x0375: return after.map { Script($0) == .greek } ?? false
    case 0x05F3, 0x05F4: return before.map { (0x0591...0x05F2).contains($0.value) } ?? false
    case 0x30FB: return scalars.contains(where: isJapanese)
    case 0x0660...0x0669: return !scalars.contains { (0x06F0...0x06F9).contains($0.value) }
    case 0x06F0...0x06F9: return !scalars.contains { (0x0660...0x0669).contains($0.value) }
    default: return nil
    }
  }

  /// Hiragana, Katakana or Han.
  private static func isJapanese(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.value {
    case 0x3005, 0x3007, 0x3041...0x3096, 0x309D...0x309F, 0x30A1...0x30FA, 0x30FD...0x30FF, 0x31F0...0x31FF: true
    default: scalar.properties.isIdeographic
    }
  }
}
