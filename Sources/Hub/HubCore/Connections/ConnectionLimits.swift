/// How many connections the hub keeps, and for how long each may make it wait.
public struct ConnectionLimits: Sendable, Equatable {
  public var total = 8_192
  /// From one IPv4 address or one IPv6 network (/64); several people share one behind a router.
  public var perAddress = 256
  /// Requests a second of one client; further ones wait, see ``RequestTurns``.
  public var requestRate = 200
  /// Requests a second of all anonymous clients together.
  public var anonymousRequestRate = 1_000
  /// Bytes that connections of anonymous clients hold together, of requests that are read ahead or being answered and of
  /// responses that are not taken.
  public var anonymousMemory = 32 << 20
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
