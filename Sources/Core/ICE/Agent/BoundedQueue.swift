/// A first-in, first-out queue that allocates once and refuses what does not fit.
struct BoundedQueue<Element> {
  private var storage: [Element?]
  private var head = 0
  private(set) var count = 0

  init(capacity: Int) { storage = Array(repeating: nil, count: capacity) }

  /// Returns false, and leaves the queue as it is, when it is full.
  @discardableResult
  mutating func append(_ element: Element) -> Bool {
    guard count < storage.count else { return false }
    storage[(head + count) % storage.count] = element
    count += 1
    return true
  }

  mutating func popFirst() -> Element? {
    guard count > 0 else { return nil }
    defer {
      storage[head] = nil
      head = (head + 1) % storage.count
      count -= 1
    }
    return storage[head]
  }
}
