import MediaCore
import TransportCrypto

/// What a STUN message is for (RFC 8489 §5).
public enum STUNClass: UInt16, Sendable, Hashable {
  case request = 0x000
  case indication = 0x010
  case successResponse = 0x100
  case errorResponse = 0x110
}

/// A STUN method (RFC 8489 §18.2, RFC 8656 §17).
public struct STUNMethod: RawRepresentable, Sendable, Hashable {
  /// 12 bits: 0x000 to 0xFFF.
  public var rawValue: UInt16

  /// Accepts any code, known or not.
  public init(rawValue: UInt16) { self.rawValue = rawValue }

  /// Binding: a connectivity check, or the query for one's own address (RFC 8489 §18.2).
  public static let binding = STUNMethod(rawValue: 0x001)
  /// Allocate a relayed address (RFC 8656 §7).
  public static let allocate = STUNMethod(rawValue: 0x003)
  /// Refresh an allocation, or give it up (RFC 8656 §8).
  public static let refresh = STUNMethod(rawValue: 0x004)
  /// Send a datagram to a peer; an indication (RFC 8656 §11.1).
  public static let send = STUNMethod(rawValue: 0x006)
  /// Data that came from a peer; an indication (RFC 8656 §11.4).
  public static let data = STUNMethod(rawValue: 0x007)
  /// CreatePermission for peers' addresses (RFC 8656 §10).
  public static let createPermission = STUNMethod(rawValue: 0x008)
  /// ChannelBind: a number for a peer, in place of Send and Data (RFC 8656 §12).
  public static let channelBind = STUNMethod(rawValue: 0x009)
}

/// The 96 bits that tie a response to its request.
public struct STUNTransactionID: Hashable, Sendable {
  /// The first 32 bits in network order.
  public var high: UInt32
  /// The other 64 bits in network order.
  public var low: UInt64

  /// Draws an unguessable one.
  init(crypto: any CryptoPrimitives) {
    self.init(high: UInt32(truncatingIfNeeded: crypto.randomUInt64()), low: crypto.randomUInt64())
  }

  /// Both parts as they are on the wire.
  public init(high: UInt32, low: UInt64) {
    self.high = high
    self.low = low
  }
}

/// The fixed first 20 octets of a STUN message (RFC 8489 §5).
///
///      0                   1                   2                   3
///      0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1
///     +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
///     |0 0|     STUN Message Type     |         Message Length        |
///     +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
///     |                         Magic Cookie                          |
///     +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
///     |                     Transaction ID (96 bits)                  |
///     +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
public struct STUNHeader: Hashable, Sendable {
  /// Request, indication or response.
  public var messageClass: STUNClass
  /// The method that is requested or answered.
  public var method: STUNMethod
  /// Octets after the header, a multiple of four.
  public var length: Int
  /// Ties a response to its request.
  public var transactionID: STUNTransactionID

  /// Octets of the header itself.
  public static let size = 20
  static let magicCookie: UInt32 = 0x2112_A442

  /// Reads the header; the rest of the datagram has to be as long as it says.
  public init(_ datagram: RawSpan) throws(STUNParseError) {
    guard let fields = try? Self.readFields(datagram), fields.cookie == Self.magicCookie, fields.type & 0xC000 == 0,
      let messageClass = STUNClass(rawValue: fields.type & 0x0110)
    else { throw .notSTUN }
    guard fields.length % 4 == 0, fields.length == datagram.byteCount - Self.size else { throw .lengthMismatch }
    self.messageClass = messageClass
    method = STUNMethod(rawValue: Self.method(inType: fields.type))
    length = fields.length
    transactionID = fields.transactionID
  }

  private struct Fields {
    var type: UInt16
    var length: Int
    var cookie: UInt32
    var transactionID: STUNTransactionID
  }

  private static func readFields(_ datagram: RawSpan) throws(UnexpectedEnd) -> Fields {
    var reader = ByteReader(datagram)
    return Fields(
      type: try reader.readUInt16(), length: Int(try reader.readUInt16()), cookie: try reader.readUInt32(),
      transactionID: STUNTransactionID(high: try reader.readUInt32(), low: try reader.readUInt64()))
  }

  /// The type field: method bits around the two class bits.
  static func type(_ messageClass: STUNClass, _ method: STUNMethod) -> UInt16 {
    let bits = method.rawValue
    return messageClass.rawValue | bits & 0x000F | (bits & 0x0070) << 1 | (bits & 0x0F80) << 2
  }

  private static func method(inType type: UInt16) -> UInt16 {
    type & 0x000F | (type >> 1) & 0x0070 | (type >> 2) & 0x0F80
  }
}

/// Whether a datagram on a multiplexed port is STUN (RFC 7983 §7): leading octet 0 to 3 and the magic cookie.
public func isSTUN(_ datagram: RawSpan) -> Bool {
  guard datagram.byteCount >= STUNHeader.size else { return false }
  var reader = ByteReader(datagram)
  guard let start = try? reader.readUInt32(), let cookie = try? reader.readUInt32() else { return false }
  return start >> 24 < 4 && cookie == STUNHeader.magicCookie
}
