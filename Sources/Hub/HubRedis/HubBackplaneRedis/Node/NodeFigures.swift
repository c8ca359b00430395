/// What a node reports of itself for the hub's status.
struct NodeFigures: Codable {
  var eventStreams: Int
  var presentUsers: Int
}
