internal import NIOCore
internal import NIOPosix

/// Opens connections to Redis that are ready for commands.
struct RedisDialer: Sendable {
  let settings: RedisSettings
  let group: any EventLoopGroup

  /// A connection to the server, or to the present master, with the user logged in.
  ///
  /// - Parameter makeHandlers: made on the connection's event loop.
  func dial(_ makeHandler: @escaping @Sendable () -> any ChannelHandler) async throws -> any Channel {
    let channel = try await connect(to: try await address(), makeHandler)
    return channel
  }

  /// What has to be sent first.
  var greeting: [RedisCommand] {
    guard let password = settings.password else { return [] }
    return [RedisCommand("AUTH", [settings.username ?? "default", password])]
  }

  private func address() async throws -> RedisSettings.Address {
    switch settings.place {
    case .server(let address): return address
    case .sentinels(let sentinels, let master): return try await ask(sentinels, for: master)
    }
  }

  private func ask(_ sentinels: [RedisSettings.Address], for master: String) async throws -> RedisSettings.Address {
    for sentinel in sentinels.shuffled() {
      guard let address = try? await ask(sentinel, for: master) else { continue }
      return address
    }
    throw RedisFailure.lost(reason: "no sentinel knows a master named \(master)")
  }

  private func ask(_ sentinel: RedisSettings.Address, for master: String) async throws -> RedisSettings.Address? {
    let channel = try await connect(to: sentinel) { [settings] in
      ReplyHandler(limit: TimeAmount(settings.responseTimeout))
    }
    defer { channel.close(promise: nil) }
    let reply = try await channel.send([RedisCommand("SENTINEL", ["get-master-addr-by-name", master])])[0]
    guard case .array(let parts) = reply, parts.count == 2, let host = parts[0].text,
      let port = parts[1].text.flatMap({ Int($0) })
    else { return nil }
    return .tcp(host: host, port: port)
  }

  private func connect(
    to address: RedisSettings.Address, _ makeHandler: @escaping @Sendable () -> any ChannelHandler
  ) async throws -> any Channel {
    let bootstrap = ClientBootstrap(group: group)
      .connectTimeout(TimeAmount(settings.connectTimeout))
      .channelOption(.socketOption(.so_keepalive), value: 1)
      .channelInitializer { channel in
        channel.eventLoop.makeCompletedFuture { try channel.pipeline.syncOperations.addHandler(makeHandler()) }
      }
    switch address {
    case .tcp(let host, let port): return try await bootstrap.connect(host: host, port: port).get()
    case .unix(let path): return try await bootstrap.connect(unixDomainSocketPath: path).get()
    }
  }
}

extension Channel {
  /// Sends all in one go; returns a reply each.
  func send(_ commands: [RedisCommand]) async throws -> [RedisValue] {
    guard !commands.isEmpty else { return [] }
    let promise = eventLoop.makePromise(of: [RedisValue].self)
    var bytes = commands[0].bytes
    for command in commands.dropFirst() {
      var more = command.bytes
      bytes.writeBuffer(&more)
    }
    writeAndFlush(CommandBatch(bytes: bytes, count: commands.count, promise: promise)).cascadeFailure(to: promise)
    return try await promise.futureResult.get()
  }
}
