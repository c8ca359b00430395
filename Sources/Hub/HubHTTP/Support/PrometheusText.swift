internal import HubCore

/// Metrics in Prometheus's text format 0.0.4, all named `livesessions_hub_…`.
struct PrometheusText {
  enum Kind: String {
    case counter
    case gauge
    case histogram
  }

  private(set) var text = ""

  mutating func add(_ name: String, _ kind: Kind, _ help: String, _ value: Int) {
    begin(name, kind, help)
    text += "livesessions_hub_\(name) \(value)\n"
  }

  /// One value for each of a label's values, which need no escaping.
  mutating func add(_ name: String, _ kind: Kind, _ help: String, label: String, _ values: [(String, Int)]) {
    begin(name, kind, help)
    for (value, number) in values { text += "livesessions_hub_\(name){\(label)=\"\(value)\"} \(number)\n" }
  }

  mutating func add(_ name: String, _ help: String, _ histogram: DurationHistogram) {
    begin(name, .histogram, help)
    var sum = 0
    for (bound, count) in zip(DurationHistogram.bounds, histogram.counts) {
      sum += count
      text += "livesessions_hub_\(name)_bucket{le=\"\(Double(bound) / 1_000_000)\"} \(sum)\n"
    }
    text += "livesessions_hub_\(name)_bucket{le=\"+Inf\"} \(histogram.count)\n"
    text += "livesessions_hub_\(name)_sum \(histogram.sum / .seconds(1))\n"
    text += "livesessions_hub_\(name)_count \(histogram.count)\n"
  }

  private mutating func begin(_ name: String, _ kind: Kind, _ help: String) {
    text += "# HELP livesessions_hub_\(name) \(help)\n# TYPE livesessions_hub_\(name) \(kind.rawValue)\n"
  }
}
