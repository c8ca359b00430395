import Foundation
import Signalling

/// Everything that a run does, phase by phase, on one thread.
final class Workload {
  let options: LoadOptions
  let reactor: Reactor
  let pool: RequestPool
  var population: Population
  private(set) var calls: Calls
  /// Of the phase that runs.
  private(set) var tally = Tally()
  private(set) var openStreams = 0
  private(set) var endedStreams = 0
  private var streams: [EventStream] = []
  private var nextUser = 0
  /// Whether an answered update is followed by the next at once.
  private var isSaturating: (() -> Request)?

  init(_ options: LoadOptions) throws(LoadFailure) {
    self.options = options
    raiseDescriptorLimit()
    reactor = try Reactor()
    population = try Population(options)
    calls = Calls(seed: options.seed)
    pool = try RequestPool(reactor, to: options.targets, count: options.connections)
    pool.onAnswer = { [unowned self] in take($0, $1) }
  }

  // MARK: Phases

  func logIn() throws(LoadFailure) {
    for user in population.users.indices { pool.submit(population.login(user)) }
    try finish("logins", within: 600) { pool.pending == 0 }
    let missing = population.users.count { $0.token.isEmpty }
    guard missing == 0 else { throw LoadFailure("\(missing) users could not log in: \(tally.refusals)") }
  }

  /// Opens streams, some at a time, and has each user announce itself where it is.
  func openAllStreams() throws(LoadFailure) {
    tally = Tally()
    let wanted = min(options.streams, population.users.count)
    while streams.count < wanted {
      if streams.count - openStreams < 256 { try openStream(of: streams.count) } else { try pollOnce() }
    }
    try finish("event streams", within: 600) { openStreams == wanted }
  }

  func announceAll() throws(LoadFailure) {
    tally = Tally()
    for user in population.users.indices { pool.submit(population.update(user, moves: true)) }
    try finish("announcements", within: 600) { pool.pending == 0 }
  }

  /// Does nothing for the measured time but hold the streams.
  func rest() {
    tally = Tally()
    reactor.run(until: monotonicTime() + UInt64(options.seconds * 1e9)) { false }
  }

  /// Keeps every connection busy with one kind of request for the measured time.
  func saturate(_ next: @escaping () -> Request) throws(LoadFailure) {
    tally = Tally()
    isSaturating = next
    for _ in 0..<options.connections { pool.submit(next()) }
    let end = monotonicTime() + UInt64(options.seconds * 1e9)
    reactor.run(until: end) { false }
    isSaturating = nil
    try finish("the last answers", within: 30) { pool.pending == 0 }
  }

  /// Makes requests at fixed rates for the measured time, whatever the answers take.
  func pace(_ sources: [PacedSource]) throws(LoadFailure) {
    tally = Tally()
    var sources = sources
    let end = monotonicTime() + UInt64(options.seconds * 1e9)
    while monotonicTime() < end {
      for index in sources.indices {
        while sources[index].isDue { if let request = sources[index].make() { pool.submit(request) } }
      }
      reactor.poll(until: min(end, sources.map(\.dueAt).min() ?? end))
    }
    try finish("the last answers", within: 30) { pool.pending == 0 }
    reactor.run(until: monotonicTime() + 2_000_000_000) { calls.count == 0 }
  }

  // MARK: What users do

  /// Each user in turn; one update in four is a move.
  func nextUpdate() -> Request {
    nextUser = (nextUser + 1) % population.users.count
    return population.update(nextUser, moves: nextUser.isMultiple(of: 4))
  }

  /// Users spread over all, so that none meets its limit.
  func nextNearby() -> Request {
    nextUser = (nextUser + 7_919) % population.users.count
    return population.nearby(nextUser)
  }

  func nextCall() -> Request? { calls.place(in: &population, among: openStreams) }

  private func openStream(of user: Int) throws(LoadFailure) {
    let target = options.targets[user % options.targets.count]
    streams.append(
      try EventStream(
        reactor, target, number: user, request: population.stream(user),
        onEvent: { [unowned self] in take($0, of: user) }, onEnd: { [unowned self] in endedStreams += 1 }))
  }

  private func take(_ event: ServerSentEvent, of user: Int) {
    if event.name == EventName.hello.rawValue {
      let hello = try? JSONDecoder().decode(HelloEvent.self, from: Data(event.data))
      population.users[user].streamID = hello?.eventStreamID
      openStreams += 1
    } else if let request = calls.take(event, of: user, in: &population) {
      pool.submit(request)
    }
  }

  private func take(_ request: Request, _ response: ResponseParser.Response) {
    tally.count(request, response.status)
    if request.kind == .login, response.status == 200,
      let login = try? JSONDecoder().decode(LoginResponse.self, from: Data(response.body))
    {
      population.users[request.user].token = login.accessToken
      population.users[request.user].userID = login.userID
    }
    if let call = request.call, !(200..<300).contains(response.status) { calls.forget(call, in: &population) }
    if let isSaturating { pool.submit(isSaturating()) }
  }

  private func pollOnce() throws(LoadFailure) {
    reactor.poll(until: monotonicTime() + 100_000_000)
    guard endedStreams == 0 else { throw LoadFailure("\(endedStreams) event streams were refused or ended") }
  }

  private func finish(_ what: String, within seconds: UInt64, _ isDone: () -> Bool) throws(LoadFailure) {
    let isFinished = reactor.run(until: monotonicTime() + seconds * 1_000_000_000, isDone)
    guard isFinished else { throw LoadFailure("\(what) were not done within \(seconds) s") }
  }
}

/// Requests at a fixed rate.
struct PacedSource {
  private(set) var dueAt = monotonicTime()
  private let interval: UInt64
  private let request: () -> Request?

  init(perSecond rate: Double, _ request: @escaping () -> Request?) {
    interval = UInt64(1e9 / max(rate, 0.001))
    self.request = request
  }

  var isDue: Bool { dueAt <= monotonicTime() }

  mutating func make() -> Request? {
    dueAt += interval
    return request()
  }
}

/// How requests of one phase were answered.
struct Tally {
  private(set) var latencies: [Request.Kind: Latencies] = [:]
  /// Answers other than 2xx, by kind and status; 0 for a connection that was lost.
  private(set) var refusals: [String: Int] = [:]

  mutating func count(_ request: Request, _ status: Int) {
    if (200..<300).contains(status) {
      latencies[request.kind, default: Latencies()].add(since: request.sentAt)
    } else {
      refusals["\(request.kind.rawValue) \(status)", default: 0] += 1
    }
  }
}
