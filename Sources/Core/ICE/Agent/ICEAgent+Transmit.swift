import MediaCore

extension ICEAgent {
  /// Writes the next datagram to send to the front of `buffer` (at least 600 octets); nil when none waits.
  public mutating func takeTransmit(into buffer: inout MutableRawSpan) -> ICETransmit? {
    while let next = outgoing.popFirst() {
      switch next {
      case .request(let request):
        guard let count = try? write(request, to: &buffer) else { continue }
        return ICETransmit(count: count, local: request.local, remote: request.remote)
      case .response(let response):
        guard let count = try? write(response, to: &buffer) else { continue }
        return ICETransmit(count: count, local: response.local, remote: response.remote)
      }
    }
    return nil
  }

  private func write(_ request: OutgoingRequest, to buffer: inout MutableRawSpan) throws(InsufficientSpace) -> Int {
    guard let set = credentialSet(request.generation), set.remote != nil else { throw InsufficientSpace() }
    var writer = try STUNMessageWriter(.request, .binding, request.transactionID, to: &buffer)
    unsafe try writer.append(.username, set.outgoingUsername.span.bytes, to: &buffer)
    try writer.append(.priority, request.priority, to: &buffer)
    let roleType: STUNAttributeType = request.role == .controlling ? .iceControlling : .iceControlled
    try writer.append(roleType, request.tieBreaker, to: &buffer)
    if request.useCandidate { try writer.append(.useCandidate, to: &buffer) }
    try writer.appendIntegrity(password: set.remotePassword, crypto: crypto, to: &buffer)
    try writer.appendFingerprint(to: &buffer)
    return writer.count
  }

  private func write(_ response: OutgoingResponse, to buffer: inout MutableRawSpan) throws(InsufficientSpace) -> Int {
    var writer: STUNMessageWriter
    switch response.kind {
    case .success:
      writer = try STUNMessageWriter(.successResponse, .binding, response.transactionID, to: &buffer)
      try writer.appendMappedAddress(response.remote, to: &buffer)
    case .error(let code):
      writer = try STUNMessageWriter(.errorResponse, .binding, response.transactionID, to: &buffer)
      try writer.appendErrorCode(code, to: &buffer)
      if !response.unknownAttributes.isEmpty {
        try writer.appendUnknownAttributes(response.unknownAttributes, to: &buffer)
      }
    }
    if let set = response.generation.flatMap(credentialSet) {
      try writer.appendIntegrity(password: set.localPassword, crypto: crypto, to: &buffer)
    }
    try writer.appendFingerprint(to: &buffer)
    return writer.count
  }
}
