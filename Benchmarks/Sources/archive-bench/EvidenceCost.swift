import Archive
import Glibc
import MediaCore
import OpenSSLCrypto
import RealtimeRuntime
import Signalling

/// What evidence costs: recordings in real time with and without it, in turns, by the process's CPU time.
enum EvidenceCost {
  private static let seconds = 15
  private static let rounds = 3

  static func measure(folder: String) async throws {
    let (crypto, key) = (OpenSSLCrypto(), try Ed25519Key())
    let evidence = ArchiveEvidence(hashing: crypto, signer: key, verifier: crypto)
    var costs: (without: [Double], with: [Double]) = ([], [])
    for _ in 0..<rounds {
      costs.without.append(try await record(folder, nil))
      costs.with.append(try await record(folder, evidence))
    }
    let (without, with) = (median(costs.without), median(costs.with))
    print("evidence: \(rounded(without)) % of a core without, \(rounded(with)) % with it (medians of \(rounds))")
    print(
      "evidence: \(rounded(with - without)) % of a core more; rounds \(costs.without.map(rounded)), \(costs.with.map(rounded))"
    )
  }

  /// Records one stream in real time; returns the CPU time that the process took, in hundredths of a core.
  private static func record(_ folder: String, _ evidence: ArchiveEvidence?) async throws -> Double {
    let store = ArchiveStore(root: folder + "/archive-bench", evidence: evidence)
    let recorder = try ArchiveRecorder(
      ArchiveID("evidence"), in: store, details: ArchiveDetails(sessionID: "bench"),
      configuration: ArchiveConfiguration(minimumFreeBytes: 0)
    ) { _ in }
    let inbox = try recorder.addStream(ArchiveStreamDescription(streamID: "device")) {}
    let before = processorSeconds
    TestFrames().forEach(seconds: seconds, from: MonotonicClock.now()) { header, payload in
      MonotonicClock.sleep(until: header.timestamp)
      inbox.push(header, payload: payload.span.bytes)
    }
    let cost = processorSeconds - before
    _ = await recorder.stop()
    try store.delete(recorder.id)
    return cost / Double(seconds) * 100
  }

  /// Of all threads, those that have ended included.
  private static var processorSeconds: Double {
    var time = timespec()
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
    return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
  }

  private static func median(_ values: [Double]) -> Double { values.sorted()[values.count / 2] }

  private static func rounded(_ value: Double) -> Double { (value * 1_000).rounded() / 1_000 }
}
