import Foundation
import Glibc
import Locking
import OpenSSLCrypto
import ObjectStorage

/// A small object store on loopback: objects, parts, and the failures of real ones. One connection at a time.
final class ObjectServer: Sendable {
  /// What it does with requests.
  struct Behaviour: Sendable {
    /// Answers every request so, if set: status, code, and header fields.
    var refusal: (status: Int, code: String, fields: String)?
    /// Ends the connection after so many octets of bodies, once.
    var breaksAfter: Int?
    /// Forgets objects that are begun.
    var forgetsParts = false
    /// Damages what it keeps, and tells so by its checksum.
    var damages = false
  }

  struct State: Sendable {
    var behaviour = Behaviour()
    var objects: [String: [UInt8]] = [:]
    /// In the order in which they became whole.
    var order: [String] = []
    var parts: [String: [Int: [UInt8]]] = [:]
    var requests: [String] = []
    var bodyByteCount = 0
    var lastAuthorization: String?
  }

  let state = Mutex(State())
  let port: Int
  private let listener: CInt
  private let group = DispatchGroup()

  init() throws {
    listener = socket(AF_INET, CInt(SOCK_STREAM.rawValue), 0)
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = in_addr_t(0x7F00_0001).bigEndian
    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
    let listener = listener
    port = withUnsafeMutablePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { bound in
        precondition(bind(listener, bound, length) == 0 && listen(listener, 8) == 0)
        getsockname(listener, bound, &length)
      }
      return Int(UInt16(bigEndian: pointer.pointee.sin_port))
    }
    group.enter()
    Thread.detachNewThread {
      while case let descriptor = accept(listener, nil, nil), descriptor >= 0 {
        while self.serve(descriptor) {}
        close(descriptor)
      }
      self.group.leave()
    }
  }

  var url: String { "http://127.0.0.1:\(port)" }
  var objects: [String: [UInt8]] { state.withLock { $0.objects } }

  func behave(_ change: (inout Behaviour) -> Void) { state.withLock { change(&$0.behaviour) } }
  func count(_ text: String) -> Int { state.withLock { $0.requests.count { $0.contains(text) } } }

  func stop() {
    shutdown(listener, CInt(SHUT_RDWR))
    group.wait()
    close(listener)
  }

  // MARK: A request

  private struct Request {
    var line: String
    var fields: [String: String]
    var body: [UInt8]

    var method: Substring { line.prefix { $0 != " " } }
    var target: String { line.split(separator: " ").dropFirst().first.map(String.init) ?? "" }
    var path: String { String(target.prefix { $0 != "?" }) }
    var uploadID: String? { value("uploadId") }

    func value(_ name: String) -> String? {
      let query = target.split(separator: "?").dropFirst().first ?? ""
      return query.split(separator: "&").first { $0.hasPrefix("\(name)=") }.map { String($0.dropFirst(name.count + 1)) }
    }
  }

  private func serve(_ descriptor: CInt) -> Bool {
    guard let request = read(descriptor) else { return false }
    let answer = state.withLock { state in
      state.requests.append(request.line)
      state.lastAuthorization = request.fields["authorization"]
      return Self.answer(request, &state)
    }
    return send(descriptor, answer, withBody: request.method != "HEAD")
  }

  private func read(_ descriptor: CInt) -> Request? {
    var received: [UInt8] = []
    var chunk = [UInt8](repeating: 0, count: 65_536)
    var request: Request?
    var length = 0
    while true {
      if request == nil, let end = received.firstRange(of: Array("\r\n\r\n".utf8)) {
        let lines = String(decoding: received[..<end.lowerBound], as: UTF8.self).components(separatedBy: "\r\n")
        let fields = lines.dropFirst().map { line -> (String, String) in
          let parts = line.split(separator: ":", maxSplits: 1).map { $0.trimmingCharacters(in: .whitespaces) }
          return (parts[0].lowercased(), parts.count > 1 ? parts[1] : "")
        }
        request = Request(line: lines[0], fields: Dictionary(fields) { first, _ in first }, body: [])
        length = Int(request?.fields["content-length"] ?? "") ?? 0
        received.removeSubrange(..<end.upperBound)
      }
      if var request, received.count >= length {
        request.body = Array(received.prefix(length))
        return request
      }
      let count = recv(descriptor, &chunk, chunk.count, 0)
      guard count > 0 else { return nil }
      received += chunk[..<count]
      if request != nil, isBroken(by: count) { return nil }
    }
  }

  private func isBroken(by count: Int) -> Bool {
    state.withLock { state in
      state.bodyByteCount += count
      guard let limit = state.behaviour.breaksAfter, state.bodyByteCount > limit else { return false }
      state.behaviour.breaksAfter = nil
      return true
    }
  }

  // MARK: Its answer

  private struct Answer {
    var status = "200 OK"
    var fields = ""
    var body = ""
    var length: Int?
  }

  private static func answer(_ request: Request, _ state: inout State) -> Answer {
    if let refusal = state.behaviour.refusal { return error(refusal.status, refusal.code, refusal.fields) }
    let digest = OpenSSLCrypto().sha256(request.body)
    if let told = request.fields["x-amz-content-sha256"], told != digest.hexadecimal {
      return error(400, "XAmzContentSHA256Mismatch")
    }
    switch (request.method, request.uploadID) {
    case ("PUT", let uploadID?): return putPart(request, uploadID, digest, &state)
    case ("PUT", nil):
      keep(request.path, request.body, &state)
      return stored(digest, state)
    case ("POST", nil):
      let uploadID = "u\(state.requests.count)"
      state.parts[uploadID] = [:]
      return Answer(body: "<R><UploadId>\(uploadID)</UploadId></R>")
    case ("POST", let uploadID?): return complete(request, uploadID, &state)
    case ("GET", let uploadID?): return list(uploadID, state)
    case ("DELETE", let uploadID?):
      state.parts[uploadID] = nil
      return Answer(status: "204 No Content")
    case ("HEAD", _):
      guard let object = state.objects[request.path] else { return error(404, "NoSuchKey") }
      return Answer(length: object.count)
    default: return error(405, "MethodNotAllowed")
    }
  }

  private static func error(_ status: Int, _ code: String, _ fields: String = "") -> Answer {
    Answer(status: "\(status) No", fields: fields, body: "<Error><Code>\(code)</Code><Message>no</Message></Error>")
  }

  private static func stored(_ digest: [UInt8], _ state: State) -> Answer {
    let told = state.behaviour.damages ? [UInt8](repeating: 0, count: 32) : digest
    return Answer(fields: "ETag: \"\(digest.hexadecimal.prefix(32))\"\r\nx-amz-checksum-sha256: \(told.base64)\r\n")
  }

  private static func keep(_ path: String, _ body: [UInt8], _ state: inout State) {
    state.objects[path] = body
    state.order.append(path)
  }

  private static func putPart(
    _ request: Request, _ uploadID: String, _ digest: [UInt8], _ state: inout State
  ) -> Answer {
    guard state.parts[uploadID] != nil, let number = request.value("partNumber").flatMap({ Int($0) }) else {
      return error(404, "NoSuchUpload")
    }
    state.parts[uploadID]?[number] = request.body
    return stored(digest, state)
  }

  private static func list(_ uploadID: String, _ state: State) -> Answer {
    guard let parts = state.parts[uploadID], !state.behaviour.forgetsParts else { return error(404, "NoSuchUpload") }
    let items = parts.sorted { $0.key < $1.key }.map { number, body in
      let digest = OpenSSLCrypto().sha256(body)
      return
        "<Part><PartNumber>\(number)</PartNumber><ETag>\"\(digest.hexadecimal.prefix(32))\"</ETag><Size>\(body.count)</Size></Part>"
    }
    return Answer(body: "<ListPartsResult><IsTruncated>false</IsTruncated>\(items.joined())</ListPartsResult>")
  }

  private static func complete(_ request: Request, _ uploadID: String, _ state: inout State) -> Answer {
    guard let parts = state.parts[uploadID] else { return error(404, "NoSuchUpload") }
    let numbers = (try? XMLLeaves.read(request.body))?.filter { $0.path.last == "PartNumber" }.compactMap {
      Int($0.text)
    }
    guard numbers == parts.keys.sorted() else { return error(400, "InvalidPart") }
    keep(request.path, parts.sorted { $0.key < $1.key }.flatMap(\.value), &state)
    state.parts[uploadID] = nil
    return Answer(body: "<R><ETag>x</ETag></R>")
  }

  private func send(_ descriptor: CInt, _ answer: Answer, withBody: Bool) -> Bool {
    let head =
      "HTTP/1.1 \(answer.status)\r\n\(answer.fields)Content-Length: \(answer.length ?? answer.body.utf8.count)\r\n\r\n"
    var rest = Array((head + (withBody ? answer.body : "")).utf8)[...]
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes { Glibc.send(descriptor, $0.baseAddress, $0.count, CInt(MSG_NOSIGNAL)) }
      guard count > 0 else { return false }
      rest = rest.dropFirst(count)
    }
    return true
  }
}
