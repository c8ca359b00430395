// link: -lhiredis
// sources: Sources/Hub/RedisClient/Connection/ReplyReader.swift Sources/Hub/RedisClient/RedisConnectionSettings.swift
// sources: Sources/Hub/RedisClient/Values/RedisValue.swift Sources/Hub/RedisClient/Values/RedisFailure.swift
// sources: Sources/Hub/RedisClient/Values/RedisCommand.swift Sources/Hub/RedisClient/Subscriptions/RedisMessage.swift
// sources: Sources/Hub/RedisClient/Values/NamedAddress.swift
// sources: Sources/Hub/RedisClient/Cluster/HashSlot.swift Sources/Hub/RedisClient/Cluster/SlotMap.swift

/// What a Redis server may send, in pieces, as far as a client takes it: replies, messages, redirections, a map of slots.
///
/// The first octet is the size of the pieces.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ data: UnsafePointer<UInt8>, _ size: Int) -> CInt {
  guard size > 0 else { return 0 }
  var limits = RedisConnectionSettings.Limits()
  limits.replyBytes = 4_096
  limits.replyElements = 256
  var reader = ReplyReader(limits)
  let bytes = UnsafeRawBufferPointer(start: data + 1, count: size - 1)
  let piece = max(1, Int(data[0]))
  do throws(RedisDisconnection) {
    for start in stride(from: 0, to: bytes.count, by: piece) {
      try reader.feed(UnsafeRawBufferPointer(rebasing: bytes[start..<min(start + piece, bytes.count)]))
      while let value = try reader.next() { use(value) }
    }
  } catch {
    precondition(!error.description.isEmpty)
  }
  return 0
}

private let server = RedisConnectionSettings.Address(host: "127.0.0.1", port: 6_379)

private func use(_ value: RedisValue) {
  if let map = SlotMap(value, from: server) { precondition(map.masters.allSatisfy { (1...65_535).contains($0.port) }) }
  if let error = value.error, case .moved(let slot, let address)? = Redirection(error, from: server) {
    precondition((0..<HashSlot.count).contains(slot) && address.port > 0)
  }
  if let message = RedisMessage(value) {
    precondition((0..<HashSlot.count).contains(HashSlot.of(Array(message.channel.utf8))))
  }
  if let bytes = value.bytes {
    let command = RedisCommand("SET", bytes, value.integer.map { Int($0) } ?? 0)
    precondition(command.slot == HashSlot.of(bytes))
  }
}
