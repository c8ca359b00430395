import CongestionControl
import MediaCore
import RTP

extension PeerSession {
  /// Follows what is agreed for the streams: senders and receivers are made, stop and resume.
  ///
  /// They live as long as the session, so that sources, sequence numbers and timestamps go on: with the same keys no
  /// number of a source may serve twice (RFC 3711 §9.1).
  func followStreams(_ streams: NegotiatedStreams, now: MonotonicInstant) {
    negotiated = streams
    let making = StreamFactory(streams: streams, sources: negotiation.sources, crypto: dependencies.crypto)
    if output.sendController.rate.feedback != streams.rateFeedback {
      output.sendController.rate = making.makeRateEstimator(configuration)
    }
    if transportFeedback == nil, streams.transportSequenceID != nil { transportFeedback = .init() }
    if receiveRate == nil { receiveRate = making.makeReceiveEstimator(configuration) }
    followAudio(making)
    followVideo(making, now: now)
  }

  private func followAudio(_ making: StreamFactory) {
    if negotiated.audio?.receives != true { audioReceiver?.noteGoodbye() }
    guard let stream = negotiated.audio, stream.sends else { return }
    if audioSender == nil {
      audioSender = making.makeAudioSender(stream)
    } else {
      audioSender?.extensions = stream.extensionBlock
    }
  }

  private func followVideo(_ making: StreamFactory, now: MonotonicInstant) {
    if negotiated.video?.receives != true { videoReceiver?.noteGoodbye() }
    if let ssrc = negotiated.video?.remoteRTXSSRC { rtxSSRC = SSRC(ssrc) }
    guard let stream = negotiated.video, stream.sends else {
      videoSender?.stop()
      probe = nil
      return
    }
    if videoSender == nil {
      videoSender = making.makeVideoSender(stream)
    } else if videoSender?.resume(extensions: stream.extensionBlock) == false {
      return
    }
    if phase == .connected { requestLocalKeyFrame(now: now) }
  }
}
