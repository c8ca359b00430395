/// What a fleet asks of the hub each second, and what that costs by the measured price of each operation.
struct SizingModel {
  /// How devices and people behave.
  struct Behaviour {
    /// Seconds between two heartbeats of a device.
    var heartbeat = 240.0
    /// The share of devices that are on the move, and seconds between two positions of one.
    var moving = 0.1
    var movePause = 10.0
    /// Lists of who is nearby, an hour and a device.
    var stepsPerHour = 0.5
    var callsPerHour = 0.5
  }

  let behaviour: Behaviour
  private let prices: [String: PhaseFigures]
  /// What nodes and Redis do by themselves, in cores a device.
  private let idle: PhaseFigures

  init(_ behaviour: Behaviour, prices: [PhaseFigures], idle: PhaseFigures) {
    self.behaviour = behaviour
    self.prices = Dictionary(uniqueKeysWithValues: prices.map { ($0.phase, $0) })
    self.idle = idle
  }

  /// Operations a second, by phase, of so many devices.
  func rates(devices: Double) -> [(phase: String, rate: Double)] {
    [
      ("renew", devices / behaviour.heartbeat), ("move", devices * behaviour.moving / behaviour.movePause),
      ("nearby", devices * behaviour.stepsPerHour / 3_600), ("call", devices * behaviour.callsPerHour / 3_600),
    ]
  }

  /// Cores that nodes (without HTTP) and Redis need, at full use.
  func cores(devices: Double) -> (nodes: Double, redis: Double) {
    var cores = (
      nodes: idle.nodeCPU / idle.seconds / Double(idle.count) * devices,
      redis: idle.redisCPU / idle.seconds / Double(idle.count) * devices
    )
    for (phase, rate) in rates(devices: devices) {
      guard let price = prices[phase] else { continue }
      cores.nodes += rate * price.nodeCost
      cores.redis += rate * price.redisCost
    }
    return cores
  }

  /// How many devices make Redis so busy, besides what `present` ones take by being there.
  func devices(forRedisShare share: Double, present: Int) -> Double {
    let active = cores(devices: 1).redis - idle.redisCPU / idle.seconds / Double(idle.count)
    let rest = share - idle.redisCPU / idle.seconds / Double(idle.count) * Double(present)
    return max(0, rest / active)
  }
}
