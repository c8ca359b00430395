import DigitalIO
import Glibc
import MediaCore
import Testing

@Suite struct GPIOChipTests {
  private func failure(opening name: String) -> GPIOError? {
    do throws(GPIOError) {
      _ = try GPIOChip(name)
      return nil
    } catch {
      return error
    }
  }

  @Test func aMissingPathIsNamed() throws {
    let error = try #require(failure(opening: "/dev/gpiochip-none"))
    #expect(error.cause == .system(call: "open", errno: ENOENT))
    #expect(error.isChipGone)
    #expect("\(error)".contains("/dev/gpiochip-none"))
  }

  @Test func anUnknownLabelTellsWhichChipsAreThere() throws {
    let error = try #require(failure(opening: "no-such-label"))
    guard case .noSuchChip = error.cause else {
      Issue.record("\(error)")
      return
    }
    #expect(error.isChipGone)
  }

  @Test func whatIsNoChipIsRefused() throws {
    let error = try #require(failure(opening: "/dev/null"))
    #expect(error.cause == .notAChip)
  }

  @Test func errorsNameLineConsumerAndRemedy() {
    let busy = GPIOError(.busy(consumer: "lights"), chip: "gpiochip0", line: .name("DOOR"))
    #expect(
      "\(busy)" == "GPIO chip gpiochip0, line \"DOOR\": it is in use by \"lights\"; end that, or take another line")
    let denied = GPIOError(.system(call: "open", errno: EACCES), chip: "gpiochip0")
    #expect("\(denied)".contains("gpio"))
  }
}

/// On a machine with gpio-sim, whose chip and sysfs folder `GPIO_SIM_CHIP` and `GPIO_SIM_FOLDER` name.
@Suite(.enabled(if: getenv("GPIO_SIM_CHIP") != nil), .serialized) struct GPIOSimulatedChipTests {
  private let chip = getenv("GPIO_SIM_CHIP").map { String(cString: $0) } ?? ""
  private let folder = getenv("GPIO_SIM_FOLDER").map { String(cString: $0) } ?? ""

  private func level(_ line: Int) -> String {
    guard let file = fopen("\(folder)/sim_gpio\(line)/value", "r") else { return "" }
    defer { fclose(file) }
    return String(UnicodeScalar(UInt8(clamping: getc(file))))
  }

  private func pull(_ line: Int, up: Bool) {
    guard let file = fopen("\(folder)/sim_gpio\(line)/pull", "w") else { return }
    fputs(up ? "pull-up" : "pull-down", file)
    fclose(file)
  }

  @Test func anOutputHasTheLevelThatItIsSetTo() throws {
    let output = try GPIOChip(chip).output(
      .offset(0), GPIOOutputSettings(isActiveLow: true), consumer: "test")
    #expect(level(0) == "1")
    try output.set(isActive: true)
    #expect(level(0) == "0")
    try output.set(isActive: false)
    #expect(level(0) == "1")
  }

  @Test func aLineInUseNamesItsConsumer() throws {
    let output = try GPIOChip(chip).output(.offset(0), consumer: "first")
    #expect(throws: GPIOError(.busy(consumer: "first"), chip: chip, line: .offset(0))) {
      _ = try GPIOChip(chip).output(.offset(0), consumer: "second")
    }
    try output.set(isActive: false)
  }

  @Test func anInputTellsItsEdgesInOrder() throws {
    pull(1, up: false)
    let input = try GPIOChip(chip).input(.offset(1), consumer: "test")
    #expect(try input.popEdge() == nil)
    pull(1, up: true)
    pull(1, up: false)
    #expect(try input.waitForEdge(within: .seconds(2)))
    #expect(try input.popEdge()?.isRising == true)
    #expect(try input.waitForEdge(within: .seconds(2)))
    let second = try #require(try input.popEdge())
    #expect(!second.isRising && second.number == 2)
    #expect(try input.waitForEdge(within: .milliseconds(10)) == false)
  }
}
