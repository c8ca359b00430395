import Foundation
import Glibc
import SystemSupport
import TestServers
import OpenSSLCrypto
import ObjectStorage

/// A small object store on loopback: objects, parts, and the failures of real ones. One connection at a time.
final class ObjectServer: Sendable {
  /// Stores of whom it is known.
  enum Personality: Sendable, CaseIterable {
    /// Takes SHA-256 checksums, and tells them.
    case usual
    /// 400 for a header that it does not know, as Backblaze B2.
    case refusesChecksums
    /// 501, as Cloudflare R2.
    case implementsNoChecksums
    /// Refuses them in parts alone.
    case refusesChecksumsOfParts
    /// Ignores them, and tells none.
    case ignoresChecksums
    /// 400 without `Content-MD5`, and compares it.
    case wantsMD5
    /// Its objects are locked and it knows no other checksum.
    case wantsMD5Alone
  }

  /// What it does with requests.
  struct Behaviour: Sendable {
    var personality = Personality.usual
    /// Seconds since 1970 by its clock, which it compares with the request's; nil compares nothing.
    var clock: Int64?
    /// The region for which requests have to be signed.
    var region: String?
    /// Where all requests are sent to.
    var location: String?
    /// Octets that each part but the last must have.
    var smallestPart = 0
    /// Answers everything with success and a page, as a captive portal does.
    var isPortal = false
    /// Lists parts on pages that hold none, and always names a next one.
    var pagesHaveNoEnd = false
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
    /// How many were refused for what the store is.
    var refusals = 0
    var bodyByteCount = 0
    var lastAuthorization: String?
  }

  let state = Mutex(State())
  let port: Int
  private let listener: CInt
  private let group = DispatchGroup()

  init() throws {
    (listener, port) = listenOnLoopback()
    group.enter()
    Thread.detachNewThread {
      while case let descriptor = accept(self.listener, nil, nil), descriptor >= 0 {
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
    /// Whether the head says how long the body is; its end is the connection's otherwise.
    var tellsLength = true
  }

  private static func answer(_ request: Request, _ state: inout State) -> Answer {
    if let refusal = state.behaviour.refusal { return error(refusal.status, refusal.code, refusal.fields) }
    if state.behaviour.isPortal { return Answer(body: "<html>Accept</html>", tellsLength: request.method != "HEAD") }
    if let refusal = refusal(of: request, state.behaviour) {
      state.refusals += 1
      return refusal
    }
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
    case ("GET", let uploadID?):
      return state.behaviour.pagesHaveNoEnd ? endlessPage(after: request) : list(uploadID, state)
    case ("DELETE", let uploadID?):
      state.parts[uploadID] = nil
      return Answer(status: "204 No Content")
    case ("HEAD", _):
      guard let object = state.objects[request.path] else { return error(404, "NoSuchKey") }
      return Answer(length: object.count)
    default: return error(405, "MethodNotAllowed")
    }
  }

  private static func refusal(of request: Request, _ behaviour: Behaviour) -> Answer? {
    if let location = behaviour.location { return error(307, "TemporaryRedirect", "Location: \(location)\r\n") }
    let scope = request.fields["authorization"]?.split(separator: "/").dropFirst(2).first.map(String.init)
    if let region = behaviour.region, scope != region {
      return error(400, "AuthorizationHeaderMalformed", more: "<Region>\(region)</Region>")
    }
    if let clock = behaviour.clock, let day = request.fields["x-amz-date"]?.prefix(8), day != "20261126" {
      let date = "Date: Thu, 26 Nov 2026 17:46:00 GMT\r\n"
      return clock == 0 ? error(403, "RequestTimeTooSkewed") : error(403, "RequestTimeTooSkewed", date)
    }
    return checksumRefusal(of: request, behaviour.personality)
  }

  private static func checksumRefusal(of request: Request, _ personality: Personality) -> Answer? {
    let odd = request.fields.keys.first { $0.hasPrefix("x-amz-checksum-") }
    let md5 = request.fields["content-md5"]
    switch personality {
    case .usual, .ignoresChecksums: return nil
    case .refusesChecksums:
      return odd.map { error(400, "InvalidArgument", more: "<Message>Unsupported header '\($0)'</Message>") }
    case .implementsNoChecksums: return odd.map { _ in error(501, "NotImplemented") }
    case .refusesChecksumsOfParts:
      return odd == nil || request.value("partNumber") == nil ? nil : error(400, "InvalidRequest")
    case .wantsMD5Alone where odd != nil: return error(501, "NotImplemented")
    case .wantsMD5, .wantsMD5Alone:
      guard request.method == "PUT" else { return nil }
      guard let md5 else { return error(400, "MissingContentMD5") }
      let isRight = md5 == Self.md5(request.body).base64
      return isRight ? nil : error(400, "BadDigest")
    }
  }

  private static func error(
    _ status: Int, _ code: String, _ fields: String = "", more: String = "<Message>no</Message>"
  ) -> Answer {
    Answer(status: "\(status) No", fields: fields, body: "<Error><Code>\(code)</Code>\(more)</Error>")
  }

  private static func stored(_ digest: [UInt8], _ state: State) -> Answer {
    let told = state.behaviour.damages ? [UInt8](repeating: 0, count: 32) : digest
    let tag = "ETag: \"\(digest.hexadecimal.prefix(32))\"\r\n"
    guard state.behaviour.personality == .usual else { return Answer(fields: tag) }
    return Answer(fields: "\(tag)x-amz-checksum-sha256: \(told.base64)\r\n")
  }

  private static func md5(_ body: [UInt8]) -> [UInt8] {
    var digest = [UInt8](repeating: 0, count: 16)
    var span = digest.mutableSpan
    var output = span.mutableBytes
    OpenSSLCrypto().md5(body.span.bytes, into: &output)
    return digest
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

  private static func endlessPage(after request: Request) -> Answer {
    let marker = request.value("part-number-marker").flatMap { Int($0) } ?? 0
    return Answer(
      body: "<R><IsTruncated>true</IsTruncated><NextPartNumberMarker>\(marker + 1)</NextPartNumberMarker></R>")
  }

  private static func complete(_ request: Request, _ uploadID: String, _ state: inout State) -> Answer {
    guard let parts = state.parts[uploadID] else { return error(404, "NoSuchUpload") }
    let numbers = (try? XMLLeaves.read(request.body))?.filter { $0.path.last == "PartNumber" }.compactMap {
      Int($0.text)
    }
    guard numbers == parts.keys.sorted() else { return error(400, "InvalidPart") }
    let least = state.behaviour.smallestPart
    if parts.contains(where: { $0.key != parts.count && $0.value.count < least }) {
      return error(400, "EntityTooSmall")
    }
    keep(request.path, parts.sorted { $0.key < $1.key }.flatMap(\.value), &state)
    state.parts[uploadID] = nil
    return Answer(body: "<R><ETag>x</ETag></R>")
  }

  private func send(_ descriptor: CInt, _ answer: Answer, withBody: Bool) -> Bool {
    let length = answer.tellsLength ? "Content-Length: \(answer.length ?? answer.body.utf8.count)\r\n" : ""
    let head = "HTTP/1.1 \(answer.status)\r\n\(answer.fields)\(length)\r\n"
    var rest = Array((head + (withBody ? answer.body : "")).utf8)[...]
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes { Glibc.send(descriptor, $0.baseAddress, $0.count, CInt(MSG_NOSIGNAL)) }
      guard count > 0 else { return false }
      rest = rest.dropFirst(count)
    }
    return true
  }
}
