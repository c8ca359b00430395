internal import MediaCore
internal import PixelConversion
internal import Synchronization

/// Hands a camera's pictures to a mosaic, with privacy masks and overlay: copies one when the mosaic has taken the one before.
///
/// Neither side ever waits for the other. Without a mosaic it costs a glance at a number for each picture.
///
/// Safety: the slot belongs to the thread that encodes the camera's pictures while the state is `filling`, and to the mosaic's
/// thread in all others; exchanges of the state hand it over.
public final class PictureTap: @unchecked Sendable {
  private enum State {
    /// There is no mosaic.
    static let idle = 0
    /// The mosaic waits for a picture.
    static let wanted = 1
    static let filling = 2
    static let filled = 3
  }

  private let state = Atomic<Int>(State.idle)
  private var slot: PictureSlot?

  public init() {}

  private func pass(_ before: Int, _ after: Int) -> Bool {
    state.compareExchange(expected: before, desired: after, ordering: .acquiringAndReleasing).exchanged
  }
}

// MARK: - The camera's side

extension PictureTap {
  /// Takes the picture if the mosaic waits for one. Allocates for the first one, and for one of another size.
  func offer(_ picture: borrowing I420Buffer, at now: MonotonicInstant) {
    guard state.load(ordering: .relaxed) == State.wanted, pass(State.wanted, State.filling) else { return }
    let slot = slot(width: picture.width, height: picture.height)
    PictureScaler.scale(picture, to: slot.picture.area, of: &slot.picture)
    slot.captured = now
    state.store(State.filled, ordering: .releasing)
  }

  private func slot(width: Int, height: Int) -> PictureSlot {
    if let slot, slot.picture.width == width, slot.picture.height == height { return slot }
    let slot = PictureSlot(width: width, height: height)
    self.slot = slot
    return slot
  }
}

// MARK: - The mosaic's side

extension PictureTap {
  /// Wants pictures from now on.
  func begin() {
    if !pass(State.idle, State.wanted) { _ = pass(State.filled, State.wanted) }
  }

  /// Lends the picture that has come since the last call, and wants the next one; returns false where none has.
  func take(_ body: (borrowing I420Buffer, MonotonicInstant) -> Void) -> Bool {
    guard state.load(ordering: .acquiring) == State.filled, let slot else { return false }
    body(slot.picture, slot.captured)
    state.store(State.wanted, ordering: .releasing)
    return true
  }

  /// Wants none any more, and gives the memory back unless a picture comes just now.
  func end() {
    if pass(State.wanted, State.idle) || pass(State.filled, State.idle) { slot = nil }
  }
}

extension I420Buffer {
  /// All of it.
  var area: PictureArea { PictureArea(x: 0, y: 0, width: width, height: height) }
}
