// sources: FuzzCrypto.swift
import ICE
import MediaCore

/// Parses the input as one message; then has an agent take it as a script of datagrams, each preceded by an octet of
/// time (in 100 ms), one that picks the sender, and one of length.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ data: UnsafePointer<UInt8>, _ size: Int) -> CInt {
  let bytes = Array(UnsafeBufferPointer(start: data, count: size))
  _ = receiverFragment(of: bytes.span.bytes)
  _ = try? STUNMessage(bytes.span.bytes)
  runScript(bytes)
  return 0
}

private func runScript(_ bytes: [UInt8]) {
  let local = TransportAddress(ipv4: 0x7F00_0001, port: 1)
  var now = MonotonicInstant(nanoseconds: 0)
  var agent = ICEAgent(
    role: bytes.count % 2 == 0 ? .controlled : .controlling,
    credentials: ICECredentials(usernameFragment: "ours", password: "p"), crypto: FuzzCrypto())
  agent.addLocalCandidate(.host(local), now: now)
  var offset = 0
  while offset + 3 <= bytes.count {
    now = now + .milliseconds(Int64(bytes[offset]) * 100)
    let sender = TransportAddress(ipv4: 0x7F00_0002, port: UInt16(bytes[offset + 1]) + 1)
    let end = min(offset + 3 + Int(bytes[offset + 2]), bytes.count)
    agent.handleDatagram(bytes.span.bytes.extracting(offset + 3..<end), from: sender, to: local, now: now)
    if bytes[offset + 1] & 1 == 1 {
      agent.setRemoteCredentials(ICECredentials(usernameFragment: "them", password: "q"), now: now)
    }
    drain(&agent)
    offset = end
  }
  for _ in 0..<50 {
    guard let deadline = agent.deadline else { break }
    now = max(now, deadline)
    agent.handleTimeout(now: now)
    drain(&agent)
    precondition(agent.deadline.map { $0 > now } ?? true, "the owner would be woken for nothing")
  }
}

/// Whatever the agent sends has to be well-formed.
private func drain(_ agent: inout ICEAgent) {
  var storage = [UInt8](repeating: 0, count: 1_500)
  while true {
    var span = storage.mutableSpan
    var buffer = span.mutableBytes
    guard let transmit = agent.takeTransmit(into: &buffer) else { break }
    guard (try? STUNMessage(buffer.bytes.extracting(0..<transmit.count))) != nil else {
      preconditionFailure("an ill-formed message was made")
    }
  }
  while agent.takeEvent() != nil {}
}
