import DTLSSRTP
import MediaCore
import TransportCrypto

/// Two associations and the network between them, in virtual time.
final class DTLSSimulation {
  struct Datagram {
    var bytes: [UInt8]
    /// Index of the sender.
    var sender: Int
    var arrival: MonotonicInstant
  }

  static let engines = [try! DTLSEngine(identity: DTLSIdentity()), try! DTLSEngine(identity: DTLSIdentity())]

  /// The client comes first.
  let associations: [any DTLSAssociation]
  var now = MonotonicInstant(nanoseconds: 5_000_000_000)
  var latency = TimeSpan.milliseconds(20)
  /// Returns the delays of a datagram's copies: none loses it.
  var carry: (Datagram) -> [TimeSpan] = { _ in [.zero] }
  var sent: [Datagram] = []
  private var inFlight: [Datagram] = []

  init(expectedByClient: [CertificateFingerprint]? = nil, expectedByServer: [CertificateFingerprint]? = nil) throws {
    associations = [
      try Self.engines[0].makeAssociation(role: .client, remote: expectedByClient ?? [Self.engines[1].fingerprint]),
      try Self.engines[1].makeAssociation(role: .server, remote: expectedByServer ?? [Self.engines[0].fingerprint]),
    ]
  }

  func start() {
    associations[1].start(now: now)
    associations[0].start(now: now)
    drain()
  }

  func run(for span: TimeSpan) {
    let end = now + span
    while let next = nextInstant(), next <= end {
      now = max(now, next)
      deliver()
      for association in associations where association.deadline.map({ $0 <= now }) == true {
        association.handleTimeout(now: now)
      }
      drain()
    }
    now = end
  }

  var keys: [SRTPKeyingMaterial?] {
    associations.map { if case .connected(let keys) = $0.state { keys } else { nil } }
  }

  func drain() {
    for (index, association) in associations.enumerated() {
      while let bytes = takeDatagram(from: association) {
        let datagram = Datagram(bytes: bytes, sender: index, arrival: now + latency)
        sent.append(datagram)
        for delay in carry(datagram) {
          inFlight.append(Datagram(bytes: bytes, sender: index, arrival: datagram.arrival + delay))
        }
      }
    }
  }

  private func nextInstant() -> MonotonicInstant? {
    (associations.compactMap(\.deadline) + inFlight.map(\.arrival)).min()
  }

  private func deliver() {
    let due = inFlight.filter { $0.arrival <= now }.sorted { $0.arrival < $1.arrival }
    inFlight.removeAll { $0.arrival <= now }
    for datagram in due {
      associations[1 - datagram.sender].receive(datagram.bytes.span.bytes, now: now)
      drain()
    }
  }
}

func takeDatagram(from association: any DTLSAssociation) -> [UInt8]? {
  var storage = [UInt8](repeating: 0, count: 1_500)
  var span = storage.mutableSpan
  var buffer = span.mutableBytes
  return association.takeDatagram(into: &buffer).map { Array(storage.prefix($0)) }
}

extension DTLSAssociation {
  var failure: String? { if case .failed(let reason) = state { reason } else { nil } }
  var isClosed: Bool { if case .closed = state { true } else { false } }
}
