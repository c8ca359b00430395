/// What can be done with one archive at the same time, and a set of combinations in which each pair of choices occurs.
struct ArchiveFeatures: CustomStringConvertible {
  enum Ending: Int, CaseIterable { case stopped, powerCut, repaired }
  enum Upload: Int, CaseIterable { case none, interrupted, whole, interruptedNote }
  enum Encryption: Int, CaseIterable { case none, forOwner }
  enum Segments: Int, CaseIterable { case one, several }
  enum Pace: Int, CaseIterable { case real, timeLapse }
  enum Cameras: Int, CaseIterable { case one, two }
  enum Rename: Int, CaseIterable { case never, beforeUpload, afterUpload }
  enum Lock: Int, CaseIterable { case never, locked, unlocked }
  enum Export: Int, CaseIterable { case none, before, after }
  enum Track: Int, CaseIterable { case none, positions }

  /// How many choices each feature has.
  static let sizes = [
    Ending.allCases.count, Upload.allCases.count, Encryption.allCases.count, Segments.allCases.count,
    Pace.allCases.count, Cameras.allCases.count, Rename.allCases.count, Lock.allCases.count, Export.allCases.count,
    Track.allCases.count,
  ]

  let choices: [Int]

  var ending: Ending { Ending(rawValue: choices[0])! }
  var upload: Upload { Upload(rawValue: choices[1])! }
  var encryption: Encryption { Encryption(rawValue: choices[2])! }
  var segments: Segments { Segments(rawValue: choices[3])! }
  var pace: Pace { Pace(rawValue: choices[4])! }
  var cameras: Cameras { Cameras(rawValue: choices[5])! }
  var rename: Rename { Rename(rawValue: choices[6])! }
  var lock: Lock { Lock(rawValue: choices[7])! }
  var export: Export { Export(rawValue: choices[8])! }
  var track: Track { Track(rawValue: choices[9])! }

  var description: String {
    "\(ending), upload \(upload), encryption \(encryption), segments \(segments), \(pace), cameras \(cameras), "
      + "rename \(rename), lock \(lock), export \(export), track \(track)"
  }

  /// A choice of one feature beside a choice of another.
  private struct Pair: Hashable {
    var first: Int
    var firstChoice: Int
    var second: Int
    var secondChoice: Int
  }

  /// Each pair of choices at least once: row by row the choice that covers the most pairs that are left.
  static let pairwise: [[Int]] = {
    var left = allPairs
    var rows: [[Int]] = []
    while let seed = left.min(by: { order($0) < order($1) }) {
      var row: [Int?] = sizes.map { _ in nil }
      row[seed.first] = seed.firstChoice
      row[seed.second] = seed.secondChoice
      for index in sizes.indices where row[index] == nil {
        row[index] = (0..<sizes[index]).max { covered(row, index, $0, left) < covered(row, index, $1, left) }
      }
      let choices = row.map { $0 ?? 0 }
      left.subtract(pairs(of: choices))
      rows.append(choices)
    }
    return rows
  }()

  private static func order(_ pair: Pair) -> Int {
    ((pair.first * 16 + pair.second) * 16 + pair.firstChoice) * 16 + pair.secondChoice
  }

  private static func covered(_ row: [Int?], _ index: Int, _ choice: Int, _ left: Set<Pair>) -> Int {
    row.indices.count { other in
      guard let otherChoice = row[other] else { return false }
      return left.contains(pair(index, choice, other, otherChoice))
    }
  }

  private static func pair(_ one: Int, _ oneChoice: Int, _ other: Int, _ otherChoice: Int) -> Pair {
    one < other
      ? Pair(first: one, firstChoice: oneChoice, second: other, secondChoice: otherChoice)
      : Pair(first: other, firstChoice: otherChoice, second: one, secondChoice: oneChoice)
  }

  private static func pairs(of choices: [Int]) -> Set<Pair> {
    var pairs: Set<Pair> = []
    for one in choices.indices {
      for other in choices.indices where one < other { pairs.insert(pair(one, choices[one], other, choices[other])) }
    }
    return pairs
  }

  private static let allPairs: Set<Pair> = {
    var pairs: Set<Pair> = []
    for one in sizes.indices {
      for other in sizes.indices where one < other {
        for oneChoice in 0..<sizes[one] {
          for otherChoice in 0..<sizes[other] { pairs.insert(pair(one, oneChoice, other, otherChoice)) }
        }
      }
    }
    return pairs
  }()
}
