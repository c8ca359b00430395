import MediaCore
import PeerSession
import RTP

/// What one direction of a call came to.
struct CallFigures {
  /// Of the pictures that were captured, in percent.
  var shown = 0.0
  var longestFreeze = TimeSpan.zero
  /// Of the sound that was captured, in percent: what has to be recovered or made up.
  var missingSound = 0.0
  /// The most requests for a key frame in one second.
  var maxKeyFrameRequests = 0
  /// Packets sent again, in percent of all that were sent.
  var overhead = 0.0
  /// From capture to delivery, for the slowest picture in twenty.
  var lateness = TimeSpan.zero
  var isSound = true
}

extension CallFigures: CustomStringConvertible {
  var description: String {
    let shown = Int(shown.rounded(.down))
    return "\(shown) % shown, freeze \(longestFreeze.milliseconds) ms, late \(lateness.milliseconds) ms, "
      + "\(Int(missingSound.rounded())) % of sound missing, \(maxKeyFrameRequests) PLI/s, +\(Int(overhead.rounded())) %"
  }
}

/// The figures of both directions, from an instant on.
struct CallMeasurement {
  /// From the session to the peer, whose receiver is the tests' own.
  let outgoing: CallFigures
  /// From the peer to the session.
  let incoming: CallFigures

  init(of broadcast: Broadcast, since start: MonotonicInstant, videoCount: UInt32, audioCount: UInt32) {
    let call = broadcast.calls[0]
    let first = broadcast.captureTimes.firstIndex { $0 >= start } ?? 0
    var outgoing = Self.figures(
      call.peer.receiver.frames, since: start, until: call.now, sent: broadcast.captureTimes.count - first)
    outgoing.maxKeyFrameRequests = Self.maxInASecond(
      call.events.filter { $0.event == .keyFrameRequested && $0.at >= start }.map(\.at))
    let statistics = call.session.statistics
    outgoing.overhead = 100 * Double(statistics.packetsResent) / Double(max(1, statistics.packetsSent))
    outgoing.lateness = Self.lateness(
      call.peer.receiver.frames.video.filter { $0.arrival >= start }, broadcast.captureTimes)
    self.outgoing = outgoing
    var incoming = Self.figures(
      call.collector.frames, since: start, until: call.now, sent: Int(call.peer.sender.videoCount - videoCount))
    incoming.maxKeyFrameRequests = Self.maxInASecond(
      call.peer.feedback.filter { $0.item == .pictureLossIndication(media: TestPeer.videoSSRC) && $0.at >= start }
        .map(\.at))
    incoming.overhead = 100 * Double(call.peer.sender.packetsResent) / Double(max(1, call.peer.sender.packetsSent))
    self.incoming = incoming
  }

  private static func figures(
    _ frames: ArrivedFrames, since start: MonotonicInstant, until end: MonotonicInstant, sent: Int
  ) -> CallFigures {
    let video = frames.video.filter { $0.arrival >= start }
    var figures = CallFigures()
    figures.shown = 100 * Double(video.count) / Double(max(1, sent))
    let times = [start] + video.map(\.arrival) + [end]
    figures.longestFreeze = zip(times, times.dropFirst()).map { $1 - $0 }.max() ?? .zero
    let heard = frames.audio.count { $0.arrival >= start }
    figures.missingSound = max(0, 100 - 100 * Double(heard) / ((end - start).seconds * 50))
    figures.isSound = frames.isIntactAndInOrder(.video) && frames.isIntactAndInOrder(.audio) && frames.isDecodable
    return figures
  }

  private static func maxInASecond(_ times: [MonotonicInstant]) -> Int {
    times.map { start in times.count { $0 >= start && $0 - start < .seconds(1) } }.max() ?? 0
  }

  private static func lateness(_ frames: [ArrivedFrame], _ captured: [MonotonicInstant]) -> TimeSpan {
    let delays = frames.compactMap { frame in frame.number.map { frame.arrival - captured[Int($0)] } }.sorted()
    return delays.isEmpty ? .zero : delays[delays.count * 19 / 20]
  }
}
