// sources: FuzzCrypto.swift
import ICE
import MediaCore

// The first octet chooses a stream (odd) or datagrams. The others are what the server sends: pieces, each preceded by an
// octet of time (in seconds, times four) whose low bits choose what the client is asked to do, and one of length.

@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ data: UnsafePointer<UInt8>, _ size: Int) -> CInt {
  guard size > 1 else { return 0 }
  let bytes = Array(UnsafeBufferPointer(start: data, count: size))
  var run = Run(isStream: bytes[0] & 1 == 1)
  run.play(bytes)
  run.finish()
  checkPieces(Array(bytes.dropFirst()))
  return 0
}

private struct Run {
  let isStream: Bool
  var client: TURNClient
  var deframer = TURNDeframer()
  var now = MonotonicInstant(nanoseconds: 0)

  init(isStream: Bool) {
    self.isStream = isStream
    client = TURNClient(username: "u", password: "p", isStream: isStream, crypto: FuzzCrypto())
    client.start(now: now)
    drain()
  }

  mutating func play(_ bytes: [UInt8]) {
    var offset = 1
    while offset + 2 <= bytes.count, client.failure == nil {
      let head = bytes[offset]
      now = now + .seconds(Int64(head >> 4) * 4)
      command(head)
      let end = min(offset + 2 + Int(bytes[offset + 1]), bytes.count)
      receive(Array(bytes[offset + 2..<end]))
      if client.deadline <= now { client.handleTimeout(now: now) }
      precondition(client.deadline > now, "the owner would be woken for nothing")
      drain()
      offset = end
    }
  }

  private mutating func command(_ head: UInt8) {
    let peer = TransportAddress(ipv4: 0xC633_6400 + UInt32(head & 3), port: UInt16(head & 3) + 1)
    if head & 4 != 0 { client.permit(peer, now: now) }
    if head & 8 != 0 { client.bindChannel(to: peer, now: now) }
    for count in [0, 1, 1_300] { wrap(count, for: peer) }
  }

  /// What is wrapped keeps its octets and stays inside the buffer.
  private func wrap(_ count: Int, for peer: TransportAddress) {
    let data = [UInt8](repeating: 0xA5, count: count)
    var storage = [UInt8](repeating: 0xA5, count: TURNClient.headroom + count + TURNClient.tailroom)
    var span = storage.mutableSpan
    var buffer = span.mutableBytes
    guard let range = client.wrap(&buffer, count: count, for: peer) else { return }
    precondition(range.lowerBound >= 0 && range.upperBound <= storage.count)
    precondition(Array(storage[TURNClient.headroom..<TURNClient.headroom + count]) == data)
    precondition(!isStream || range.count % 4 == 0, "a stream's messages are padded")
  }

  private mutating func receive(_ octets: [UInt8]) {
    guard isStream else { return receiveMessage(octets) }
    var offset = 0
    do {
      while try deframer.take(octets.span.bytes, from: &offset) {
        let message = deframer.withMessage { $0.bytes.withUnsafeBytes { Array($0) } }
        receiveMessage(message)
      }
      precondition(offset == octets.count)
    } catch {
      client.fail(.malformedStream)
    }
  }

  private mutating func receiveMessage(_ message: [UInt8]) {
    guard let data = client.receive(message.span.bytes, now: now) else { return }
    precondition(data.octets.upperBound <= message.count)
    precondition(client.relayedAddress != nil)
  }

  /// Requests are well-formed and come to an end.
  private mutating func drain() {
    for count in 0... {
      var storage = [UInt8](repeating: 0, count: 1_100)
      var span = storage.mutableSpan
      var buffer = span.mutableBytes
      guard let size = client.takeTransmit(into: &buffer) else { return }
      precondition(count < 64, "requests without end")
      guard (try? STUNMessage(buffer.bytes.extracting(0..<size))) != nil else {
        preconditionFailure("an ill-formed request was made")
      }
    }
  }

  mutating func finish() {
    for _ in 0..<30 where client.deadline < .distantFuture {
      now = max(now, client.deadline)
      client.handleTimeout(now: now)
      precondition(client.deadline > now, "the owner would be woken for nothing")
      drain()
    }
    client.release()
    drain()
    precondition(client.deadline == .distantFuture && client.relayedAddress == nil)
  }
}

/// Messages are the same in whichever pieces a stream comes.
private func checkPieces(_ bytes: [UInt8]) {
  precondition(messages(bytes, pieceSize: 1) == messages(bytes, pieceSize: max(bytes.count, 1)))
}

private func messages(_ bytes: [UInt8], pieceSize: Int) -> [[UInt8]] {
  var deframer = TURNDeframer()
  var result: [[UInt8]] = []
  for start in stride(from: 0, to: bytes.count, by: pieceSize) {
    let piece = Array(bytes[start..<min(start + pieceSize, bytes.count)])
    var offset = 0
    do {
      while try deframer.take(piece.span.bytes, from: &offset) {
        result.append(deframer.withMessage { $0.bytes.withUnsafeBytes { Array($0) } })
      }
    } catch {
      return result
    }
  }
  return result
}
