internal import MediaCore

/// Holds received Opus packets by number until they are due. Allocates only when made.
struct PlayoutBuffer: ~Copyable {
  private struct Slot {
    var number: UInt32
    var byteCount: Int
    var isFilled: Bool
  }

  private let slots: UnsafeMutableBufferPointer<Slot>
  private let memory: UnsafeMutableRawBufferPointer
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
    slots = .allocate(capacity: Self.capacity)
    slots.initialize(repeating: Slot(number: 0, byteCount: 0, isFilled: false))
    memory = .allocate(byteCount: Self.capacity * Self.slotBytes, alignment: 16)
  }

  deinit {
    slots.deallocate()
    memory.deallocate()
  }

  /// Copies a packet in. One far ahead of what is held begins a new stretch.
  mutating func insert(_ number: UInt32, _ payload: RawSpan) {
    let next = self.next ?? number
    let distance = Int32(bitPattern: number &- next)
    if distance >= Int32(Self.capacity) || distance < -Int32(Self.capacity) {
      restart(at: number)
    } else {
      self.next = next
    }
    let index = Int(clamping: number % UInt32(Self.capacity))
    guard Int32(bitPattern: number &- self.next!) >= 0, payload.byteCount <= Self.slotBytes, !slots[index].isFilled
    else {
      refused += 1
      return
    }
    payload.withUnsafeBytes { memory[slotRange(index)].copyBytes(from: $0) }
    slots[index] = Slot(number: number, byteCount: payload.byteCount, isFilled: true)
    count += 1
  }

  private func slotRange(_ index: Int) -> Range<Int> { index * Self.slotBytes..<(index + 1) * Self.slotBytes }

  private mutating func restart(at number: UInt32) {
    for index in slots.indices { slots[index].isFilled = false }
    count = 0
    next = number
  }

  /// Lends the packet that is due, or the one after it with `isFollowing`, without taking it; nil when it is missing.
  func peek<Result>(isFollowing: Bool = false, _ body: (RawSpan) -> Result) -> Result? {
    guard let next else { return nil }
    let number = isFollowing ? next &+ 1 : next
    let index = Int(clamping: number % UInt32(Self.capacity))
    guard slots[index].isFilled, slots[index].number == number else { return nil }
    return body(UnsafeRawBufferPointer(rebasing: memory[slotRange(index)].prefix(slots[index].byteCount)).bytes)
  }

  /// Goes on to the number after, whether the packet that was due is here or not.
  mutating func advance() {
    guard let due = next else { return }
    let index = Int(clamping: due % UInt32(Self.capacity))
    if slots[index].isFilled, slots[index].number == due {
      slots[index].isFilled = false
      count -= 1
    }
    next = due &+ 1
  }
}
