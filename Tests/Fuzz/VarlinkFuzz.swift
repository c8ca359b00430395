import ControlMessages

/// Takes the first octet as the size of reads, the rest as what a client sends; reads every message as a call.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ data: UnsafePointer<UInt8>, _ size: Int) -> CInt {
  guard size > 1 else { return 0 }
  let bytes = UnsafeBufferPointer(start: data, count: size)
  let step = Int(bytes[0]) + 1
  var framer = VarlinkFramer(limit: 1_024)
  var received = 0
  for start in stride(from: 1, to: size, by: step) {
    framer.append(bytes[start..<min(start + step, size)])
    do {
      while let message = try framer.next() {
        received += message.count + 1
        precondition(message.count <= 1_024 && !message.contains(0), "not one message")
        readCall(message)
      }
    } catch {
      return 0
    }
  }
  precondition(received < size, "more than was sent")
  return 0
}

private func readCall(_ message: [UInt8]) {
  _ = try? VarlinkReply.decode(MonitorReply.self, from: message)
  guard let call = try? VarlinkCall(message: message) else { return }
  _ = try? call.parameters(NoParameters.self)
  _ = try? call.parameters(MuteParameters.self)
  _ = try? call.parameters(ArchiveListParameters.self)
}
