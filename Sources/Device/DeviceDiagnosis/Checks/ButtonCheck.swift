import EventDetection
import ControlMessages
import DeviceConfiguration
import DigitalIO

/// Whether the buttons' keys and lines are there.
struct ButtonCheck {
  let subject: Subject

  func findings() -> [Finding] {
    let buttons = subject.configuration.buttons
    guard !buttons.isEmpty else { return [Finding(.buttons, .ok, "none is configured")] }
    return buttons.map { finding($0) }
  }

  private func finding(_ button: ButtonSettings) -> Finding {
    InputCheck(part: .buttons, name: "\"\(button.name)\"", isDaemonThere: subject.daemon.isThere).finding(button.place)
  }
}

/// Whether a key or a line is there.
struct InputCheck {
  let part: Finding.Part
  let name: String
  let isDaemonThere: Bool

  func finding(_ place: InputPlace) -> Finding {
    switch place {
    case .key(let key): return self.key(key)
    case .line(let line):
      let place: GPIOLineName =
        switch line.line {
        case .offset(let offset): .offset(offset)
        case .name(let name): .name(name)
        }
      return LineCheck(part: part, name: name, isDaemonThere: isDaemonThere).finding(line.chip, place)
    }
  }

  private func key(_ key: InputKey) -> Finding {
    let device: EvdevDevice = key.device.hasPrefix("/") ? .path(key.device) : .name(key.device)
    guard let problem = EvdevInput(device: device, codes: [key.code]).problem() else {
      return Finding(part, .ok, "\(name): the \(key.code) is at \(device)")
    }
    return Finding(part, .failure, "\(name): \(problem)")
  }
}

/// Whether a GPIO line is there, and in the right hands.
struct LineCheck {
  let part: Finding.Part
  let name: String
  let isDaemonThere: Bool

  func finding(_ chip: String, _ line: GPIOLineName) -> Finding {
    do throws(GPIOError) {
      let use = try GPIOChip(chip).use(of: line)
      return finding(use, "\(name): line \(line) of \(chip)")
    } catch {
      return Finding(part, .failure, "\(name): \(error)")
    }
  }

  func finding(_ use: GPIOLineUse, _ place: String) -> Finding {
    switch (use.isUsed, isDaemonThere) {
    case (true, true): return Finding(part, .ok, "\(place) is taken by \"\(use.consumer)\"")
    case (false, false): return Finding(part, .ok, "\(place) is there")
    case (true, false):
      return Finding(
        part, .failure, "\(place) is in use by \"\(use.consumer)\"", remedy: "end that program, or take another line")
    case (false, true):
      return Finding(
        part, .failure, "\(place) is there, but the daemon has not taken it",
        remedy: "its log says why; a changed configuration takes effect after a restart")
    }
  }
}
