import MediaCore
import PeerSession

/// A call with an encoder at the one end and a peer that sends as well at the other, over a network that a test makes bad.
final class Scenario {
  let call: Call
  let broadcast: Broadcast
  /// From the answer until both sides were connected.
  let setUp: TimeSpan
  private var sent: (video: UInt32, audio: UInt32) = (0, 0)

  /// - Parameter make: makes the network bad, before the call comes up.
  init(
    seed: UInt64, setUp change: (inout Call.Setup) -> Void = { _ in },
    network make: (inout VirtualNetwork) -> Void
  ) throws {
    var setup = Call.Setup()
    setup.offer.hasTransportWide = true
    setup.isReal = false
    setup.seed = seed
    change(&setup)
    call = try Call(setup)
    make(&call.network)
    let start = call.now
    broadcast = Broadcast([call], maximum: .kilobits(800))
    setUp = (call.peer.connectedAt ?? call.now) - start
    call.peerSends = true
  }

  /// Lets the call settle; what is measured counts from the instant returned.
  func begin() -> MonotonicInstant {
    broadcast.run(for: .seconds(3))
    sent = (call.peer.sender.videoCount, call.peer.sender.audioCount)
    return call.now
  }

  func figures(since start: MonotonicInstant) -> CallMeasurement {
    CallMeasurement(of: broadcast, since: start, videoCount: sent.video, audioCount: sent.audio)
  }

  func measure(for span: TimeSpan) -> CallMeasurement {
    let start = begin()
    broadcast.run(for: span)
    return figures(since: start)
  }
}
