/// Whether a VP8 frame continues the frames decoded so far, by picture id and TL0PICIDX (RFC 7741 §4.2).
struct VideoContinuity: Sendable {
  private var pictureID: UInt16?
  private var tl0PictureIndex: UInt8?

  /// Notes a frame that was delivered.
  mutating func note(_ descriptor: VP8PayloadDescriptor) {
    pictureID = descriptor.pictureID
    tl0PictureIndex = descriptor.tl0PictureIndex
  }

  /// Whether a frame right behind, without a missing packet between, can be decoded.
  ///
  /// A jump in picture ids means that the sender skipped a frame.
  func allows(_ descriptor: VP8PayloadDescriptor) -> Bool {
    guard let pictureID, let following = descriptor.pictureID else { return true }
    let mask: UInt16 = descriptor.hasShortPictureID ? 0x7F : 0x7FFF
    return (pictureID + 1) & mask == following & mask || isNextBaseFrame(descriptor)
  }

  /// Whether a frame of the base layer follows the last base frame: frames between are not referred to.
  func isNextBaseFrame(_ descriptor: VP8PayloadDescriptor) -> Bool {
    guard let tl0PictureIndex, let following = descriptor.tl0PictureIndex else { return false }
    return descriptor.temporalLayer == 0 && following == tl0PictureIndex &+ 1
  }
}
