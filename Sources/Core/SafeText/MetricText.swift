/// Writes metrics in Prometheus' text format, version 0.0.4: a family of samples at a time.
public struct MetricText: Sendable {
  public enum Kind: String, Sendable {
    /// Never falls; its name ends in `_total`.
    case counter
    case gauge
    case histogram
  }

  /// One value with what distinguishes it within its family.
  public struct Sample: Sendable {
    let suffix: String
    let labels: [(name: String, value: String)]
    let value: String

    /// - Parameter suffix: of the family's name, for the parts of a histogram.
    public init(suffix: String = "", labels: [(name: String, value: String)] = [], value: Double) {
      (self.suffix, self.labels, self.value) = (suffix, labels, "\(value)")
    }

    public init(suffix: String = "", labels: [(name: String, value: String)] = [], count: some BinaryInteger) {
      (self.suffix, self.labels, self.value) = (suffix, labels, "\(count)")
    }
  }

  private let prefix: String
  public private(set) var text = ""

  /// - Parameter prefix: of all names.
  public init(prefix: String) { self.prefix = prefix }

  /// Writes a family; one without samples is left out.
  ///
  /// - Parameter help: one line.
  public mutating func add(_ name: String, _ kind: Kind, _ help: String, _ samples: [Sample]) {
    guard !samples.isEmpty else { return }
    let name = prefix + name
    text += "# HELP \(name) \(help)\n# TYPE \(name) \(kind.rawValue)\n"
    for sample in samples { text += "\(name)\(sample.suffix)\(Self.labels(sample)) \(sample.value)\n" }
  }

  /// Writes a family of one sample without labels; none where the value is not known.
  public mutating func add(_ name: String, _ kind: Kind, _ help: String, _ value: Double?) {
    add(name, kind, help, value.map { [Sample(value: $0)] } ?? [])
  }

  public mutating func add(_ name: String, _ kind: Kind, _ help: String, _ count: some BinaryInteger) {
    add(name, kind, help, [Sample(count: count)])
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
