/// The alphabets whose letters pass for one another's.
enum Script {
  case latin
  case greek
  case cyrillic
  case armenian
  case cherokee
  case coptic
  case lisu

  /// Nil for letters of other scripts, marks, digits and signs.
  init?(_ scalar: Unicode.Scalar) {
    guard scalar.properties.isAlphabetic else { return nil }
    switch scalar.value {
    case 0x41...0x24F, 0x250...0x2AF, 0x1E00...0x1EFF, 0x2C60...0x2C7F, 0xA722...0xA7FF, 0xAB30...0xAB64: self = .latin
    case 0x370...0x3FF, 0x1F00...0x1FFF: self = .greek
    case 0x400...0x52F, 0x1C80...0x1C8F, 0xA640...0xA69F: self = .cyrillic
    case 0x531...0x587: self = .armenian
    case 0x13A0...0x13FF, 0xAB70...0xABBF: self = .cherokee
    case 0x2C80...0x2CFF: self = .coptic
    case 0xA4D0...0xA4FF: self = .lisu
    default: return nil
    }
  }
}

/// Text that looks like another (in the spirit of UTS #39, with the most common of its table).
enum LookAlikes {
  /// The first word whose letters are of two such alphabets.
  static func firstMixedWord(in text: String) -> String? {
    let words = text.unicodeScalars.split { !isPartOfWord($0) }
    return words.first { Set($0.compactMap(Script.init)).count > 1 }.map { String(String.UnicodeScalarView($0)) }
  }

  private static func isPartOfWord(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.properties.generalCategory {
    case .uppercaseLetter, .lowercaseLetter, .titlecaseLetter, .modifierLetter, .otherLetter: true
    case .nonspacingMark, .spacingMark, .enclosingMark: true
    default: false
    }
  }

  /// Small letters and signs, each replaced by the Latin one that it looks like. `text` is decomposed.
  static func replaced(in text: String) -> String {
    String(String.UnicodeScalarView(text.unicodeScalars.map { table[$0] ?? $0 }))
  }

  /// Titles are compared without regard to case, so a letter counts as what either of its cases looks like; where those
  /// are two, the capital decides, since capitals resemble each other more.
  private static let table: [Unicode.Scalar: Unicode.Scalar] = pairs([
    ("авгезкмнорстухьбѕіјһӏԁԛԝѵүә", "abre3kmhopctyxb6sijhldqwvyə"),
    ("αβγεζηικμνορτυχϳ", "abyezhikmnoptyxj"),
    ("ɑɡɩ", "agi"),
    ("‐‒–—―−⁃", "-------"), ("‘’ʼʹ′", "'''''"), ("“”", "\"\""), ("⁄∕", "//"),
  ])

  private static func pairs(_ rows: [(String, String)]) -> [Unicode.Scalar: Unicode.Scalar] {
    rows.reduce(into: [:]) { table, row in
      for (scalar, twin) in zip(row.0.unicodeScalars, row.1.unicodeScalars) { table[scalar] = twin }
    }
  }
}
