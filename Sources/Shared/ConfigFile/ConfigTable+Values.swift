extension ConfigTable {
  public func string(_ key: String) -> String? {
    guard let entry = entry(key) else { return nil }
    guard case .string(let text) = entry.node.value else {
      refuse(entry, expected: "a string", example: "\(key) = \"…\"")
      return nil
    }
    return text
  }

  public func string(_ key: String, default fallback: String) -> String { string(key) ?? fallback }

  public func bool(_ key: String) -> Bool? {
    guard let entry = entry(key) else { return nil }
    guard case .boolean(let flag) = entry.node.value else {
      refuse(entry, expected: "true or false", example: "\(key) = true")
      return nil
    }
    return flag
  }

  public func bool(_ key: String, default fallback: Bool) -> Bool { bool(key) ?? fallback }

  public func integer(_ key: String, in range: ClosedRange<Int>) -> Int? {
    guard let entry = entry(key) else { return nil }
    guard case .integer(let number) = entry.node.value else {
      let meant = entry.node.value.nearest(in: range.doubles).flatMap { Int(exactly: $0.rounded(.towardZero)) }
      refuse(entry, expected: "an integer", example: "\(key) = \(meant ?? range.lowerBound)")
      return nil
    }
    guard let value = Int(exactly: number), range.contains(value) else {
      addError("\(key) is \(number), outside \(range.lowerBound) to \(range.upperBound)", at: key)
      return nil
    }
    return value
  }

  public func integer(_ key: String, default fallback: Int, in range: ClosedRange<Int>) -> Int {
    integer(key, in: range) ?? fallback
  }

  /// A finite number; the file may write it as an integer.
  public func number(_ key: String, in range: ClosedRange<Double>) -> Double? {
    guard let entry = entry(key) else { return nil }
    guard let value = entry.node.value.double else {
      refuse(
        entry, expected: "a number", example: "\(key) = \(entry.node.value.nearest(in: range) ?? range.lowerBound)")
      return nil
    }
    guard range.contains(value) else {
      addError("\(key) is \(value), outside \(range.lowerBound) to \(range.upperBound)", at: key)
      return nil
    }
    return value
  }

  /// An array of strings.
  public func strings(_ key: String) -> [String]? {
    values(key) { text throws(ConfigValueError) in text }
  }

  /// A string that `parse` understands; its error is logged at the value's place.
  public func value<Value>(_ key: String, parse: (String) throws(ConfigValueError) -> Value) -> Value? {
    guard let text = string(key), let entry = entry(key) else { return nil }
    return parsed(text, at: entry.node.position, parse)
  }

  /// An array of strings that `parse` understands; wrong elements are logged at their places and skipped.
  public func values<Value>(_ key: String, parse: (String) throws(ConfigValueError) -> Value) -> [Value]? {
    guard let entry = entry(key) else { return nil }
    guard case .array(let elements) = entry.node.value else {
      refuse(entry, expected: "an array of strings", example: "\(key) = [\"…\"]")
      return nil
    }
    return elements.compactMap { element in
      guard case .string(let text) = element.value else {
        let problem = "\(key) holds \(element.value.kind) where a string belongs"
        add(ConfigValueError(problem, remedy: "write for example \(key) = [\"…\"]"), at: element.position)
        return nil
      }
      return parsed(text, at: element.position, parse)
    }
  }

  /// A string that `parse` understands, or a table that `read` does, which logs its errors.
  public func value<Value>(
    _ key: String, parse: (String) throws(ConfigValueError) -> Value, table read: (ConfigTable) -> Value?
  ) -> Value? {
    guard case .table? = entry(key)?.node.value else { return value(key, parse: parse) }
    return read(table(key))
  }

  /// An array of such values; wrong elements are logged at their places and skipped.
  public func values<Value>(
    _ key: String, parse: (String) throws(ConfigValueError) -> Value, table read: (ConfigTable) -> Value?
  ) -> [Value]? {
    guard let entry = entry(key) else { return nil }
    guard case .array(let elements) = entry.node.value else {
      refuse(entry, expected: "an array", example: "\(key) = [\"…\"]")
      return nil
    }
    return elements.compactMap { element in
      if let table = table(element, of: key) { return read(table) }
      guard case .string(let text) = element.value else {
        let problem = "\(key) holds \(element.value.kind) where a string or a table belongs"
        add(ConfigValueError(problem, remedy: "write for example \(key) = [\"…\"]"), at: element.position)
        return nil
      }
      return parsed(text, at: element.position, parse)
    }
  }

  /// One of an enumeration's raw values.
  public func choice<Choice>(_ key: String, as type: Choice.Type = Choice.self) -> Choice?
  where Choice: RawRepresentable<String> & CaseIterable {
    value(key) { text throws(ConfigValueError) in try parseChoice(text, key: key) }
  }

  /// An array of an enumeration's raw values.
  public func choices<Choice>(_ key: String, as type: Choice.Type = Choice.self) -> [Choice]?
  where Choice: RawRepresentable<String> & CaseIterable {
    values(key) { text throws(ConfigValueError) in try parseChoice(text, key: key) }
  }

  private func parsed<Value>(
    _ text: String, at position: ConfigPosition, _ parse: (String) throws(ConfigValueError) -> Value
  ) -> Value? {
    do {
      return try parse(text)
    } catch {
      add(error, at: position)
      return nil
    }
  }
}

private func parseChoice<Choice>(_ text: String, key: String) throws(ConfigValueError) -> Choice
where Choice: RawRepresentable<String> & CaseIterable {
  if let choice = Choice(rawValue: text) { return choice }
  let known = Choice.allCases.map(\.rawValue)
  if let suggestion = closestMatch(to: text, among: known) {
    throw ConfigValueError("\(key) cannot be \"\(text)\"", remedy: "did you mean \"\(suggestion)\"?")
  }
  throw ConfigValueError("\(key) cannot be \"\(text)\"", remedy: "it is one of \(known.joined(separator: ", "))")
}

extension ConfigValue {
  /// The number in the range that was meant by one in quotes, or with a fraction.
  fileprivate func nearest(in range: ClosedRange<Double>) -> Double? {
    let meant: Double? =
      switch self {
      case .string(let text): Double(text)
      case .number(let number): number
      case .integer, .boolean, .dateTime, .array, .table: nil
      }
    guard let meant, meant.isFinite else { return nil }
    return min(max(meant, range.lowerBound), range.upperBound)
  }
}

extension ClosedRange<Int> {
  fileprivate var doubles: ClosedRange<Double> { Double(lowerBound)...Double(upperBound) }
}
