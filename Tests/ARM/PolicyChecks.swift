import CallPolicy
import SessionToken
import Signalling

func checkPolicy() {
  let hours = WeeklyHours("Sun,Wed 22:00-06:00")
  func contains(_ weekday: Weekday, _ hour: Int, _ minute: Int) -> Bool? {
    hours?.contains(LocalTime(weekday: weekday, minuteOfDay: hour * 60 + minute, isClockTrusted: true))
  }
  expect(contains(.sunday, 22, 0) == true)
  expect(contains(.monday, 5, 59) == true)
  expect(contains(.monday, 6, 0) == false)
  expect(contains(.thursday, 0, 0) == true)
  for text in ["Mon 99999999999:00-19:00", "Mon 07:2147483648-19:00", "Mon 07:00-07:00"] {
    expect(WeeklyHours(text) == nil)
  }
}
