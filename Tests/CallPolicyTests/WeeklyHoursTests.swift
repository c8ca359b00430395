import CallPolicy
import Testing

@Suite("Weekly hours")
struct WeeklyHoursTests {
  private func time(_ weekday: Weekday, _ hour: Int, _ minute: Int, isClockTrusted: Bool = true) -> LocalTime {
    LocalTime(weekday: weekday, minuteOfDay: hour * 60 + minute, isClockTrusted: isClockTrusted)
  }

  @Test("the start belongs to the hours, the end does not")
  func edges() throws {
    let hours = try #require(WeeklyHours("Mon-Fri 07:00-19:00 Europe/Berlin"))
    #expect(hours.timeZone == .named("Europe/Berlin"))
    #expect(!hours.contains(time(.monday, 6, 59)))
    #expect(hours.contains(time(.monday, 7, 0)))
    #expect(hours.contains(time(.friday, 18, 59)))
    #expect(!hours.contains(time(.friday, 19, 0)))
    #expect(!hours.contains(time(.saturday, 12, 0)))
  }

  @Test("hours past midnight belong to the day on which they begin")
  func overnight() throws {
    let hours = try #require(WeeklyHours("Sun,Wed 22:00-06:00"))
    #expect(hours.timeZone == .system)
    #expect(hours.contains(time(.sunday, 22, 0)))
    #expect(hours.contains(time(.monday, 5, 59)))
    #expect(!hours.contains(time(.monday, 6, 0)))
    #expect(!hours.contains(time(.monday, 23, 0)))
    #expect(!hours.contains(time(.sunday, 5, 0)))
  }

  @Test("days may wrap around the week, and a day may end at 24:00")
  func wrapping() throws {
    let hours = try #require(WeeklyHours("Sat-Mon 00:00-24:00"))
    #expect(hours.days == [.saturday, .sunday, .monday])
    #expect(hours.contains(time(.sunday, 23, 59)))
    #expect(!hours.contains(time(.tuesday, 0, 0)))
    #expect(try #require(WeeklyHours("daily 00:00-24:00")).days.count == 7)
  }

  @Test(
    "what is not understood is refused",
    arguments: [
      "", "Mon", "Mon-Fri", "07:00-19:00", "mon 07:00-19:00", "Mon 7:00-19:00", "Mon 07:00-24:01", "Mon 07:60-08:00",
      "Mon 07:00-07:00", "Mon 24:00-01:00", "Mon 07:00", "Mon, 07:00-08:00", "Mon-Tue-Wed 07:00-08:00",
      "Mon 07:00-08:00 UTC extra", "Mon 07:00–19:00", "Mon +7:00-08:00",
    ])
  func refused(text: String) { #expect(WeeklyHours(text) == nil) }

  @Test("a rule with hours looks at its own zone and never trusts an unsynchronised clock")
  func condition() throws {
    let hours = try #require(WeeklyHours("daily 08:00-09:00 Asia/Tokyo"))
    let rule = try PolicyRule(name: "r", conditions: [.hours([hours])], decision: .answer(AnswerSettings()))
    let policy = CallPolicy(rules: [rule])
    #expect(policy.timeZones == [.named("Asia/Tokyo")])
    let request = CallRequest(callerID: "u", callerRole: .user, isAudio: true, isVideo: false)
    func reason(_ times: [PolicyTimeZone: LocalTime]) -> String {
      policy.evaluate(request, in: CallCircumstances(localTimes: times)).traces[0].reasons.joined()
    }
    #expect(reason([hours.timeZone: time(.monday, 8, 5)]) == "Mon 08:05 is within daily 08:00-09:00 Asia/Tokyo")
    #expect(reason([hours.timeZone: time(.monday, 9, 0)]) == "Mon 09:00 is outside daily 08:00-09:00 Asia/Tokyo")
    let untrusted = time(.monday, 8, 5, isClockTrusted: false)
    #expect(reason([hours.timeZone: untrusted]) == "the clock is not synchronised")
    #expect(reason([.system: time(.monday, 8, 5)]).contains("unknown"))
  }
}
