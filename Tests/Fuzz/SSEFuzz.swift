import Signalling

/// Parses any bytes as an event stream. The first two octets choose small limits and where the stream is cut in two;
/// neither the cut nor a restart of the parser's buffers may change what comes out.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ data: UnsafePointer<UInt8>, _ size: Int) -> CInt {
  guard size >= 2 else { return 0 }
  let bytes = Array(UnsafeBufferPointer(start: data, count: size))
  let limits = ServerSentEventParser.Limits(line: 8 + Int(bytes[0]), event: 8 + Int(bytes[0]) * 2)
  let stream = Array(bytes[2...])
  let cut = stream.isEmpty ? 0 : Int(bytes[1]) % stream.count

  var whole = ServerSentEventParser(limits: limits)
  let events = whole.push(stream)
  var pieces = ServerSentEventParser(limits: limits)
  let again = pieces.push(Array(stream[..<cut])) + pieces.push(Array(stream[cut...]))

  precondition(events == again && whole.lastEventID == pieces.lastEventID, "the cut changed the events")
  precondition(whole.skippedEvents == pieces.skippedEvents && whole.reconnectionTime == pieces.reconnectionTime)
  precondition((whole.reconnectionTime ?? 0) <= 60_000)
  for event in events {
    precondition(event.data.count <= limits.event && !event.name.isEmpty && event.id.utf8.count <= 768)
  }
  return 0
}
