extension ElementID {
  // RFC 9559: what only files of several parties say.
  static let flagDefault = ElementID(rawValue: 0x88)
  static let name = ElementID(rawValue: 0x536E)
  static let language = ElementID(rawValue: 0x22B59C)
  static let title = ElementID(rawValue: 0x7BA9)
}
