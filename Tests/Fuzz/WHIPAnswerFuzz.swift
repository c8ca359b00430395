import ICE
import SDP
import Signalling

/// Takes any text as `Link` fields, as the fragment of a restart, and as the offer of one.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ data: UnsafePointer<UInt8>, _ size: Int) -> CInt {
  let text = String(decoding: UnsafeBufferPointer(start: data, count: size), as: UTF8.self)
  let servers = ICEServerLinks.servers(in: text.split(separator: "\n").map { String($0) })
  precondition(servers.count <= ICEServerLinks.maximumCount && servers.allSatisfy { $0.urls.count == 1 })
  var list = ICEServerList()
  _ = list.add(servers)
  if let fragment = ICERestartFragment(parsing: text) {
    precondition(fragment.candidates.count <= ICERestartFragment.maximumCandidateCount)
    let answer = fragment.applied(
      to: "v=0\r\nm=audio 9 X 0\r\na=ice-ufrag:abcd\r\na=ice-pwd:0123456789012345678901\r\n")
    let media = (try? SessionDescriptionParser.parse(answer))?.media.first
    precondition(media?.transport.iceUsernameFragment == fragment.usernameFragment, "a restart that changes nothing")
  }
  if let made = ICERestartFragment.text(of: text), let again = ICERestartFragment(parsing: made) {
    precondition(again.applied(to: made).utf8.count <= 2 * made.utf8.count + 65_536)
  }
  return 0
}
