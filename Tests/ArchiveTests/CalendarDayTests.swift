import Testing

@testable import Archive

@Suite struct CalendarDayTests {
  @Test(
    arguments: [
      (0, "1970/01/01"), (86_399_999, "1970/01/01"), (86_400_000, "1970/01/02"), (951_782_400_000, "2000/02/29"),
      (1_795_219_200_000, "2026/11/21"), (4_107_542_399_999, "2100/02/28"), (4_107_542_400_000, "2100/03/01"),
      (-1, "1969/12/31"),
    ] as [(Int64, String)]) func dayOfAnInstant(milliseconds: Int64, expected: String)
  {
    let day = CalendarDay(milliseconds: milliseconds)
    #expect(day.components.joined(separator: "/") == expected)
    #expect(CalendarDay(components: day.components) == day)
  }

  @Test func anyTimeHasADay() {
    #expect(CalendarDay(milliseconds: .min).year < 0)
    #expect(CalendarDay(milliseconds: .max).year > 0)
  }

  @Test func otherFoldersAreNoDays() {
    #expect(CalendarDay(components: ["2026", "1", "02"]) == nil)
    #expect(CalendarDay(components: ["2026", "+1", "02"]) == nil)
    #expect(CalendarDay(components: ["2026", "01"]) == nil)
  }
}
