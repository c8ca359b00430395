import HubRedis
import HubCore
import HubHTTP
import Logging
import RedisClient

/// The shared store of the hub's nodes, by the configuration.
enum Backplanes {
  typealias Factory = (HubLimits, @escaping @Sendable (HubActions) -> Void) -> any HubBackplane

  static func factory(for configuration: HubConfiguration, logger: Logger) throws -> Factory {
    guard let redis = configuration.redis else { return HubServer.memoryBackplane }
    let settings = try RedisConnectionSettings(redis)
    return { limits, perform in
      RedisBackplane(
        settings, node: redis.node, address: (redis.nodeAddress ?? configuration.listen).description, limits: limits,
        logger: logger, perform: perform)
    }
  }
}

extension RedisConnectionSettings {
  /// Checks the files that TLS needs.
  init(_ redis: RedisConfiguration) throws {
    self.init(Self.endpoint(redis.server))
    credentials = redis.login.map { Credentials(username: $0.username, password: $0.password) }
    sentinelCredentials = redis.sentinelLogin.map { Credentials(username: $0.username, password: $0.password) }
    connectTimeout = .seconds(2)
    responseTimeout = .seconds(3)
    guard let tls = redis.tls else { return }
    self.tls = TLS(
      authorityFile: tls.authorityFile, identity: Self.identity(tls), serverName: tls.serverName)
    do {
      try self.tls?.checkFiles()
    } catch {
      throw Failure("[redis]: \(error)", exitCode: Failure.configuration)
    }
  }

  private static func identity(_ tls: RedisConfiguration.TLS) -> TLS.Identity? {
    guard let certificateFile = tls.certificateFile, let keyFile = tls.keyFile else { return nil }
    return TLS.Identity(certificateFile: certificateFile, keyFile: keyFile)
  }

  private static func endpoint(_ server: RedisConfiguration.Server) -> Endpoint {
    switch server {
    case .sentinels(let sentinels, let master): .sentinels(sentinels.map { Address($0) }, masterName: master)
    case .cluster(let addresses): .cluster(addresses.map { Address($0) })
    case .address(let text): ListenAddress(text).map { .tcp(Address($0)) } ?? .unixSocket(path: text)
    }
  }
}

extension RedisConnectionSettings.Address {
  fileprivate init(_ address: ListenAddress) { self.init(host: address.host, port: address.port) }
}
