/// The connections that may be given up, oldest first, by where they come from.
///
/// Ids are handed out in ascending order, so each queue is sorted. Every operation but taking from a queue's middle takes
/// constant time, since a flood makes one for each of its connections.
struct EvictionQueues<Origin: Hashable & Sendable>: Sendable {
  private var queues: [Origin: [UInt64]] = [:]
  /// Origins by the length of their queue, and the greatest length.
  private var originsByLength: [Int: Set<Origin>] = [:]
  private var greatest = 0

  mutating func append(_ id: UInt64, from origin: Origin) {
    queues[origin, default: []].append(id)
    noteLength(of: origin, before: count(of: origin) - 1)
  }

  /// Does nothing when the connection is not there.
  mutating func remove(_ id: UInt64, from origin: Origin) {
    guard let queue = queues[origin], let index = Self.index(of: id, in: queue) else { return }
    if queue.count == 1 { queues[origin] = nil } else { queues[origin]?.remove(at: index) }
    noteLength(of: origin, before: queue.count)
  }

  func oldest(from origin: Origin) -> UInt64? { queues[origin]?.first }

  /// The oldest of an origin that has as many as any.
  var oldestOfGreatest: UInt64? { originsByLength[greatest]?.first.flatMap { oldest(from: $0) } }

  private func count(of origin: Origin) -> Int { queues[origin]?.count ?? 0 }

  private mutating func noteLength(of origin: Origin, before: Int) {
    let length = count(of: origin)
    originsByLength[before]?.remove(origin)
    if originsByLength[before]?.isEmpty == true { originsByLength[before] = nil }
    if length > 0 { originsByLength[length, default: []].insert(origin) }
    greatest = max(greatest, length)
    // Lengths change by one, so that an origin that has left the greatest length is one below it.
    if originsByLength[greatest] == nil { greatest -= 1 }
  }

  private static func index(of id: UInt64, in queue: [UInt64]) -> Int? {
    var range = 0..<queue.count
    while !range.isEmpty {
      let middle = range.lowerBound + range.count / 2
      if queue[middle] == id { return middle }
      range = queue[middle] < id ? middle + 1..<range.upperBound : range.lowerBound..<middle
    }
    return nil
  }
}
