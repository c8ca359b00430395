import DeviceConfiguration
import SystemSupport
import ObjectStorage
import TLSClient

/// The connections to where a bucket is: one, until the store says that it is elsewhere.
final class BucketConnections: Sendable {
  private let connections = Mutex<[String: StoreConnection]>([:])
  private let scheme: String
  private let authorityFile: String?
  private let route: ProxyRoute
  /// A store that always names another host comes to an end.
  private static let maxHosts = 4

  /// - Parameters:
  ///   - scheme: of the configured endpoint, which holds for all.
  ///   - authorityFile: certificates (PEM) that are trusted besides the system's.
  ///   - route: whether stores are reached through a proxy.
  init(scheme: String, authorityFile: String?, route: ProxyRoute) {
    self.scheme = scheme
    self.authorityFile = authorityFile
    self.route = route
  }

  func connection(to place: StorePlace) throws(UploadFailure) -> StoreConnection {
    let result = connections.withLock { connections -> Result<StoreConnection, UploadFailure> in
      if let known = connections[place.host] { return .success(known) }
      guard connections.count < Self.maxHosts else { return .failure(.sentAround) }
      return Result { () throws(UploadFailure) in
        let made = try StoreConnection(url: scheme + place.host, authorityFile: authorityFile, route: route)
        connections[place.host] = made
        return made
      }
    }
    return try result.get()
  }

  /// Ends the connections and their threads.
  func shutdown() async {
    let all = connections.withLock { connections in
      defer { connections = [:] }
      return Array(connections.values)
    }
    for connection in all { await connection.shutdown() }
  }
}

extension UploadFailure {
  fileprivate static let sentAround = UploadFailure(
    cause: .settings, text: "the store sends from one host to the next",
    remedy: "correct endpoint and region in [upload]")
}
