/// Cuts a byte stream into Varlink messages, each of which ends with a NUL byte.
public struct VarlinkFramer: Sendable {
  public enum Failure: Error, Sendable, Hashable {
    /// No NUL within the permitted length.
    case messageTooLong
  }

  /// The longest message that the daemon takes, without its NUL.
  public static let defaultLimit = 65_536

  private let limit: Int
  private var pending: [UInt8] = []
  /// Where the first message that has not been returned begins.
  private var start = 0
  /// How far the search for a NUL has come.
  private var scanned = 0

  public init(limit: Int = VarlinkFramer.defaultLimit) { self.limit = limit }

  /// Whether a message has begun and not ended. Meaningful when ``next()`` has returned nil.
  public var hasPartialMessage: Bool { start < pending.count }

  public mutating func append(_ bytes: some Sequence<UInt8>) {
    if start > 0 {
      pending.removeFirst(start)
      scanned -= start
      start = 0
    }
    pending.append(contentsOf: bytes)
  }

  /// The next whole message without its NUL, or nil when more bytes are needed.
  public mutating func next() throws(Failure) -> [UInt8]? {
    while scanned < pending.count {
      guard scanned - start <= limit else { throw .messageTooLong }
      scanned += 1
      guard pending[scanned - 1] == 0 else { continue }
      defer { start = scanned }
      return Array(pending[start..<scanned - 1])
    }
    guard scanned - start <= limit else { throw .messageTooLong }
    return nil
  }
}
