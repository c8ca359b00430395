import HubBackplaneRedis
import HubCore
import HubHTTP
import Logging
import RedisWire

/// Where what the hub's nodes know in common lies, by the configuration.
enum Backplanes {
  typealias Factory = (HubLimits, @escaping @Sendable (HubActions) -> Void) -> any HubBackplane

  static func factory(for configuration: HubConfiguration, logger: Logger) -> Factory {
    guard let redis = configuration.redis else { return HubServer.memoryBackplane }
    return { limits, perform in
      RedisBackplane(
        settings(redis), node: redis.node, address: (redis.nodeAddress ?? configuration.listen).description,
        limits: limits, logger: logger, perform: perform)
    }
  }

  private static func settings(_ redis: RedisConfiguration) -> RedisSettings {
    RedisSettings(place: place(redis.server), username: redis.username, password: redis.password)
  }

  private static func place(_ server: RedisConfiguration.Server) -> RedisSettings.Place {
    switch server {
    case .sentinels(let sentinels, let master):
      .sentinels(sentinels.map { .tcp(host: $0.host, port: $0.port) }, master: master)
    case .address(let text):
      .server(ListenAddress(text).map { .tcp(host: $0.host, port: $0.port) } ?? .unix(path: text))
    }
  }
}
