/// Audio or video, as policies name them.
enum PolicyMedium: String, CaseIterable {
  case audio
  case video
}
