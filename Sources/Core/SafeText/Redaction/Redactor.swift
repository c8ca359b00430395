/// Removes what identifies people, places and machines from texts that go to strangers: secrets, names, addresses.
///
/// A word stays if it is known to be the program's own; all others are replaced by `<1>`, `<2>` …, the same word by the
/// same number, so that it can still be followed through a text. Nothing has to be recognised as a secret for that:
/// what is not known does not stay. Numbers stay unless they look like addresses, positions or identifiers.
public struct Redactor {
  /// More different replacements than this are all `<…>`.
  private static let maxReplacements = 65_536

  /// Words that stay, as they are written.
  private let vocabulary: Set<String>
  /// Texts that go whatever they consist of, the longest first, by their first scalar.
  private var known: [Unicode.Scalar: [[Unicode.Scalar]]] = [:]
  private var numbers: [String: Int] = [:]

  /// - Parameters:
  ///   - vocabulary: words of letters that stay.
  ///   - known: names, addresses and secrets that are known to be such; those of fewer than 3 scalars are left out.
  public init(vocabulary: Set<String>, known: Set<String>) {
    self.vocabulary = vocabulary
    for text in known {
      let scalars = Array(text.unicodeScalars)
      if scalars.count >= 3, let first = scalars.first { self.known[first, default: []].append(scalars) }
    }
    for first in self.known.keys { self.known[first]?.sort { $0.count > $1.count } }
  }

  /// The text without what identifies; line feeds and punctuation stay.
  public mutating func redacted(_ text: some StringProtocol) -> String {
    var rest = Array(text.unicodeScalars)[...]
    var output = String.UnicodeScalarView()
    var isWithinWord = false
    while let first = rest.first {
      let piece = isWithinWord ? nil : knownPiece(rest) ?? Address.length(rest).map { rest.prefix($0) }
      if let piece {
        output += replacement(of: piece).unicodeScalars
        rest = rest.dropFirst(piece.count)
      } else if first.isOfWord {
        let word = rest.prefix { $0.isOfWord }
        output += (stays(word) ? String(word) : replacement(of: word)).unicodeScalars
        rest = rest.dropFirst(word.count)
      } else {
        output.append(first)
        rest = rest.dropFirst()
      }
      isWithinWord = output.last?.isOfWord == true && rest.first?.isOfWord == true
    }
    return String(output)
  }

  private func knownPiece(_ rest: ArraySlice<Unicode.Scalar>) -> ArraySlice<Unicode.Scalar>? {
    guard let first = rest.first, let candidates = known[first] else { return nil }
    return candidates.first { rest.starts(with: $0) && !rest.dropFirst($0.count).continuesWord(after: $0) }
      .map { rest.prefix($0.count) }
  }

  private mutating func replacement(of piece: some Sequence<Unicode.Scalar>) -> String {
    let text = String(piece)
    if let number = numbers[text] { return "<\(number)>" }
    guard numbers.count < Self.maxReplacements else { return "<…>" }
    numbers[text] = numbers.count + 1
    return "<\(numbers.count)>"
  }
}

extension Redactor {
  /// Digits beyond which a number is an identifier, or a telephone's.
  private static let maxDigits = 6
  /// Of each number within a word of letters and digits, such as `640x480`, `vp8` or `800kbit`.
  private static let maxMixedDigits = 4

  private func stays(_ word: ArraySlice<Unicode.Scalar>) -> Bool {
    let runs = word.runs
    switch (runs.count, runs.first?.isDigits) {
    case (1, true): return word.count <= Self.maxDigits
    case (1, _): return vocabulary.contains(String(word))
    // Few changes between letters and digits: tokens have many.
    case (2, _), (3, true):
      return runs.allSatisfy { run in
        let length = run.text.unicodeScalars.count
        if run.isDigits { return length <= Self.maxMixedDigits }
        return length == 1 || runs.count == 2 && vocabulary.contains(run.text)
      }
    default: return false
    }
  }
}

extension ArraySlice<Unicode.Scalar> {
  fileprivate struct Run {
    var isDigits: Bool
    var text: String
  }

  /// Digits and letters in turn.
  fileprivate var runs: [Run] {
    reduce(into: []) { runs, scalar in
      if let last = runs.indices.last, runs[last].isDigits == scalar.isDigit {
        runs[last].text.unicodeScalars.append(scalar)
      } else {
        runs.append(Run(isDigits: scalar.isDigit, text: String(scalar)))
      }
    }
  }

  /// Whether a text that ends here would end in the middle of a word.
  fileprivate func continuesWord(after text: [Unicode.Scalar]) -> Bool {
    text.last?.isOfWord == true && first?.isOfWord == true
  }
}

extension Unicode.Scalar {
  var isDigit: Bool { ("0"..."9").contains(self) }
  var isHexDigit: Bool { isDigit || ("a"..."f").contains(self) || ("A"..."F").contains(self) }
  /// Letters and digits of all scripts; what joins words of ours is punctuation.
  var isOfWord: Bool { isDigit || properties.isAlphabetic || (value > 0x7F && properties.isEmoji) }
}

extension String {
  fileprivate init(_ scalars: some Sequence<Unicode.Scalar>) {
    var view = UnicodeScalarView()
    view.append(contentsOf: scalars)
    self.init(view)
  }
}
