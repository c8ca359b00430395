public import MediaCore

/// Positions from gpsd, read by its own thread, since libgps blocks.
///
/// A gpsd that is absent, restarts or reports nonsense is no error: the thread reconnects with growing
/// pauses, and only checked fixes come out.
public struct GPSDLocation: Sendable {
  /// A change in the connection to gpsd, reported once each time.
  public enum Change: Sendable, Equatable {
    case connected
    /// Not reachable or gone; with the cause.
    case disconnected(String)
    /// Reports that cannot be true began to come.
    case unbelievable
  }

  private let host: String
  private let port: UInt16

  public init(host: String = "127.0.0.1", port: UInt16 = 2947) {
    self.host = host
    self.port = port
  }

  /// Starts the thread and returns its fixes, of which a slow reader sees the newest; ends when the reader ends.
  ///
  /// - Parameter onChange: called on the thread.
  public func fixes(onChange: @escaping @Sendable (Change) -> Void = { _ in }) -> AsyncStream<PositionFix> {
    let (stream, continuation) = AsyncStream.makeStream(of: PositionFix.self, bufferingPolicy: .bufferingNewest(1))
    let reader = GPSDReader(host: host, port: String(port), fixes: continuation, onChange: onChange)
    continuation.onTermination = { _ in reader.stop() }
    reader.start()
    return stream
  }
}
