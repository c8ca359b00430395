/// Keeps the `limit` lowest ranks of any number offered: a max-heap of bounded size.
struct NearestSelection {
  struct Candidate {
    var rank: Double
    var slot: Int
  }

  private let limit: Int
  private var heap: [Candidate] = []

  init(limit: Int) {
    self.limit = limit
    heap.reserveCapacity(limit)
  }

  /// Lowest rank first; equal ranks in the order of their slots.
  var sorted: [Candidate] {
    heap.sorted { $0.rank != $1.rank ? $0.rank < $1.rank : $0.slot < $1.slot }
  }

  /// Whether as many as are wanted have a rank up to `rank`.
  func isFull(upTo rank: Double) -> Bool {
    heap.count == limit && heap.first.map { $0.rank <= rank } ?? true
  }

  mutating func offer(_ candidate: Candidate) {
    if heap.count < limit {
      heap.append(candidate)
      siftUp()
    } else if let worst = heap.first, candidate.rank < worst.rank {
      heap[0] = candidate
      siftDown()
    }
  }

  private mutating func siftUp() {
    var child = heap.count - 1
    while child > 0 {
      let parent = (child - 1) / 2
      guard heap[parent].rank < heap[child].rank else { return }
      heap.swapAt(parent, child)
      child = parent
    }
  }

  private mutating func siftDown() {
    var parent = 0
    while true {
      var largest = parent
      for child in [2 * parent + 1, 2 * parent + 2] where child < heap.count && heap[child].rank > heap[largest].rank {
        largest = child
      }
      guard largest != parent else { return }
      heap.swapAt(parent, largest)
      parent = largest
    }
  }
}
