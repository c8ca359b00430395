/// Writes a duration as policies do, such as `1h30m` or `500ms`.
func durationText(_ duration: Duration) -> String {
  let (seconds, attoseconds) = duration.components
  var rest = seconds * 1_000 + attoseconds / 1_000_000_000_000_000
  var text = ""
  for (unit, milliseconds) in [("d", 86_400_000), ("h", 3_600_000), ("m", 60_000), ("s", 1_000), ("ms", 1)]
    as [(_, Int64)]
  where rest >= milliseconds {
    text += "\(rest / milliseconds)\(unit)"
    rest %= milliseconds
  }
  return text.isEmpty ? "0s" : text
}
