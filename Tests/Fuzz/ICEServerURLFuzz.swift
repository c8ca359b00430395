import ICE
import Signalling

/// Parses any text as a server's URL; one that is good reads back as itself, an error shows little of the text.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ data: UnsafePointer<UInt8>, _ size: Int) -> CInt {
  let text = String(decoding: UnsafeBufferPointer(start: data, count: size), as: UTF8.self)
  do throws(ICEServerURLError) {
    let url = try ICEServerURL(text)
    precondition((try? ICEServerURL("\(url)")) == url, "a URL that reads back differently")
    precondition(!url.host.isEmpty && url.port > 0)
  } catch {
    precondition(error.url.utf8.count <= 80 && !error.url.contains("@"))
  }
  var list = ICEServerList()
  _ = list.add([ICEServer(urls: text.split(separator: "\n").map { String($0) })])
  precondition(list.relays.count <= ICEServerList.limit && list.reflectors.count <= ICEServerList.limit)
  return 0
}
