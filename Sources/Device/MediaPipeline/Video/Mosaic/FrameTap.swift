internal import SystemSupport
internal import MediaCore
internal import PixelConversion

/// Hands a camera's frames to a mosaic, with privacy masks and overlay: copies one when the mosaic has taken the one
/// before.
///
/// Where one side holds the frame, the other goes without: neither waits for the other. Without a mosaic it costs
/// reading a number for each frame.
public final class FrameTap: Sendable {
  /// One mosaic's use of the tap, from ``begin()`` to ``end(_:)``. The next one ends it, so that a mosaic whose thread
  /// was given up has no effect when it continues.
  struct Use: Equatable {
    fileprivate let number: UInt64
  }

  private struct Content {
    var lastNumber: UInt64 = 0
    /// Nil while there is no mosaic.
    var use: Use?
    /// Memory for a frame; what it shows counts while ``isFilled``.
    var slot: FrameSlot?
    var isFilled = false
  }

  private let content = Mutex(Content())
  /// Whether a mosaic waits for a frame; changed under the lock.
  private let isWanted = Atomic(false)

  public init() {}
}

// MARK: - The camera's side

extension FrameTap {
  /// Takes the frame if the mosaic waits for one. Allocates for the first one, and for one of another size.
  func offer(_ image: borrowing I420Buffer, at now: MonotonicInstant) {
    guard isWanted.load(ordering: .relaxed) else { return }
    _ = content.withLockIfAvailable { content in
      guard content.use != nil, !content.isFilled else { return }
      let slot = Self.slot(&content, width: image.width, height: image.height)
      FrameScaler.scale(image, to: slot.image.area, of: &slot.image)
      slot.captured = now
      content.isFilled = true
      isWanted.store(false, ordering: .relaxed)
    }
  }

  private static func slot(_ content: inout Content, width: Int, height: Int) -> FrameSlot {
    if let slot = content.slot, slot.image.width == width, slot.image.height == height { return slot }
    let slot = FrameSlot(width: width, height: height)
    content.slot = slot
    return slot
  }
}

// MARK: - The mosaic's side

extension FrameTap {
  /// Requests frames from now on, in place of the previous user. May wait while a frame is copied.
  func begin() -> Use {
    content.withLock { content in
      content.lastNumber += 1
      let use = Use(number: content.lastNumber)
      content.use = use
      content.isFilled = false
      isWanted.store(true, ordering: .relaxed)
      return use
    }
  }

  /// Lends the frame that has come since the last call, and requests the next one; returns false where none has.
  func take(_ use: Use, _ body: (borrowing I420Buffer, MonotonicInstant) -> Void) -> Bool {
    let isTaken = content.withLockIfAvailable { content in
      guard content.use == use, content.isFilled, let slot = content.slot else { return false }
      body(slot.image, slot.captured)
      content.isFilled = false
      isWanted.store(true, ordering: .relaxed)
      return true
    }
    return isTaken ?? false
  }

  /// Requests none any more, and releases the memory. May wait while a frame is copied.
  func end(_ use: Use) {
    content.withLock { content in
      guard content.use == use else { return }
      (content.use, content.slot, content.isFilled) = (nil, nil, false)
      isWanted.store(false, ordering: .relaxed)
    }
  }
}

extension I420Buffer {
  /// All of it.
  var area: FrameArea { FrameArea(x: 0, y: 0, width: width, height: height) }
}
