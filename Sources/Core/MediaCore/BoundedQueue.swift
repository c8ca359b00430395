/// A first-in, first-out queue that allocates once and refuses what does not fit.
public struct BoundedQueue<Element> {
  @usableFromInline var storage: [Element?]
  @usableFromInline var head = 0
  /// How many elements wait.
  @usableFromInline var count = 0

  /// - Parameter capacity: the maximum number of elements.
  @inlinable
  public init(capacity: Int) { storage = Array(repeating: nil, count: capacity) }

  /// Whether nothing waits.
  @inlinable
  public var isEmpty: Bool { count == 0 }

  /// Returns false, and leaves the queue unchanged, when it is full.
  @inlinable
  @discardableResult
  public mutating func append(_ element: Element) -> Bool {
    guard count < storage.count else { return false }
    storage[(head + count) % storage.count] = element
    count += 1
    return true
  }

  /// Removes the oldest element; nil when empty.
  @inlinable
  public mutating func popFirst() -> Element? {
    guard count > 0 else { return nil }
    defer {
      storage[head] = nil
      head = (head + 1) % storage.count
      count -= 1
    }
    return storage[head]
  }

  /// Removes all that waits and keeps the memory.
  @inlinable
  public mutating func removeAll() {
    while popFirst() != nil {}
  }
}

extension BoundedQueue where Element: Equatable {
  /// Whether such an element waits. O(n).
  @inlinable
  public func contains(_ element: Element) -> Bool {
    var offset = 0
    while offset < count {
      if storage[(head + offset) % storage.count] == element { return true }
      offset += 1
    }
    return false
  }
}

extension BoundedQueue: Sendable where Element: Sendable {}
