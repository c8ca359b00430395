/// How many connections the hub keeps, and for how long each may make it wait.
public struct ConnectionLimits: Sendable, Equatable {
  public var total = 8_192
  /// From one IPv4 address or one IPv6 network (/64); several people share one behind a router.
  public var perAddress = 256
  /// For a whole request, head and body, and for a new connection's first one.
  public var requestTimeout: Duration = .seconds(30)
  /// Between requests.
  public var idleTimeout: Duration = .seconds(75)
  /// For a client that takes nothing of its response, and the time over which ``uploadRate`` is measured.
  public var stallTimeout: Duration = .seconds(30)
  /// Bytes a second that an archive's upload brings at least while the hub waits for it.
  public var uploadRate = 1_000

  public init() {}
}
