import MediaCore
import RTP

/// How a browser or a library receives pictures: each frame in its order, each packet waited for as long as it takes.
///
/// Its frames are those whose packets, and all packets before them, have come.
struct PatientReceiver {
  /// When it asks for a packet.
  enum Habit {
    /// With all others that are missing, whenever a further gap shows, and at no other time: aiortc 1.16,
    /// `rtcrtpreceiver.py`. A frame is whole when a packet of the next one has come (`jitterbuffer.py`).
    case onGaps
    /// Every packet by itself, again after each round trip, looked at each 20 ms: libwebrtc,
    /// `modules/video_coding/nack_requester.cc`.
    case repeated
  }

  private struct Missing {
    var asked: MonotonicInstant?
  }

  private static let processInterval = TimeSpan.milliseconds(20)

  let habit: Habit
  var roundTrip = TimeSpan.milliseconds(100)
  private var unwrapper = SequenceUnwrapper()
  private var packets: [Int64: (marker: Bool, timestamp: UInt32, payload: [UInt8])] = [:]
  private var missing: [Int64: Missing] = [:]
  /// The first packet that no frame has taken.
  private var next: Int64?
  private var isAsking = false
  /// So many packets are kept; when more are missing or wait, the oldest go, and a key frame is asked for.
  private static let capacity: Int64 = 512
  private(set) var wantsKeyFrame = false
  private var processedAt = MonotonicInstant(nanoseconds: 0)
  private(set) var duplicateCount = 0
  private(set) var requestCount = 0

  init(_ habit: Habit) { self.habit = habit }

  mutating func insert(_ header: RTPHeader, packet: RawSpan) {
    let highest = unwrapper.highest
    let number = unwrapper.unwrap(header.sequenceNumber)
    if next == nil {
      guard isKeyFrameStart(header, packet) else { return }
      next = number
    }
    if let highest, number > highest + 1 {
      for lost in highest + 1..<number { missing[lost] = Missing() }
      isAsking = true
    }
    missing[number] = nil
    guard let next, number >= next, packets[number] == nil else { return duplicateCount += 1 }
    if number - next >= Self.capacity { giveUp() }
    let payload = packet.extracting(header.payloadRange).copiedToArray()
    packets[number] = (header.marker, header.timestamp, payload)
  }

  private func isKeyFrameStart(_ header: RTPHeader, _ packet: RawSpan) -> Bool {
    let payload = packet.extracting(header.payloadRange)
    guard let descriptor = try? VP8PayloadDescriptor(parsing: payload), descriptor.startsFrame else { return false }
    return payload.copiedToArray()[descriptor.byteCount] & 1 == 0
  }

  private mutating func giveUp() {
    wantsKeyFrame = true
    next = nil
    packets.removeAll()
    missing.removeAll()
  }

  /// Whether a key frame is asked for, once.
  mutating func takeKeyFrameRequest() -> Bool {
    defer { wantsKeyFrame = false }
    return wantsKeyFrame
  }

  // MARK: Requests

  var deadline: MonotonicInstant {
    habit == .repeated && !missing.isEmpty ? processedAt + Self.processInterval : .distantFuture
  }

  /// The packets to ask for now.
  mutating func takeRequests(now: MonotonicInstant) -> [SequenceNumber] {
    defer { isAsking = false }
    guard isAsking || deadline <= now else { return [] }
    let due = habit == .onGaps ? missing.keys.sorted() : takeDue(now: now)
    requestCount += due.count
    return due.map { SequenceNumber(extended: $0) }
  }

  private mutating func takeDue(now: MonotonicInstant) -> [Int64] {
    let isRepeating = deadline <= now
    if isRepeating { processedAt = now }
    var due: [Int64] = []
    for (number, entry) in missing {
      guard entry.asked.map({ isRepeating && now - $0 >= roundTrip }) ?? true else { continue }
      missing[number]?.asked = now
      due.append(number)
    }
    return due.sorted()
  }

  // MARK: Frames

  /// The octets of the next frame, once all of them have come.
  mutating func popFirst() -> [UInt8]? {
    guard let first = next, let end = end(from: first) else { return nil }
    var octets: [UInt8] = []
    for number in first..<end {
      let payload = packets.removeValue(forKey: number)!.payload
      guard let descriptor = try? VP8PayloadDescriptor(parsing: payload.span.bytes) else { continue }
      octets += payload.dropFirst(descriptor.byteCount)
    }
    next = end
    return octets
  }

  /// The first packet after the frame that begins at `first`; nil while something of it is missing.
  private func end(from first: Int64) -> Int64? {
    guard let timestamp = packets[first]?.timestamp else { return nil }
    var number = first
    while let packet = packets[number] {
      if packet.timestamp != timestamp { return number }
      number += 1
      if packet.marker, habit == .repeated { return number }
    }
    return nil
  }
}

/// A receiver's own estimate as aiortc 1.16 makes it (`rate.py`) where no queue grows: what came in the first three seconds,
/// then 8 % more each second, at most one and a half times what comes.
struct PatientEstimate {
  private static let interval = TimeSpan.milliseconds(500)

  private var began: MonotonicInstant?
  private var told: MonotonicInstant?
  private var arrivals: [(at: MonotonicInstant, octets: Int)] = []
  private var estimate: Double?

  mutating func receive(_ byteCount: Int, now: MonotonicInstant) {
    began = began ?? now
    arrivals.append((now, byteCount))
  }

  /// The estimate to tell now, if it is time.
  mutating func take(now: MonotonicInstant) -> Bitrate? {
    guard let began, now - began > .seconds(3), told.map({ now - $0 > Self.interval }) ?? true else { return nil }
    told = now
    arrivals.removeAll { now - $0.at > .seconds(1) }
    let received = Double(8 * arrivals.reduce(0) { $0 + $1.octets })
    let last = estimate ?? received
    let raised = min(1.04 * last, max(1.5 * received + 10_000, last))
    estimate = raised
    return Bitrate(bitsPerSecond: Int(raised))
  }
}
