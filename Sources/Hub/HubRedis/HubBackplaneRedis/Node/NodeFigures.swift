/// What a node says of itself to whoever asks how the hub is.
struct NodeFigures: Codable {
  var eventStreams: Int
  var presentUsers: Int
}
