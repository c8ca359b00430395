/// What the transport costs. `Benchmarks/run --transport` starts these and prints tables.
///
///     transport-bench packets               cost of a packet: packetised, protected, sent
///     transport-bench serve ADDRESS PORT    a network loop that shows pictures and plays sound to whoever asks
///     transport-bench watch ADDRESS COUNT   so many viewers, each with a network loop of its own
///     transport-bench flood ADDRESS PORT PER-SECOND SECONDS SOURCES   garbage from so many ports
///
/// `serve` and `watch` take commands from standard input (``CommandLine`` of the process), one a line.
@main
struct TransportBench {
  static func main() async throws {
    let arguments = Array(CommandLine.arguments.dropFirst())
    switch (arguments.first, arguments.count) {
    case ("packets", 1): try PacketCost.measure()
    case ("serve", 3): try await Server(address: arguments[1], port: arguments[2]).run()
    case ("watch", 3): try await Viewers(address: arguments[1], count: arguments[2]).run()
    case ("flood", 6): try GarbageFlood(arguments.dropFirst()).run()
    default: throw UsageError.wrongArguments
    }
  }
}

enum UsageError: Error {
  case wrongArguments
}
