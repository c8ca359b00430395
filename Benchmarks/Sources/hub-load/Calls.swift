import Signalling
import TestSupport

/// Calls from the offer to the end, each party on its event stream.
///
/// ```
/// caller: PUT ─► receiver hears call.incoming, answers ─► caller hears call.answered, hangs up ─► receiver hears call.ended
/// ```
struct Calls {
  /// A call under way.
  private struct Call {
    let caller: Int
    let receiver: Int
    var sentAt: UInt64
  }

  private(set) var offerToEvent = Latencies()
  private(set) var answerToEvent = Latencies()
  private(set) var endToEvent = Latencies()
  private(set) var finished = 0
  private var underWay: [String: Call] = [:]
  private var random: SeededGenerator
  private let description = String(repeating: "a=candidate:1 1 udp 2113937151 192.0.2.1 50000 typ host", count: 40)

  init(seed: UInt64) { random = SeededGenerator(seed: seed) }

  var count: Int { underWay.count }

  /// Has somebody call somebody else, both with a stream and in no call; nil when none was found.
  mutating func place(in population: inout Population, among streams: Int) -> Request? {
    let (caller, receiver) = (Int.random(in: 0..<streams, using: &random), Int.random(in: 0..<streams, using: &random))
    guard caller != receiver, isFree(caller, population), isFree(receiver, population) else { return nil }
    population.users[caller].isBusy = true
    population.users[receiver].isBusy = true
    let id = makeID()
    underWay[id] = Call(caller: caller, receiver: receiver, sentAt: monotonicTime())
    return population.place(id, from: caller, to: receiver, offer: description)
  }

  /// Takes an event of a user's stream; returns what the user does.
  mutating func take(_ event: ServerSentEvent, of user: Int, in population: inout Population) -> Request? {
    guard let id = Self.sessionID(in: event.data), let call = underWay[id] else { return nil }
    underWay[id]?.sentAt = monotonicTime()
    switch event.name {
    case EventName.callIncoming.rawValue where user == call.receiver:
      offerToEvent.add(since: call.sentAt)
      return population.answer(id, by: user, sdp: description)
    case EventName.callAnswered.rawValue where user == call.caller:
      answerToEvent.add(since: call.sentAt)
      return population.end(id, by: user)
    case EventName.callEnded.rawValue where user == call.receiver:
      endToEvent.add(since: call.sentAt)
      finished += 1
      forget(id, in: &population)
    default: break
    }
    return nil
  }

  /// A request was refused: the call is none.
  mutating func forget(_ id: String, in population: inout Population) {
    guard let call = underWay.removeValue(forKey: id) else { return }
    population.users[call.caller].isBusy = false
    population.users[call.receiver].isBusy = false
  }

  private func isFree(_ user: Int, _ population: Population) -> Bool {
    population.users[user].streamID != nil && !population.users[user].isBusy
  }

  private mutating func makeID() -> String {
    let hex =
      String(UInt64.random(in: 1 << 60 ... .max, using: &random), radix: 16)
      + String(UInt64.random(in: 1 << 60 ... .max, using: &random), radix: 16)
    let digits = Array(hex)
    return [0..<8, 8..<12, 12..<16, 16..<20, 20..<32].map { String(digits[$0]) }.joined(separator: "-")
  }

  /// The value of `"sessionID":"…"`, without reading the rest.
  private static func sessionID(in data: [UInt8]) -> String? {
    let mark = Array(#""sessionID":""#.utf8)
    guard data.count >= mark.count + 36 else { return nil }
    for start in 0...(data.count - mark.count - 36) where data[start] == mark[0] && data[start...].starts(with: mark) {
      return String(decoding: data[(start + mark.count)..<(start + mark.count + 36)], as: UTF8.self)
    }
    return nil
  }
}
