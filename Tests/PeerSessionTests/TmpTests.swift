import MediaCore
import PeerSession
import RTP
import Testing

@Suite struct TmpTests {
  @Test func `many seeds`() throws {
    for (loss, rtt) in [(5, 100), (5, 20), (5, 200), (10, 100), (20, 50)] as [(UInt64, Int64)] {
      var shares: [[Double]] = [[], []]
      var freezes: [[Int64]] = [[], []]
      var plis = 0
      for seed in 1...40 as ClosedRange<UInt64> {
        var setup = Call.Setup()
        setup.seed = seed
        let call = try Call(setup)
        call.network.oneWay = .milliseconds(rtt / 2)
        call.connect()
        call.network.lossPercent = loss
        call.run(for: .seconds(60))
        let sent = [call.peer.sender.videoCount, call.localVideoCount]
        for (index, frames) in [call.collector.frames, call.peer.receiver.frames].enumerated() {
          shares[index].append(Double(frames.video.count) / Double(sent[index]))
          freezes[index].append(frames.longestFreeze(.video).milliseconds)
          if !frames.isDecodable || !frames.isIntactAndInOrder(.video) { print("tmp BROKEN", seed, index) }
        }
        plis += call.peer.feedbackCount { $0 == .pictureLossIndication(media: TestPeer.videoSSRC) }
      }
      for index in 0..<2 {
        print("tmp loss", loss, "rtt", rtt, index == 0 ? "received" : "sent", "share min", shares[index].min()!, "mean", shares[index].reduce(0, +) / 40, "freeze max", freezes[index].max()!, "over 500:", freezes[index].count { $0 > 500 }, "median", freezes[index].sorted()[20], "pli/min", plis / 40)
      }
    }
  }
}
