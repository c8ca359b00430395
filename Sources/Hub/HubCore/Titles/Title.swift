internal import Foundation

/// Why a text cannot be a title.
public enum TitleRefusal: Error, Equatable, CustomStringConvertible {
  case empty
  case tooLong
  case disallowed(Unicode.Scalar)
  case mixedAlphabets(word: String)
  /// Normalising it comes to no end.
  case unstable

  public var description: String {
    switch self {
    case .empty: "a title needs something that can be seen"
    case .tooLong: "a title has at most \(Title.maximumBytes) bytes"
    case .disallowed(let scalar):
      "a title may not have the code point U+\(String(scalar.value, radix: 16, uppercase: true)) there"
    case .mixedAlphabets(let word): "the word \(Title.escaped(word)) mixes letters of two alphabets that look alike"
    case .unstable: "the title has no normal form"
    }
  }
}

/// What people and devices appear under: a nickname of RFC 8266, which cannot pass for another by code points that are
/// not seen or look alike.
public struct Title: Sendable, Equatable {
  public static let maximumBytes = 128
  /// No title becomes longer than its normal form by more than this factor; what is longer is not examined.
  private static let maximumInput = 8 * maximumBytes

  /// The normal form, to be stored and shown.
  public let text: String

  /// Applies the profile's rules (section 2.3).
  public init(enforcing text: String) throws(TitleRefusal) {
    guard text.utf8.count <= Self.maximumInput else { throw .tooLong }
    if let scalar = FreeformClass.firstDisallowed(in: text) { throw .disallowed(scalar) }
    guard let form = Self.settled(text, Self.enforced) else { throw .unstable }
    guard !form.isEmpty else { throw .empty }
    guard form.utf8.count <= Self.maximumBytes else { throw .tooLong }
    if let scalar = FreeformClass.firstDisallowed(in: form) { throw .disallowed(scalar) }
    if let word = LookAlikes.firstMixedWord(in: form) { throw .mixedAlphabets(word: word) }
    self.text = form
  }

  /// The form in which nicknames are compared (section 2.4).
  var comparisonForm: String {
    Self.settled(text) { Self.compatible(Self.spacesMapped($0).lowercased()) } ?? text
  }

  /// What titles are compared by: equal for those that differ in case, spaces, code points that are not seen, or
  /// letters that look alike. Any text has one, so that an account is found whose title would be refused now.
  public static func key(of text: String) -> String {
    // A shortcut for most titles: ASCII letters have no look-alikes.
    if text.utf8.allSatisfy({ (0x20...0x7E).contains($0) }) { return spacesMapped(text).lowercased() }
    let visible = text.unicodeScalars.prefix(maximumBytes + 1).filter { !isInvisible($0) }
    let start = String(String.UnicodeScalarView(visible))
    return settled(start, skeleton) ?? skeleton(start)
  }

  /// ASCII alone, so that a title can stand in a log or a terminal whatever it is made of.
  public static func escaped(_ text: String) -> String {
    "\"" + text.unicodeScalars.map { $0.escaped(asASCII: true) }.joined() + "\""
  }

  static func isSame(_ title: String, as other: String) -> Bool { title == other || key(of: title) == key(of: other) }

  // MARK: Rules

  private static func enforced(_ text: String) -> String { compatible(spacesMapped(text)) }

  private static func skeleton(_ text: String) -> String {
    let folded = spacesMapped(text).lowercased().decomposedStringWithCompatibilityMapping.uppercased().lowercased()
    return compatible(LookAlikes.replaced(in: folded.decomposedStringWithCompatibilityMapping))
  }

  /// Spaces of all kinds become U+0020, several become one, and those at the ends go. The blank of Braille looks like
  /// one.
  private static func spacesMapped(_ text: String) -> String {
    let words = text.unicodeScalars.split { $0.properties.generalCategory == .spaceSeparator || $0 == "\u{2800}" }
    return words.map { String(String.UnicodeScalarView($0)) }.joined(separator: " ")
  }

  private static func compatible(_ text: String) -> String { text.precomposedStringWithCompatibilityMapping }

  /// Applies `rules` until nothing changes, as RFC 8264 (section 7) asks for; nil when that does not come.
  private static func settled(_ text: String, _ rules: (String) -> String) -> String? {
    var form = text
    for _ in 0..<4 {
      let next = rules(form)
      // Scalars are compared: strings count as equal whatever their normal form.
      if next.unicodeScalars.elementsEqual(form.unicodeScalars) { return form }
      form = next
    }
    return nil
  }

  private static func isInvisible(_ scalar: Unicode.Scalar) -> Bool {
    if scalar.properties.isDefaultIgnorableCodePoint { return true }
    switch scalar.properties.generalCategory {
    case .control, .format, .unassigned, .privateUse, .surrogate, .lineSeparator, .paragraphSeparator: return true
    default: return false
    }
  }
}
