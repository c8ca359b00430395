import CommandSuggestions
import Testing

@Suite struct TimeExpressionTests {
  @Test("times that are relative, and what is no time")
  func relativeTimes() {
    let now: Int64 = 1_795_292_040
    func seconds(_ text: String) -> Int64? { TimeExpression(text, now: now)?.seconds }
    #expect(seconds("now") == now)
    #expect(seconds("in 2h") == now + 7_200)
    #expect(seconds("+1h30m") == now + 5_400)
    #expect(seconds("5m ago") == now - 300)
    #expect(seconds("7d") == now - 604_800)
    let (midnight, afternoon) = (seconds("today 00:00"), seconds("2026-11-26 15:00"))
    #expect(midnight != nil && seconds("today") == midnight)
    #expect(seconds("yesterday") == seconds("yesterday 00:00") && seconds("tomorrow") == seconds("tomorrow 0:00"))
    #expect(afternoon != nil && seconds("2026-11-26T15:00") == afternoon)
    #expect(seconds("2026-11-26T15:00:30") == afternoon.map { $0 + 30 })
    #expect(seconds("2026-11-26") == seconds("2026-11-26 00:00"))
    #expect(seconds("2026-11-26T15:00:00Z") == 1_795_705_200)
    #expect(seconds("2026-11-26T15:00:00+01:00") == 1_795_701_600)
    for day in ["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"] {
      #expect(seconds("\(day) 12:00").map { ((now + 1)...(now + 8 * 86_400)).contains($0) } == true)
    }
    for text in [
      "", "soon", "25:00", "12:60", "1:2", "12:00:60", "2026-11-31", "2026-11-26T", "2026-11-26T25:00", "+1:00", "2",
      "2026-11-31 20:14", "2026-13-01 20:14", "Sat", "in 2", "+-1h", "Sat 1",
    ] {
      #expect(seconds(text) == nil, "\(text)")
    }
  }
}
