/// Monotonic time, always handed in.
public typealias Instant = ContinuousClock.Instant
