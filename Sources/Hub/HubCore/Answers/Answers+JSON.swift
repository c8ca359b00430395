public import Signalling

extension NearbyUsers: JSONWritable {
  public func write(to text: inout JSONText) {
    text.object {
      $0.member("count", count)
      $0.list("items", items) { text, user in user.write(to: &text) }
    }
  }
}

extension NearbyUser: JSONWritable {
  public func write(to text: inout JSONText) {
    text.object {
      $0.member("distance", distance)
      $0.member("isAudio", isAudio)
      $0.member("isVideo", isVideo)
      $0.member("kind", kind.rawValue)
      $0.member("permits", permits)
      $0.member("positionAge", positionAge)
      $0.member("status", status.rawValue)
      $0.member("userID", userID)
      if let userLocation { $0.member("userLocation", userLocation.write(members:)) }
      $0.member("userTitle", userTitle)
    }
  }
}

extension UserLocation {
  fileprivate func write(members: inout JSONText) {
    members.member("horizontalAccuracy", horizontalAccuracy)
    members.member("latitude", latitude)
    members.member("longitude", longitude)
  }
}

extension LoginResponse: JSONWritable {
  public func write(to text: inout JSONText) {
    text.object {
      $0.member("accessToken", accessToken)
      $0.member("clientToken", clientToken)
      $0.member("expiresAt", expiresAt)
      $0.member("expiresIn", expiresIn)
      $0.member("role", role)
      $0.member("userID", userID)
      $0.member("userTitle", userTitle)
    }
  }
}
