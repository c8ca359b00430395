/// A command with its arguments, in the form in which it is sent: an array of bulk strings.
///
/// Building one costs one allocation unless the arguments are long. Commands that take over a connection (`SUBSCRIBE`,
/// `MONITOR`, `MULTI` apart from its `EXEC`, `BLPOP` and others that block) and those that change its state (`AUTH`,
/// `SELECT`) are not to be sent through a ``RedisClient``, whose connections are shared.
public struct RedisCommand: Sendable, Hashable {
  /// The bulk strings one after the other, without the array's head.
  @usableFromInline var body: [UInt8]
  /// How many bulk strings there are, the command's name included.
  @usableFromInline var count: Int
  /// Which bulk string names the key by whose slot Redis Cluster routes the command; `nil` for none.
  public var keyPosition: Int?

  /// - Parameter arguments: strings, integers and octets.
  @inlinable
  public init<each Argument: RedisArgument>(
    _ name: String, _ arguments: repeat each Argument, keyPosition: Int? = 1
  ) {
    body = []
    body.reserveCapacity(96)
    count = 0
    self.keyPosition = keyPosition
    append(name)
    repeat append(each arguments)
  }

  public init(_ name: String, _ arguments: [String], keyPosition: Int? = 1) {
    self.init(name, keyPosition: keyPosition)
    append(contentsOf: arguments)
  }

  @inlinable
  public mutating func append(_ argument: some RedisArgument) {
    argument.appendBulkString(to: &body)
    count += 1
  }

  @inlinable
  public mutating func append<Argument: RedisArgument>(contentsOf arguments: some Sequence<Argument>) {
    for argument in arguments { append(argument) }
  }

  /// Calls a function of a library (`FCALL`), whose keys come before its other arguments.
  public static func functionCall(
    _ function: String, keys: [String] = [], arguments: [some RedisArgument]
  ) -> RedisCommand {
    var command = RedisCommand("FCALL", function, keys.count, keyPosition: keys.isEmpty ? nil : 3)
    command.append(contentsOf: keys)
    command.append(contentsOf: arguments)
    return command
  }

  /// Octets on the wire, apart from the array's head.
  var size: Int { body.count }
}

/// What can be an argument of a command.
public protocol RedisArgument {
  /// Appends the argument as a bulk string: `$`, its length in octets, CR LF, the octets, CR LF.
  func appendBulkString(to body: inout [UInt8])
}

extension String: RedisArgument {
  @inlinable
  public func appendBulkString(to body: inout [UInt8]) {
    body.appendBulkStringHead(utf8.count)
    body.append(contentsOf: utf8)
    body.appendLineEnd()
  }
}

extension [UInt8]: RedisArgument {
  @inlinable
  public func appendBulkString(to body: inout [UInt8]) {
    body.appendBulkStringHead(count)
    body.append(contentsOf: self)
    body.appendLineEnd()
  }
}

extension RedisArgument where Self: FixedWidthInteger & SignedInteger {
  @inlinable
  public func appendBulkString(to body: inout [UInt8]) {
    let digits = body.decimalLength(magnitude) + (self < 0 ? 1 : 0)
    body.appendBulkStringHead(digits)
    if self < 0 { body.append(UInt8(ascii: "-")) }
    body.appendDecimal(UInt64(magnitude))
    body.appendLineEnd()
  }
}

extension Int: RedisArgument {}
extension Int64: RedisArgument {}

extension [UInt8] {
  @usableFromInline mutating func appendBulkStringHead(_ count: Int) {
    append(UInt8(ascii: "$"))
    appendDecimal(UInt64(count))
    appendLineEnd()
  }

  @usableFromInline mutating func appendLineEnd() {
    append(UInt8(ascii: "\r"))
    append(UInt8(ascii: "\n"))
  }

  @usableFromInline mutating func appendDecimal(_ value: UInt64) {
    if value < 10 { return append(UInt8(ascii: "0") + UInt8(value)) }
    appendDecimal(value / 10)
    append(UInt8(ascii: "0") + UInt8(value % 10))
  }

  @usableFromInline func decimalLength(_ value: some UnsignedInteger) -> Int {
    var rest = value
    var length = 1
    while rest >= 10 {
      rest /= 10
      length += 1
    }
    return length
  }
}
