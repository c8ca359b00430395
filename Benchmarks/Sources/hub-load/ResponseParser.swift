/// Cuts HTTP/1.1 responses out of what arrives: a head, then a body by its length, or in chunks.
///
/// Takes what hubs and load balancers send, not everything that HTTP allows.
struct ResponseParser {
  struct Response {
    var status: Int
    var body: [UInt8]
    var isLast: Bool
  }

  private var bytes: [UInt8] = []
  private var chunks = ChunkDecoder()
  private(set) var streamedStatus: Int?

  mutating func append(_ socket: inout SocketBuffer) { socket.receive(into: &bytes) }

  /// The next whole response with a length; nil until more arrives.
  mutating func nextResponse() -> Response? {
    guard let end = headEnd() else { return nil }
    let head = Head(bytes[..<end])
    let whole = end + (head.contentLength ?? 0)
    guard bytes.count >= whole else { return nil }
    defer { bytes.removeFirst(whole) }
    return Response(status: head.status, body: Array(bytes[end..<whole]), isLast: head.isLast)
  }

  /// What has arrived of the one response in chunks that this connection carries.
  mutating func nextPiece() -> [UInt8] {
    if streamedStatus == nil {
      guard let end = headEnd() else { return [] }
      streamedStatus = Head(bytes[..<end]).status
      bytes.removeFirst(end)
    }
    defer { bytes.removeAll() }
    return chunks.decode(bytes)
  }

  private func headEnd() -> Int? {
    guard bytes.count >= 4 else { return nil }
    for index in 3..<bytes.count where bytes[index] == 10 && bytes[index - 2] == 10 && bytes[index - 1] == 13 {
      return index + 1
    }
    return nil
  }
}

/// What is needed of a head.
private struct Head {
  var status = 0
  var contentLength: Int?
  var isLast = false

  init(_ bytes: ArraySlice<UInt8>) {
    let lines = String(decoding: bytes, as: UTF8.self).split(separator: "\r\n")
    status = lines.first.flatMap { $0.split(separator: " ").dropFirst().first }.flatMap { Int($0) } ?? 0
    for line in lines.dropFirst() {
      guard let colon = line.firstIndex(of: ":") else { continue }
      let value = line[line.index(after: colon)...].drop { $0 == " " }
      switch line[..<colon].lowercased() {
      case "content-length": contentLength = Int(value)
      case "connection": isLast = value.lowercased() == "close"
      default: break
      }
    }
  }
}

/// Takes the framing away from a body in chunks (RFC 9112, section 7.1).
struct ChunkDecoder {
  private var size = 0
  private var isInSize = true
  private var skip = 0

  mutating func decode(_ bytes: [UInt8]) -> [UInt8] {
    var decoded: [UInt8] = []
    var rest = bytes[...]
    while let byte = rest.first {
      if skip > 0 {
        skip -= 1
        rest.removeFirst()
      } else if isInSize {
        takeSize(byte)
        rest.removeFirst()
      } else {
        let part = rest.prefix(size)
        decoded += part
        size -= part.count
        rest = rest.dropFirst(part.count)
        if size == 0 { (isInSize, skip) = (true, 2) }
      }
    }
    return decoded
  }

  private mutating func takeSize(_ byte: UInt8) {
    switch byte {
    case UInt8(ascii: "0")...UInt8(ascii: "9"): size = size << 4 | Int(byte - UInt8(ascii: "0"))
    case UInt8(ascii: "a")...UInt8(ascii: "f"): size = size << 4 | Int(byte - UInt8(ascii: "a") + 10)
    case UInt8(ascii: "A")...UInt8(ascii: "F"): size = size << 4 | Int(byte - UInt8(ascii: "A") + 10)
    case UInt8(ascii: "\n"): isInSize = size == 0
    default: break
    }
  }
}
