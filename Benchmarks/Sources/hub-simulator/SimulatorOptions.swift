/// What the command line asks for.
struct SimulatorOptions {
  enum Home: String { case redis, memory }

  var home = Home.redis
  var devices = 100_000
  var people = 16
  var nodes = 2
  /// Groups that the devices are spread over; a list of who is nearby looks at one.
  var groups = 1
  /// Requests under way at the same time.
  var atOnce = 64
  /// Operations of each measured phase.
  var operations = 20_000
  var seed: UInt64 = 1
  /// Seconds that the mixed load of ``SizingModel`` is run for.
  var seconds = 20.0
  /// How busy the mixed load shall make Redis, as a share of one core.
  var share = 0.4

  init(_ arguments: [String]) throws(SimulatorFailure) {
    var rest = arguments[...]
    while let name = rest.popFirst() {
      guard let value = rest.popFirst() else { throw SimulatorFailure("\(name) needs a value") }
      switch name {
      case "--home":
        guard let home = Home(rawValue: value) else { throw SimulatorFailure("--home \(value): write redis or memory") }
        self.home = home
      case "--devices": devices = try Self.number(name, value)
      case "--nodes": nodes = try Self.number(name, value)
      case "--groups": groups = try Self.number(name, value)
      case "--at-once": atOnce = try Self.number(name, value)
      case "--operations": operations = try Self.number(name, value)
      case "--seed": seed = try Self.number(name, value)
      case "--seconds": seconds = try Self.number(name, value)
      case "--share": share = try Self.number(name, value)
      default: throw SimulatorFailure("unknown option \(name)")
      }
    }
    guard devices > 1, nodes > 0, groups > 0, atOnce > 0, operations > 0 else {
      throw SimulatorFailure("numbers must be positive, and there must be two devices")
    }
  }

  private static func number<Number: LosslessStringConvertible>(
    _ name: String, _ text: String
  ) throws(SimulatorFailure) -> Number {
    guard let number = Number(text) else { throw SimulatorFailure("\(name) \(text): not a number") }
    return number
  }
}

struct SimulatorFailure: Error, CustomStringConvertible {
  let description: String

  init(_ description: String) { self.description = description }
}
