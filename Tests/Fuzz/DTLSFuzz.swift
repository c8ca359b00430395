import DTLSSRTP
import MediaCore
import TransportCrypto

private let engine = try! DTLSEngine(identity: DTLSIdentity())

/// A server takes the input as a script of datagrams, each preceded by an octet of time (in 100 ms) and two of length.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ data: UnsafePointer<UInt8>, _ size: Int) -> CInt {
  let bytes = Array(UnsafeBufferPointer(start: data, count: size))
  guard let association = try? engine.makeAssociation(role: .server, remote: [engine.fingerprint]) else { return 0 }
  var now = MonotonicInstant(nanoseconds: 0)
  association.start(now: now)
  var offset = 0
  while offset + 3 <= bytes.count {
    now = now + .milliseconds(Int64(bytes[offset]) * 100)
    let end = min(offset + 3 + Int(bytes[offset + 1]) << 8 + Int(bytes[offset + 2]), bytes.count)
    association.receive(bytes.span.bytes.extracting(offset + 3..<end), now: now)
    if let deadline = association.deadline, deadline <= now { association.handleTimeout(now: now) }
    drain(association)
    offset = end
  }
  if case .connected = association.state { preconditionFailure("connected to a peer without a certificate") }
  association.close()
  drain(association)
  return 0
}

private func drain(_ association: any DTLSAssociation) {
  var storage = [UInt8](repeating: 0, count: 1_500)
  var span = storage.mutableSpan
  var buffer = span.mutableBytes
  while let count = association.takeDatagram(into: &buffer) { precondition(count <= 1_200) }
}
