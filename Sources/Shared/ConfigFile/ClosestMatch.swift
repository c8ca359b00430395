/// Finds what a misspelt word most likely meant, or nil when nothing is near.
///
/// A swap of neighbours, a missing, a superfluous or a wrong letter each count as one; a third of the word may differ.
public func closestMatch(to word: String, among candidates: [String]) -> String? {
  let limit = max(1, word.count / 3)
  let ranked = candidates.map { (candidate: $0, distance: editDistance(word, $0)) }
  guard let best = ranked.min(by: { $0.distance < $1.distance }), best.distance <= limit else { return nil }
  return best.candidate
}

/// The optimal string alignment distance. O(n·m) time; words longer than 64 bytes are never near anything.
private func editDistance(_ first: String, _ second: String) -> Int {
  let a = Array(first.utf8)
  let b = Array(second.utf8)
  guard a.count <= 64, b.count <= 64 else { return .max }
  guard !a.isEmpty, !b.isEmpty else { return max(a.count, b.count) }
  var beforeLast: [Int] = []
  var last = Array(0...b.count)
  for i in 1...a.count {
    var row = [i]
    for j in 1...b.count {
      var cost = min(last[j] + 1, row[j - 1] + 1, last[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1))
      if i > 1, j > 1, a[i - 1] == b[j - 2], a[i - 2] == b[j - 1] { cost = min(cost, beforeLast[j - 2] + 1) }
      row.append(cost)
    }
    beforeLast = last
    last = row
  }
  return last[b.count]
}
