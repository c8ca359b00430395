/// One event of a `text/event-stream`.
public struct ServerSentEvent: Sendable, Equatable {
  /// The `event:` field; `message` when absent.
  public var name: String
  /// The `data:` lines, joined by line feeds.
  public var data: [UInt8]
  /// The stream's last event id when this event was dispatched; empty if there was none yet.
  public var id: String

  public init(name: String, data: [UInt8], id: String) {
    self.name = name
    self.data = data
    self.id = id
  }
}

/// Splits a `text/event-stream` into events (WHATWG HTML, section 9.2.6), in bounded memory.
///
/// Bytes may come in pieces of any size. An event that is longer than the limits is skipped and counted, and the
/// stream continues: a client that gave up instead would meet the same event again whenever it resumes.
public struct ServerSentEventParser: Sendable {
  /// Memory limits.
  public struct Limits: Sendable {
    /// Bytes of one line, without its end.
    public var line: Int
    /// Bytes of one event's data.
    public var event: Int

    public init(line: Int = 256 * 1024, event: Int = 256 * 1024) {
      self.line = line
      self.event = event
    }
  }

  /// The id to resume after: the one in force at the last event, whether or not it carried data.
  public private(set) var lastEventID = ""
  /// The `retry:` field seen last, in milliseconds.
  public private(set) var reconnectionTime: Int?
  /// Events that were skipped for their size.
  public private(set) var skippedEvents = 0

  private static let maximumIDLength = 256
  private static let maximumReconnectionTime = 60_000

  private let limits: Limits
  private var line: [UInt8] = []
  private var lineIsTooLong = false
  private var followsCarriageReturn = false
  private var isFirstLine = true

  private var name = ""
  private var data: [UInt8] = []
  private var hasData = false
  private var eventIsTooLong = false
  private var pendingID = ""

  public init(limits: Limits = Limits(), lastEventID: String = "") {
    self.limits = limits
    self.lastEventID = lastEventID
    self.pendingID = lastEventID
  }

  /// Takes the next bytes of the stream and returns the events that they complete.
  public mutating func push(_ bytes: [UInt8]) -> [ServerSentEvent] {
    var events: [ServerSentEvent] = []
    for byte in bytes {
      if let event = push(byte) { events.append(event) }
    }
    return events
  }

  private mutating func push(_ byte: UInt8) -> ServerSentEvent? {
    let endsPreviousLine = followsCarriageReturn && byte == UInt8(ascii: "\n")
    followsCarriageReturn = byte == UInt8(ascii: "\r")
    if endsPreviousLine { return nil }
    if byte == UInt8(ascii: "\n") || byte == UInt8(ascii: "\r") { return endLine() }
    if line.count < limits.line {
      line.append(byte)
    } else {
      lineIsTooLong = true
    }
    return nil
  }

  private mutating func endLine() -> ServerSentEvent? {
    defer {
      line.removeAll(keepingCapacity: line.capacity <= 4096)
      lineIsTooLong = false
      isFirstLine = false
    }
    if isFirstLine, line.starts(with: [0xEF, 0xBB, 0xBF]) { line.removeFirst(3) }
    if lineIsTooLong {
      eventIsTooLong = true
      return nil
    }
    if line.isEmpty { return endEvent() }
    takeField()
    return nil
  }

  private mutating func takeField() {
    let colon = line.firstIndex(of: UInt8(ascii: ":"))
    var value = line[(colon.map { $0 + 1 } ?? line.endIndex)...]
    if value.first == UInt8(ascii: " ") { value = value.dropFirst() }
    switch String(decoding: line[..<(colon ?? line.endIndex)], as: UTF8.self) {
    case "event": name = String(decoding: value, as: UTF8.self)
    case "data": appendData(value)
    case "id": takeID(value)
    case "retry": takeReconnectionTime(value)
    default: break
    }
  }

  private mutating func appendData(_ value: ArraySlice<UInt8>) {
    guard data.count + value.count + 1 <= limits.event else {
      eventIsTooLong = true
      data.removeAll()
      return
    }
    if hasData { data.append(UInt8(ascii: "\n")) }
    hasData = true
    data.append(contentsOf: value)
  }

  private mutating func takeID(_ value: ArraySlice<UInt8>) {
    guard value.count <= Self.maximumIDLength, !value.contains(0) else { return }
    pendingID = String(decoding: value, as: UTF8.self)
  }

  private mutating func takeReconnectionTime(_ value: ArraySlice<UInt8>) {
    let isNumber = value.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
    guard isNumber, let milliseconds = Int(String(decoding: value, as: UTF8.self)) else { return }
    reconnectionTime = min(milliseconds, Self.maximumReconnectionTime)
  }

  private mutating func endEvent() -> ServerSentEvent? {
    defer {
      name = ""
      data = []
      hasData = false
      eventIsTooLong = false
    }
    lastEventID = pendingID
    if eventIsTooLong {
      skippedEvents += 1
      return nil
    }
    guard hasData else { return nil }
    return ServerSentEvent(name: name.isEmpty ? "message" : name, data: data, id: lastEventID)
  }
}
