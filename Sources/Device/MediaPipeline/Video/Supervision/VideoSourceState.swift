/// What outlives a run of the video thread.
struct VideoSourceState: Hashable, Sendable {
  /// The camera in use, as an index.
  var selected = 0
  /// Once `auto` has taken a camera it waits for cameras and shows no test bars any more.
  var hasTakenCamera = false
  /// The camera that `auto` took last.
  var preferred: String?
  /// The camera that `auto` opened in vain.
  var avoided: String?
}
