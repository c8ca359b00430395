import ConfigFile
import MediaCore

/// Finds lines and grabbed devices that two of a device's actions, buttons and sources of events need, of which the kernel gives them to
/// one alone.
struct InputConflicts {
  private struct Owner {
    let title: String
    /// The array of tables in the file that it stands in.
    let key: String
    let place: InputPlace
  }

  private let owners: [Owner]

  /// Actions are distinguished where they are read.
  init(_ actions: [ActionSettings], _ buttons: [ButtonSettings], _ sources: [EventSourceSettings]) {
    let lines = actions.compactMap { action in
      action.line.map { Owner(title: "action \"\(action.name)\"", key: "action", place: InputPlace($0)) }
    }
    let inputs = sources.compactMap { source -> Owner? in
      guard let place = (source.source as? InputSource)?.place else { return nil }
      return Owner(title: "event \"\(source.name)\"", key: "event", place: place)
    }
    owners = lines + buttons.map { Owner(title: "button \"\($0.name)\"", key: "button", place: $0.place) } + inputs
  }

  /// Whether each has what it needs.
  var areNone: Bool { owners.indices.allSatisfy { conflict(at: $0) == nil } }

  /// Reports each one that needs what an earlier one already has.
  func check(_ root: ConfigTable) {
    for index in owners.indices {
      guard let (other, what) = conflict(at: index) else { continue }
      root.addError(
        "\(owners[index].title) and \(other.title) both need \(what)", remedy: "remove one of them, or name another",
        at: owners[index].key)
    }
  }

  /// The first one before an owner that has what it needs, and what that is.
  private func conflict(at index: Int) -> (other: Owner, what: String)? {
    let owner = owners[index]
    guard owner.key != "action" else { return nil }
    for other in owners[..<index] {
      if let what = owner.place.conflict(with: other.place) { return (other, what) }
    }
    return nil
  }
}

extension InputPlace {
  init(_ line: ActionLine) {
    self = .line(
      InputLine(chip: line.chip, line: InputLine.Place(line.place), isActiveLow: line.isActiveLow, bias: .asIs))
  }

  /// Whether the kernel grants only one of the two; the place of both as text, or nil.
  fileprivate func conflict(with other: InputPlace) -> String? {
    switch (self, other) {
    case (.line(let mine), .line(let theirs)) where mine.chip == theirs.chip && mine.line == theirs.line:
      "the line \(mine.line.text) of \(mine.chip)"
    case (.key(let mine), .key(let theirs)) where mine.device == theirs.device && mine.isGrabbed != theirs.isGrabbed:
      "the device \(mine.device), which one of them grabs,"
    default: nil
    }
  }
}

extension InputLine.Place {
  fileprivate init(_ place: ActionLine.Place) {
    switch place {
    case .offset(let offset): self = .offset(offset)
    case .name(let name): self = .name(name)
    }
  }

  fileprivate var text: String {
    switch self {
    case .offset(let offset): "\(offset)"
    case .name(let name): "\"\(name)\""
    }
  }
}
