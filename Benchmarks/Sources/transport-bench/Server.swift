import DTLSSRTP
import MediaCore
import NetworkLoop
import OpenSSLCrypto
import PeerSession
import SystemSupport
import RealtimeRuntime
import Signalling

/// The side that is measured: a network loop as the daemon has it, fed with test media.
///
/// Commands: `answer ID OFFER`, `hangup ID`, `statistics`, `pushes`, `count`, `port`.
struct Server {
  private let loop: NetworkLoop
  private let feeder: MediaFeeder

  init(address: String, port: String) throws {
    guard let address = TransportAddress(host: address, port: UInt16(port) ?? 0) else {
      throw UsageError.wrongArguments
    }
    ProcessMemory.keepLittle()
    loop = try NetworkLoop(
      configuration: NetworkLoopConfiguration(addresses: [address], cname: "bench"),
      makeCrypto: { (OpenSSLCrypto(), try DTLSEngine(identity: DTLSIdentity()), SRTPCrypto()) })
    feeder = try MediaFeeder(loop.localFrames)
  }

  func run() async {
    let (loop, feeder) = (loop, feeder)
    Task {
      while let readings = await loop.readings.next() {
        if readings.values.contains(where: \.wantsKeyFrame) { feeder.requestKeyFrame() }
      }
    }
    await answerCommands { try await perform($0) }
  }

  private func perform(_ command: Command) async throws -> String {
    switch command.word {
    case "answer":
      return line(
        try await loop.answer(
          session: try command.session, offer: command.description, publish: [.audio, .video],
          subscribe: [.audio, .video]
        ).sdp)
    case "hangup":
      loop.hangUp(session: try command.session)
      return ""
    case "statistics": return await loop.statistics().map { $1.line(named: $0.sessionID.text) }.joined(separator: "\t")
    case "pushes":
      return feeder.takePushes().map { "\($0.nanoseconds)" }.joined(separator: " ")
    case "count": return "\(feeder.count)"
    case "port": return "\(loop.boundAddresses[0].port)"
    default: throw CommandError.unknownCommand
    }
  }
}

extension PeerSessionStatistics {
  /// `name connected packets-sent packets-received pictures-received packets-of-sound-received resent`.
  func line(named name: String) -> String {
    "\(name) \(isConnected ? 1 : 0) \(packetsSent) \(packetsReceived) \(videoFramesReceived) \(audioFramesReceived) "
      + "\(packetsResent)"
  }
}
