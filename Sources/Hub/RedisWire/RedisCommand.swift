internal import NIOCore

/// A command with its arguments, as it goes over the wire (an array of bulk strings).
public struct RedisCommand: Sendable {
  let bytes: ByteBuffer

  public init(_ name: String, _ arguments: [String]) {
    var bytes = ByteBufferAllocator().buffer(capacity: 32 + arguments.reduce(0) { $0 + $1.utf8.count + 16 })
    bytes.writeString("*\(arguments.count + 1)\r\n")
    Self.write(name, to: &bytes)
    for argument in arguments { Self.write(argument, to: &bytes) }
    self.bytes = bytes
  }

  private static func write(_ text: String, to bytes: inout ByteBuffer) {
    bytes.writeString("$\(text.utf8.count)\r\n")
    bytes.writeString(text)
    bytes.writeString("\r\n")
  }
}
