/// What is monitored in the machine itself, and the threshold that makes it an event.
public enum HardwareCondition: Hashable, Sendable {
  case temperature(TemperatureLimit)
  /// No supply from outside feeds the device.
  ///
  /// - Parameter supply: the name of the one that counts; nil for all.
  case mainsLost(supply: String?)
  case batteryLow(BatteryLimit)
  /// The supply's voltage is too low.
  case underVoltage
}

/// How hot it may be.
public struct TemperatureLimit: Hashable, Sendable {
  /// A sensor's name; nil is the hottest of the processor's.
  public var sensor: String?
  /// Degrees Celsius.
  public var threshold: Double
  /// Kelvin below the threshold, at which it is over.
  public var hysteresis: Double

  public init(sensor: String? = nil, threshold: Double, hysteresis: Double) {
    self.sensor = sensor
    self.threshold = threshold
    self.hysteresis = hysteresis
  }
}

/// How empty a battery may be.
public struct BatteryLimit: Hashable, Sendable {
  /// The battery's name; nil is the fullest of the device's own.
  public var supply: String?
  /// Per cent of its capacity: low when this much or less is left.
  public var threshold: Double

  public init(supply: String? = nil, threshold: Double) {
    self.supply = supply
    self.threshold = threshold
  }
}

/// A sample of the machine's state.
public enum HardwareReading: Hashable, Sendable {
  /// Degrees Celsius, or per cent of what a battery can hold.
  case value(Double)
  /// Whether the mains are lost, or the voltage is too low.
  case state(Bool)
}
