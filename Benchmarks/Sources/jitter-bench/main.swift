// Plays simulated calls of five minutes through the jitter buffer and prints what each network costs.
//
// usage: jitter-bench
// delay: from when the fastest packets would have brought a sample until it is rendered, without the card; half and 95 % of
// the blocks are below. concealed and recovered: shares of what was rendered. stretched: samples taken out and put in.
// clicks: bends half as sharp again as any in the same sound without loss. CPU: with decoding.
import Foundation
import AudioProcessing

func threadTime() -> Double {
  var time = timespec()
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
  return Double(time.tv_sec) * 1e6 + Double(time.tv_nsec) * 1e-3
}

func print(_ name: String, _ trace: [SentPacket], limit: Int) {
  let start = threadTime()
  let heard = play(trace)
  let cost = (threadTime() - start) / Double(heard.blocks)
  let statistics = heard.statistics
  let samples = Double(heard.blocks * 480)
  let share = { (count: Int) in String(format: "%8.2f %%", 100 * Double(count) / samples) }
  print(
    name.padding(toLength: 14, withPad: " ", startingAt: 0),
    String(format: "%5.0f %5.0f ms", heard.delay(quantile: 0.5), heard.delay(quantile: 0.95)),
    share(statistics.concealedSamples), share(statistics.recoveredSamples),
    share(statistics.acceleratedSamples + statistics.expandedSamples),
    String(format: "%7d %7.0f µs", heard.clicks(above: limit), cost))
}

let limit = Heard(samples: Recording.speech.decoded(Network.constant.trace(packets: 1_000))).sharpestBend * 3 / 2
print("network        delay 50 % 95 %  concealed  recovered  stretched  clicks  CPU a block")
for network in Network.allCases {
  print("\(network)", network.trace(packets: 15_000, seed: 7), limit: limit)
}
for drift in [-100.0, 100] {
  print("drift \(Int(drift)) ppm", Network.constant.trace(packets: 15_000, partsPerMillion: drift), limit: limit)
}
