import NIOCore
import NIOPosix
import SystemSupport
import TLSClient

/// HTTP/1.1 to servers that strangers name: each request on a connection of its own, to an address that was checked.
///
/// A name is looked up once for each request; the connection goes to what was found and checked then, so that a name whose
/// meaning changes leads nowhere else. TLS still expects the name. Knows no redirects. May be used from any task.
public final class CheckedHTTPClient: Sendable {
  /// Bounds of each request.
  public struct Limits: Sendable {
    /// Requests at the same time; further ones wait within their time.
    public var connections = 32
    /// For everything from the lookup to the end of the answer.
    public var time: Duration = .seconds(10)
    /// Octets that an answer's body may have.
    public var answer = 16 << 10

    public init() {}
  }

  private let limits: Limits
  private let slots: ConnectionSlots
  private let tls: Result<TLSClient, TLSClientError>
  private let threads = MultiThreadedEventLoopGroup(numberOfThreads: 1)
  /// Lookups block.
  private let lookups: NIOThreadPool

  /// - Parameter authorityFile: certificates (PEM) of authorities that are trusted besides the system's.
  public init(limits: Limits = Limits(), authorityFile: String? = nil) {
    self.limits = limits
    slots = ConnectionSlots(limits.connections)
    lookups = NIOThreadPool(numberOfThreads: limits.connections)
    lookups.start()
    tls = Result { () throws(TLSClientError) in
      try TLSClient(authorityFile: authorityFile, remedy: "update-ca-certificates(8) adds an authority of your own")
    }
  }

  /// Sends a request and reads the whole answer.
  ///
  /// - Parameter isAllowed: whether a numeric address may be reached; all that a name has must be.
  /// - Throws: ``AddressRefusal``, ``HTTPConnectionError``, and what the system and NIO's HTTP parser throw.
  public func exchange(
    _ request: HTTPRequest, with origin: HTTPOrigin, where isAllowed: @escaping @Sendable (String) -> Bool
  ) async throws -> HTTPWholeAnswer {
    try await within(limits.time) {
      guard await self.slots.take() else { throw HTTPConnectionError.cancelled }
      defer { self.slots.giveBack() }
      let addresses = try await self.addresses(of: origin.host, port: origin.port, where: isAllowed)
      var limits = HTTPConnectionPool.Limits()
      (limits.connections, limits.connectTimeout, limits.idleTimeout) = (1, self.limits.time, self.limits.time)
      let pool = HTTPConnectionPool(origin, at: addresses, limits: limits, tls: self.tls, threads: self.threads)
      defer { pool.closeConnections() }
      return try await pool.exchange(request, within: self.limits.time, upTo: self.limits.answer)
    }
  }

  /// Looks a name up, and throws unless all its addresses are allowed.
  public func check(_ host: String, where isAllowed: @escaping @Sendable (String) -> Bool) async throws {
    _ = try await within(limits.time) { try await self.addresses(of: host, port: 0, where: isAllowed) }
  }

  /// Ends all exchanges, and the threads. To be called once.
  public func shutdown() async {
    // Both fail only when they have been shut down already.
    try? await threads.shutdownGracefully()
    try? await lookups.shutdownGracefully()
  }

  private func addresses(
    of host: String, port: Int, where isAllowed: @escaping @Sendable (String) -> Bool
  ) async throws -> [SocketAddress] {
    let addresses = try await lookups.runIfActive { try HostLookup.addresses(of: host, port: port) }
    guard !addresses.isEmpty else { throw AddressRefusal.unknownName }
    guard addresses.allSatisfy({ $0.ipAddress.map(isAllowed) ?? false }) else { throw AddressRefusal.notAllowed }
    return addresses
  }
}

/// Why no connection is made to a host.
public enum AddressRefusal: Error, Sendable, Equatable, CustomStringConvertible {
  case unknownName
  /// One of its addresses at least is none that may be reached.
  case notAllowed

  public var description: String {
    switch self {
    case .unknownName: "the name of the host is not known"
    case .notAllowed: "the host has an address that is not public"
    }
  }
}

/// Gives addresses that are known already to what connects to them.
final class KnownAddresses: Resolver, Sendable {
  private let addresses: [SocketAddress]
  private let eventLoop: any EventLoop

  init(_ addresses: [SocketAddress], _ eventLoop: any EventLoop) {
    (self.addresses, self.eventLoop) = (addresses, eventLoop)
  }

  func initiateAQuery(host: String, port: Int) -> EventLoopFuture<[SocketAddress]> {
    eventLoop.makeSucceededFuture(addresses.filter { $0.protocol == .inet })
  }

  func initiateAAAAQuery(host: String, port: Int) -> EventLoopFuture<[SocketAddress]> {
    eventLoop.makeSucceededFuture(addresses.filter { $0.protocol == .inet6 })
  }

  func cancelQueries() {}
}
