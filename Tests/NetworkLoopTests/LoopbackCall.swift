import DTLSSRTP
import MediaCore
import NetworkLoop
import OpenSSLCrypto
import Signalling

/// A network loop at one address, with real cryptography.
func makeLoop(_ address: TransportAddress) throws -> NetworkLoop {
  try makeLoop(NetworkLoopConfiguration(addresses: [address], cname: "test"))
}

/// A network loop with real cryptography.
func makeLoop(_ configuration: NetworkLoopConfiguration) throws -> NetworkLoop {
  try NetworkLoop(configuration: configuration) {
    (OpenSSLCrypto(), try DTLSEngine(identity: DTLSIdentity()), SRTPCrypto())
  }
}

/// Has one loop call the other; returns the events of the caller's side.
func connect(_ caller: NetworkLoop, _ callee: NetworkLoop) async throws -> AsyncStream<NetworkEvent> {
  let media: Set<MediaKind> = [.audio, .video]
  let offer = try await caller.offer(session: "call", publish: media, subscribe: media)
  let answer = try await callee.answer(session: "call", offer: offer.sdp, publish: media, subscribe: media)
  try await caller.accept(answer: answer.sdp, session: "call")
  return caller.events
}
