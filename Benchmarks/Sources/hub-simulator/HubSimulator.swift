import Foundation
import HubCore
import TestSupport

/// Drives what a hub's nodes know in common for up to a million devices, without HTTP, and says what each operation costs,
/// what a fleet needs by these costs, and whether a mixed load costs what the sum of its operations does.
///
/// Usage: hub-simulator [--home redis|memory] [--devices N] [--nodes N] [--groups N] [option value]…
@main
struct HubSimulator {
  static func main() async {
    do {
      let options = try SimulatorOptions(Array(CommandLine.arguments.dropFirst()))
      let redis = options.home == .redis ? try RedisServer() : nil
      defer { redis?.stop() }
      let hub = try await SimulatedHub(nodes: redis == nil ? 1 : options.nodes, socket: redis?.socket)
      try await Simulation(options, hub, redis).run()
      await hub.stop()
    } catch {
      FileHandle.standardError.write(Data("hub-simulator: \(error)\n".utf8))
      exit(1)
    }
  }
}

struct Simulation {
  private let options: SimulatorOptions
  private let hub: SimulatedHub
  private let redis: RedisServer?
  private let fleet: SimulatedFleet
  private let meter: Meter

  init(_ options: SimulatorOptions, _ hub: SimulatedHub, _ redis: RedisServer?) {
    (self.options, self.hub, self.redis) = (options, hub, redis)
    fleet = SimulatedFleet(hub, options)
    meter = Meter(redis: redis, atOnce: options.atOnce)
  }

  func run() async throws {
    let memory = (own: ownMemory(), redis: try redis?.memory() ?? 0)
    let connected = try await measure("connect", count: options.devices) { [fleet] device in
      try await fleet.connect(device)
      return nil
    }
    say(
      "present: \(options.devices) devices, connected at \(Int(Double(options.devices) / connected.seconds)) a second")
    report("bytes a device in the nodes", ownMemory() - memory.own)
    if let redis { report("bytes a device in Redis", try redis.memory() - memory.redis) }
    let idle = try await measureIdle()
    let prices = try await measurePrices()
    try await replaceNode()
    try await confirm(SizingModel(SizingModel.Behaviour(), prices: prices, idle: idle))
  }

  // MARK: Phases

  /// What is done with nobody asking.
  private func measureIdle() async throws -> PhaseFigures {
    var idle = try await meter.measure("idle", count: 1) { [options] _ in
      try await Task.sleep(for: .seconds(options.seconds))
      return nil
    }
    idle.count = options.devices
    show(idle)
    return idle
  }

  private func measurePrices() async throws -> [PhaseFigures] {
    let (count, fleet) = (options.operations, fleet)
    return [
      try await measure("renew", count: count) { try await fleet.renew(fleet.device($0)) },
      try await measure("move", count: count) { try await fleet.move(fleet.device($0)) },
      try await measure("nearby", count: max(1, count / 10)) { try await fleet.nearby(fleet.device($0)) },
      try await measure("call", count: max(1, count / 10)) { number -> Duration? in
        try await fleet.call(fleet.device(number), number: number)
      },
    ]
  }

  /// A node ends without a word; its devices come back at the others, spread over a minute by their back-off.
  private func replaceNode() async throws {
    guard redis != nil, hub.count > 1 else { return }
    let lost = fleet.devices(at: 0)
    try await hub.replace(0)
    let rate = Double(lost.count) / 60
    let returned = try await meter.measure("return", count: lost.count, rate: rate) { [fleet, hub] number in
      try await fleet.connect(lost[number], at: 1 + number % max(1, hub.count - 1))
      return nil
    }
    show(returned)
    say("return: \(lost.count) devices of a lost node came back in \(Int(returned.seconds)) s (planned: 60)")
  }

  /// Runs the model's mixture, scaled so that Redis shall be as busy as asked for, beside what the model predicts.
  private func confirm(_ model: SizingModel) async throws {
    for devices in [100_000.0, 1_000_000] {
      let cores = model.cores(devices: devices)
      say(
        String(
          format: "model: %.0f devices need %.2f node cores (without HTTP) and %.2f Redis cores at full use",
          devices, cores.nodes, cores.redis))
    }
    guard redis != nil else { return }
    let scale = model.devices(forRedisShare: options.share, present: options.devices)
    let rates = model.rates(devices: scale)
    let predicted = options.share * options.seconds
    let mixed = try await mix(rates)
    show(mixed)
    say(
      String(
        format: "mixed load of %.0f devices: Redis used %.2f s of CPU time, predicted %.2f (%.0f %%)", scale,
        mixed.redisCPU, predicted, 100 * mixed.redisCPU / predicted))
  }

  private func mix(_ rates: [(phase: String, rate: Double)]) async throws -> PhaseFigures {
    let total = rates.reduce(0) { $0 + $1.rate }
    let count = Int(total * options.seconds)
    var random = SeededGenerator(seed: options.seed &+ 1)
    let kinds = (0..<count).map { _ in
      var place = Double.random(in: 0..<total, using: &random)
      return rates.first { rate in
        place -= rate.rate
        return place < 0
      }?.phase ?? "renew"
    }
    return try await meter.measure("mix", count: max(1, count), rate: total) { [fleet] number in
      let device = fleet.device(number &* 3)
      switch kinds[number] {
      case "move": try await fleet.move(device)
      case "nearby": try await fleet.nearby(device)
      case "call": _ = try await fleet.call(device, number: 1 << 30 + number)
      default: try await fleet.renew(device)
      }
      return nil
    }
  }

  // MARK: Parts

  private func measure(
    _ phase: String, count: Int, _ operation: @escaping @Sendable (Int) async throws -> Duration?
  ) async throws -> PhaseFigures {
    let figures = try await meter.measure(phase, count: count, operation)
    show(figures)
    return figures
  }

  private func measure(
    _ phase: String, count: Int, _ operation: @escaping @Sendable (Int) async throws -> Void
  ) async throws -> PhaseFigures {
    try await measure(phase, count: count) { number -> Duration? in
      try await operation(number)
      return nil
    }
  }

  private func report(_ what: String, _ bytes: Int) { say("\(what): \(bytes / options.devices)") }

  private func show(_ figures: PhaseFigures) {
    say(
      String(
        format: "%@: %d in %.1f s, %.0f a second; p50 %.2f ms, p99 %.2f ms; CPU each: nodes %.1f µs, Redis %.1f µs",
        figures.phase, figures.count, figures.seconds, Double(figures.count) / figures.seconds, figures.median,
        figures.p99, figures.nodeCost * 1e6, figures.redisCost * 1e6))
  }

  private func say(_ text: String) {
    print(text)
    fflush(nil)
  }
}
