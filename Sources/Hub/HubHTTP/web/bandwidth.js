// What an offer says of the rate that this side wants to receive (RFC 8866 §5.8, RFC 3890).

/** An offer that asks for no more than so many bits a second of video; it stays as it is where that is null. */
export function withVideoBandwidth(sdp, bitsPerSecond) {
  if (bitsPerSecond == null) return sdp;
  const lines = `b=AS:${Math.ceil(bitsPerSecond / 1_000)}\r\nb=TIAS:${bitsPerSecond}\r\n`;
  // The lines of a description have an order: `b=` stands behind `c=`, before all attributes.
  return sdp.replace(/(^m=video [^\r\n]*\r\n(?:[ic]=[^\r\n]*\r\n)*)(?:b=[^\r\n]*\r\n)*/gm, `$1${lines}`);
}
