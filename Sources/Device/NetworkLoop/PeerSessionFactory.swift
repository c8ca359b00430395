import ICE
import MediaCore
import PeerSession
import TransportCrypto

/// Makes sessions as the network loop is configured.
struct PeerSessionFactory {
  let configuration: NetworkLoopConfiguration
  let crypto: (any CryptoPrimitives, any DTLSAssociationMaking, any PacketProtectionMaking)
  let sender: SocketSender

  /// - Parameter localAddresses: what the session offers.
  func make(
    _ command: OpenCommand, localAddresses: [TransportAddress], now: MonotonicInstant
  ) throws -> RunningSession {
    try requireRelay(command)
    let frames = ReceivedFrameFanOut()
    let (primitives, dtls, protection) = crypto
    let dependencies = PeerSessionDependencies(
      crypto: primitives, dtls: dtls, protection: protection, network: sender, frames: frames)
    let session = try makeSession(command, configure(command, localAddresses), dependencies, now: now)
    return RunningSession(handle: command.session, session: session, frames: frames)
  }

  private func makeSession(
    _ command: OpenCommand, _ configuration: PeerSessionConfiguration, _ dependencies: PeerSessionDependencies,
    now: MonotonicInstant
  ) throws -> PeerSession {
    guard let offer = command.offer else {
      return PeerSession(offering: configuration, dependencies: dependencies, now: now)
    }
    return try PeerSession(offer: offer, configuration: configuration, dependencies: dependencies, now: now)
  }

  private func configure(_ command: OpenCommand, _ localAddresses: [TransportAddress]) -> PeerSessionConfiguration {
    PeerSessionConfiguration(
      localAddresses: localAddresses, publish: command.publish, subscribe: command.subscribe,
      cname: configuration.cname, receiveLimit: configuration.receiveLimit, sendLimit: configuration.sendLimit,
      transportPolicy: configuration.transportPolicy,
      // Those of a call that this side places are named once the hub knows the call.
      namesServers: command.offer == nil && !command.isWhole || !command.servers.isEmpty)
  }

  /// Refuses a call for which there can be no path.
  private func requireRelay(_ command: OpenCommand) throws(NetworkLoopError) {
    guard configuration.transportPolicy == .relay, command.offer != nil else { return }
    var list = ICEServerList()
    if list.add(command.servers).relays.isEmpty { throw .noRelay }
  }
}
