/// Writes metrics in Prometheus' text format, version 0.0.4: a family of samples at a time.
struct MetricText {
  enum Kind: String {
    /// Never falls; its name ends in `_total`.
    case counter
    case gauge
  }

  /// One value with the labels that distinguish it within its family.
  struct Sample {
    var labels: [(name: String, value: String)] = []
    var value: Double
  }

  private static let prefix = "livesessions_"

  private(set) var text = ""

  /// Writes a family; one without samples is left out.
  ///
  /// - Parameter help: one line.
  mutating func add(_ name: String, _ kind: Kind, _ help: String, _ samples: [Sample]) {
    guard !samples.isEmpty else { return }
    let name = Self.prefix + name
    text += "# HELP \(name) \(help)\n# TYPE \(name) \(kind.rawValue)\n"
    for sample in samples { text += "\(name)\(Self.labels(sample)) \(sample.value)\n" }
  }

  /// Writes a family of one sample without labels; none where the value is not known.
  mutating func add(_ name: String, _ kind: Kind, _ help: String, _ value: Double?) {
    add(name, kind, help, value.map { [Sample(value: $0)] } ?? [])
  }

  mutating func add(_ name: String, _ kind: Kind, _ help: String, _ count: some BinaryInteger) {
    add(name, kind, help, Double(count))
  }

  private static func labels(_ sample: Sample) -> String {
    guard !sample.labels.isEmpty else { return "" }
    return "{" + sample.labels.map { "\($0.name)=\"\(escaped($0.value))\"" }.joined(separator: ",") + "}"
  }

  /// Backslash, quote and line feed have escapes; the format has none for other control characters, which are left out.
  private static func escaped(_ value: String) -> String {
    value.unicodeScalars.reduce(into: "") { text, scalar in
      switch scalar {
      case "\\": text += "\\\\"
      case "\"": text += "\\\""
      case "\n": text += "\\n"
      case _ where scalar.properties.generalCategory == .control: break
      default: text.unicodeScalars.append(scalar)
      }
    }
  }
}
