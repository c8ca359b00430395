import ConfigFile
import HubCore
import Signalling

/// What clients of the hub send as text: distances, event ids, archive names, parts of archives and their changes, titles,
/// reasons, people and endpoints.
///
/// The first byte chooses the input, the rest is the text.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ data: UnsafePointer<UInt8>, _ size: Int) -> CInt {
  guard size > 0 else { return 0 }
  let text = String(decoding: UnsafeBufferPointer(start: data + 1, count: size - 1), as: UTF8.self)
  switch data[0] % 4 {
  case 0: checkDistance(text)
  case 1: checkEventID(text)
  case 2:
    checkArchivePath(text)
    checkClip(text)
    checkChange(text)
  default:
    checkRecipient(text)
    checkReason(text)
    checkSessionID(text)
    checkEndpoint(text)
  }
  return 0
}

private func checkDistance(_ text: String) {
  guard let distance = try? ConfigQuantity.distance(text) else { return }
  precondition(distance >= 0 && distance.isFinite)
}

private func checkEventID(_ text: String) {
  var state = HubState(epoch: "e")
  let now = Instant.now
  guard let opening = try? state.openStream("s", for: person("a"), lastEventID: text, now: now) else {
    preconditionFailure("the first stream is refused")
  }
  precondition(state.readStream(of: "a", after: opening.cursor) != nil, "a new stream has overrun")
}

private func checkArchivePath(_ text: String) {
  guard let path = try? ArchivePath(archiveID: text, file: text) else { return }
  let parts = path.text.split(separator: "/", omittingEmptySubsequences: false)
  precondition(parts.count == 3 && !parts.contains("..") && !parts.contains(""))
}

private func checkClip(_ text: String) {
  if let span = ArchiveSpan(clip: text) {
    precondition(0 <= span.start && span.start < span.end && span.end - span.start <= ArchiveSpan.longestClip)
    precondition(ArchiveSpan(clip: span.text) == span)
  }
  if let milliseconds = ArchiveSpan.milliseconds(seconds: text) {
    precondition((0...ArchiveSpan.latest + 999).contains(milliseconds))
  }
}

private func checkChange(_ text: String) {
  guard let change = ArchiveChange(text) else { return }
  precondition(change.text == text && ArchiveChange(change.text) == change)
  if case .rename(let name) = change { precondition(name.utf8.count <= ArchiveChange.longestName) }
}

private func checkRecipient(_ text: String) {
  guard let recipient = PushRecipient(text) else { return }
  precondition(recipient.text == text && PushRecipient(recipient.text) == recipient)
}

private func checkReason(_ text: String) {
  var state = HubState(epoch: "e")
  let ending = SessionMessage.end(SessionEnding(reason: text))
  precondition((try? state.receive(ending, in: "s", from: person("a"), now: .now)) == nil)
}

private func checkSessionID(_ text: String) {
  guard let id = SessionID(text) else { return }
  precondition(id.text == text && !text.contains("/") && !text.contains(".") && !text.contains("%"))
}

/// What no operator has named is a name on port 443.
private func checkEndpoint(_ text: String) {
  guard let endpoint = try? PushEndpoint(text, services: []) else { return }
  precondition(!endpoint.isTrusted && endpoint.port == 443 && IPAddress(endpoint.host) == nil)
  precondition(endpoint.host.contains(".") && !endpoint.host.hasSuffix(".") && !endpoint.host.contains("@"))
  precondition(endpoint.origin == "https://\(endpoint.host)" && endpoint.path.hasPrefix("/"))
}

private func person(_ id: String) -> Principal {
  Principal(userID: id, userTitle: id, role: .user, kind: .person, groups: ["g"])
}
