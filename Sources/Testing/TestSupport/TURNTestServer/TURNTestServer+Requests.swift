import MediaCore

extension TURNTestServer {
  private static let methods: [UInt16: String] = [
    0x0003: "Allocate", 0x0004: "Refresh", 0x0008: "CreatePermission", 0x0009: "ChannelBind",
  ]

  func receive(_ message: WireMessage, over connection: Int, now: MonotonicInstant) {
    if message.type == 0x0016 { return relay(message, over: connection) }
    guard Self.methods[message.type] != nil else {
      counts.offences.append("a message of type \(message.type)")
      return
    }
    guard let key = authenticate(message, over: connection) else { return }
    switch message.type {
    case 0x0003: allocate(message, key, over: connection, now: now)
    case 0x0004: refresh(message, key, over: connection, now: now)
    case 0x0008: permit(message, key, over: connection, now: now)
    default: bind(message, key, over: connection, now: now)
    }
  }

  private func relay(_ message: WireMessage, over connection: Int) {
    counts.sendIndications += 1
    guard let allocation = allocations[connection], let data = message[Wire.data],
      let peer = message[Wire.peerAddress].flatMap({ Wire.address($0, id: message.id) })
    else { return counts.offences.append("a Send indication without allocation, peer or data") }
    send(data, to: peer, allocation)
  }

  /// The key that signs the answer; nil when a refusal has been sent.
  private func authenticate(_ message: WireMessage, over connection: Int) -> [UInt8]? {
    let key = Wire.md5("\(rules.username):\(rules.realm):\(rules.password)", crypto)
    guard message[Wire.integrity] != nil else {
      refuse(message, 401, over: connection, isChallenge: true)
      return nil
    }
    guard message[Wire.username] == Array(rules.username.utf8), message[Wire.realm] == Array(rules.realm.utf8),
      message.isSigned(with: key, crypto)
    else {
      counts.refusedCredentials += 1
      refuse(message, 401, over: connection, isChallenge: true)
      return nil
    }
    guard message[Wire.nonce] == nonceText else {
      counts.staleNonces += 1
      refuse(message, 438, over: connection, isChallenge: true)
      return nil
    }
    return key
  }

  private var nonceText: [UInt8] { Array("nonce-\(nonce)".utf8) }

  private func refuse(
    _ message: WireMessage, _ code: Int, over connection: Int, key: [UInt8]? = nil, isChallenge: Bool = false
  ) {
    var answer = WireMessage(type: message.type | 0x0110, id: message.id)
    answer.attributes = [(Wire.errorCode, [0, 0, UInt8(code / 100), UInt8(code % 100)] + Array("Refused".utf8))]
    if isChallenge { answer.attributes += [(Wire.realm, Array(rules.realm.utf8)), (Wire.nonce, nonceText)] }
    emit(.client(connection: connection, bytes: answer.bytes(key: key, crypto)))
  }

  private func accept(
    _ message: WireMessage, _ attributes: [(type: UInt16, value: [UInt8])], _ key: [UInt8], over connection: Int
  ) -> [UInt8] {
    var answer = WireMessage(type: message.type | 0x0100, id: message.id)
    answer.attributes = attributes
    let bytes = answer.bytes(key: key, crypto)
    emit(.client(connection: connection, bytes: bytes))
    return bytes
  }

  private func allocate(_ message: WireMessage, _ key: [UInt8], over connection: Int, now: MonotonicInstant) {
    if let known = allocations[connection] {
      guard known.answer.id == message.id else { return refuse(message, 437, over: connection, key: key) }
      return emit(.client(connection: connection, bytes: known.answer.bytes))
    }
    if let code = rules.refusal { return refuse(message, code, over: connection, key: key) }
    guard message[Wire.requestedTransport] == [17, 0, 0, 0] else {
      return refuse(message, 442, over: connection, key: key)
    }
    let isIPv6 = message[Wire.requestedFamily]?.first == 2
    guard isIPv6 ? rules.relaysIPv6 : rules.relaysIPv4 else { return refuse(message, 440, over: connection, key: key) }
    counts.allocations += 1
    let relayed = makeRelayed(isIPv6: isIPv6)
    let attributes = [
      (type: Wire.relayedAddress, value: Wire.coded(relayed, id: message.id)),
      (Wire.lifetime, lifetime(rules.lifetime)),
      (Wire.mappedAddress, Wire.coded(host, id: message.id)),
    ]
    let answer = accept(message, attributes, key, over: connection)
    allocations[connection] = Allocation(
      relayed: relayed, expiry: now + .seconds(rules.lifetime), answer: (message.id, answer))
  }

  private func lifetime(_ seconds: Int64) -> [UInt8] {
    (0..<4).map { UInt8(truncatingIfNeeded: seconds >> (24 - 8 * Int64($0))) }
  }

  private func refresh(_ message: WireMessage, _ key: [UInt8], over connection: Int, now: MonotonicInstant) {
    if message[Wire.lifetime] == [0, 0, 0, 0] {
      counts.releases += 1
      allocations[connection] = nil
      _ = accept(message, [(Wire.lifetime, [0, 0, 0, 0])], key, over: connection)
      return
    }
    guard allocations[connection] != nil else { return refuse(message, 437, over: connection, key: key) }
    if let code = rules.refreshRefusal { return refuse(message, code, over: connection, key: key) }
    counts.refreshes += 1
    allocations[connection]?.expiry = now + .seconds(rules.lifetime)
    _ = accept(message, [(Wire.lifetime, lifetime(rules.lifetime))], key, over: connection)
  }

  private func permit(_ message: WireMessage, _ key: [UInt8], over connection: Int, now: MonotonicInstant) {
    guard allocations[connection] != nil else { return refuse(message, 437, over: connection, key: key) }
    guard let peer = message[Wire.peerAddress].flatMap({ Wire.address($0, id: message.id) }) else {
      return refuse(message, 400, over: connection, key: key)
    }
    guard !rules.forbidden.contains(peer.host) else { return refuse(message, 403, over: connection, key: key) }
    counts.permissions += 1
    allocations[connection]?.permissions[peer.host] = now + .seconds(300)
    _ = accept(message, [], key, over: connection)
  }

  private func bind(_ message: WireMessage, _ key: [UInt8], over connection: Int, now: MonotonicInstant) {
    guard let allocation = allocations[connection] else { return refuse(message, 437, over: connection, key: key) }
    guard let peer = message[Wire.peerAddress].flatMap({ Wire.address($0, id: message.id) }),
      let number = message[Wire.channelNumber]?.word(at: 0), (0x4000...0x4FFF).contains(number),
      allocation.channels[number].map({ $0.peer == peer }) ?? !allocation.channels.values.contains(where: {
        $0.peer == peer
      })
    else { return refuse(message, 400, over: connection, key: key) }
    counts.channelBinds += 1
    allocations[connection]?.channels[number] = (peer, now + .seconds(600))
    allocations[connection]?.permissions[peer.host] = now + .seconds(300)
    _ = accept(message, [], key, over: connection)
  }
}
