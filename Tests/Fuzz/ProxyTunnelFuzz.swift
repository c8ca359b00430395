import TLSClient

/// Takes any answer of a proxy, in pieces of any size, and any text as a proxy's URL and as exceptions.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ data: UnsafePointer<UInt8>, _ size: Int) -> CInt {
  let input = UnsafeBufferPointer(start: data, count: size)
  guard let first = input.first else { return 0 }
  let octets = input.dropFirst()
  var (whole, pieces) = (makeTunnel(), makeTunnel())
  let outcome = whole.receive(octets)
  var other = ProxyTunnel.Outcome.pending
  var (rest, taken) = (octets, 0)
  while other == .pending, !rest.isEmpty {
    let piece = rest.prefix(Int(first % 7) + 1)
    rest = rest.dropFirst(piece.count)
    other = pieces.receive(piece)
    if case .open(let consumed) = other { precondition(consumed <= piece.count, "more than there was") }
    taken += piece.count
  }
  switch (outcome, other) {
  case (.open(let consumed), .open): precondition(consumed <= octets.count && taken >= consumed)
  default: precondition(outcome == other, "pieces make a difference")
  }
  let text = String(decoding: octets, as: UTF8.self)
  if let proxy = HTTPProxy(text) { precondition(HTTPProxy("\(proxy)") == proxy.with(credentials: nil)) }
  _ = ProxyRoute(HTTPProxy("p"), exceptions: text).proxy(to: "hub.example", port: 443, isSecure: true)
  return 0
}

private func makeTunnel() -> ProxyTunnel { ProxyTunnel(to: "h", port: 1, through: HTTPProxy("u:p@p")!) }
