internal import MediaCore

/// Holds received Opus packets until they are due. Allocates only when made.
///
/// Packets come in the order of their numbers, since the session has put them in order: a number that is left out is
/// lost.
struct PlayoutBuffer: ~Copyable {
  private struct Packet {
    var number: UInt32
    var byteCount: Int
  }

  private let packets: UnsafeMutableBufferPointer<Packet>
  private let memory: UnsafeMutableRawBufferPointer
  private var head = 0
  /// The number of the packet that is due next; nil until the first came.
  private(set) var next: UInt32?
  /// Packets held now.
  private(set) var count = 0
  /// Packets that came after their time, twice, or were too long.
  private(set) var refused = 0

  /// Packets that fit: 320 ms of the usual 20 ms.
  static let capacity = 16
  /// The longest Opus packet there is: three frames of 1,275 bytes and their lengths.
  private static let slotBytes = 3_840

  init() {
    packets = .allocate(capacity: Self.capacity)
    packets.initialize(repeating: Packet(number: 0, byteCount: 0))
    memory = .allocate(byteCount: Self.capacity * Self.slotBytes, alignment: 16)
  }

  deinit {
    packets.deallocate()
    memory.deallocate()
  }

  /// Copies a packet in. One far ahead of what is held begins a new stretch.
  mutating func append(_ number: UInt32, _ payload: RawSpan) {
    restartIfFar(number)
    guard isNew(number), payload.byteCount <= Self.slotBytes else {
      refused += 1
      return
    }
    let index = (head + count) % Self.capacity
    payload.withUnsafeBytes { memory[slotRange(index)].copyBytes(from: $0) }
    packets[index] = Packet(number: number, byteCount: payload.byteCount)
    count += 1
  }

  /// Whether a number is due or later, and after all that are held.
  private func isNew(_ number: UInt32) -> Bool {
    guard count == 0 else {
      let last = packets[(head + count - 1) % Self.capacity].number
      return Self.distance(to: number, from: last) > 0
    }
    return next.map { Self.distance(to: number, from: $0) >= 0 } ?? true
  }

  private static func distance(to number: UInt32, from other: UInt32) -> Int32 { Int32(bitPattern: number &- other) }

  private func slotRange(_ index: Int) -> Range<Int> { index * Self.slotBytes..<(index + 1) * Self.slotBytes }

  private mutating func restartIfFar(_ number: UInt32) {
    let distance = next.map { Self.distance(to: number, from: $0) } ?? .max
    guard distance >= Int32(Self.capacity) || distance < -Int32(Self.capacity) else { return }
    count = 0
    next = number
  }

  /// Whether the packet that is due is lost: later ones are here.
  var isDueLost: Bool { count > 0 && packets[head].number != next }

  /// Lends the packet that is due, or the one after it with `isFollowing`, without taking it; nil when it is missing.
  func peek<Result>(isFollowing: Bool = false, _ body: (RawSpan) -> Result) -> Result? {
    guard let next, count > 0 else { return nil }
    let number = isFollowing ? next &+ 1 : next
    let offset = packets[head].number == next && isFollowing ? 1 : 0
    let index = (head + offset) % Self.capacity
    guard offset < count, packets[index].number == number else { return nil }
    return body(UnsafeRawBufferPointer(rebasing: memory[slotRange(index)].prefix(packets[index].byteCount)).bytes)
  }

  /// Goes on to the number after, whether the packet that was due is here or not.
  mutating func advance() {
    guard let due = next else { return }
    if count > 0, packets[head].number == due {
      head = (head + 1) % Self.capacity
      count -= 1
    }
    next = due &+ 1
  }
}
