internal import CLinux
internal import Glibc
public import MediaCore

/// How an input is read.
public struct GPIOInputSettings: Sendable, Hashable {
  public enum Bias: Sendable, Hashable {
    /// As set by the board or the driver.
    case asIs
    case pullUp
    case pullDown
    case disabled
  }

  public enum Edges: Sendable, Hashable {
    case rising
    case falling
    case both
  }

  /// Whether the physical low level is the active one, as with a button to ground.
  public var isActiveLow: Bool
  public var bias: Bias
  /// Rising is from inactive to active.
  public var edges: Edges
  /// Edges that follow each other sooner are no edges: by the chip, else by the kernel. Microsecond steps, at most
  /// 71 minutes; zero lets all through.
  public var debounce: TimeSpan

  public init(
    isActiveLow: Bool = false, bias: Bias = .asIs, edges: Edges = .both, debounce: TimeSpan = .zero
  ) {
    self.isActiveLow = isActiveLow
    self.bias = bias
    self.edges = edges
    self.debounce = debounce
  }

  var debounceMicroseconds: UInt32 { UInt32(clamping: debounce.nanoseconds / 1_000) }

  var flags: UInt64 { cgpio_input | (isActiveLow ? cgpio_active_low : 0) | biasFlags | edgeFlags }

  private var biasFlags: UInt64 {
    switch bias {
    case .asIs: 0
    case .pullUp: cgpio_pull_up
    case .pullDown: cgpio_pull_down
    case .disabled: cgpio_no_bias
    }
  }

  private var edgeFlags: UInt64 {
    switch edges {
    case .rising: cgpio_rising
    case .falling: cgpio_falling
    case .both: cgpio_rising | cgpio_falling
    }
  }
}

/// A line's change.
public struct GPIOEdge: Sendable, Hashable {
  /// When the kernel saw it.
  public let time: MonotonicInstant
  /// From inactive to active.
  public let isRising: Bool
  /// Counts the line's edges from 1; a gap means that the kernel dropped unread ones.
  public let number: UInt32
}

/// A line that is requested as an input, and released on deinit.
public final class GPIOInput: Sendable {
  /// Readable while an edge waits, for epoll and poll; hangs up when the chip is unplugged. Do not close it.
  public let descriptor: Int32
  private let place: GPIOPlace

  init(descriptor: Int32, place: GPIOPlace) {
    self.descriptor = descriptor
    self.place = place
  }

  deinit { close(descriptor) }

  /// Whether the line is active now.
  public func isActive() throws(GPIOError) -> Bool {
    var value: Int32 = 0
    try place.check("GPIO_V2_LINE_GET_VALUES", cgpio_get(descriptor, &value))
    return value != 0
  }

  /// Takes the oldest edge that waits; nil without one. Does not block.
  public func popEdge() throws(GPIOError) -> GPIOEdge? {
    var edge = cgpio_edge()
    let failure = cgpio_read_edge(descriptor, &edge)
    if failure == EAGAIN { return nil }
    try place.check("read", failure)
    return GPIOEdge(
      time: MonotonicInstant(nanoseconds: Int64(clamping: edge.time)), isRising: edge.is_rising != 0,
      number: edge.number)
  }

  /// Blocks until an edge waits; false after `limit`, or earlier when a signal came.
  ///
  /// - Throws: also when the chip is unplugged.
  public func waitForEdge(within limit: TimeSpan) throws(GPIOError) -> Bool {
    let failure = cgpio_wait(descriptor, Int32(clamping: max(limit.milliseconds, 0)))
    if failure == ETIMEDOUT { return false }
    try place.check("poll", failure)
    return true
  }
}
