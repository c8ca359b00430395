"""How long parts of the image stay broken when packets are lost: recordings of livesessionsd and vpxenc, decoded with
and without loss.

usage: Benchmarks/run --loss [--share 0.05] RECORDING…

The recording's frames are cut into packets, some of which are lost at random and not sent again. A frame that lacks a
packet is not decoded, as a receiver does, which then asks for a key frame: here the next one of the recording
answers, in a call one is made at once. A block of 16×16 is broken while its luma differs from that of the whole
stream. What a lost frame broke may only be repaired by a key frame or by blocks that are coded without prediction, so
no block may stay broken beyond the next key frame.
"""
import argparse
import pathlib

import av
import numpy

BLOCK, PACKET = 16, 1150
#: The mean difference of a block's samples that is seen.
SEEN = 3.0


def main():
    options = _options()
    failures = []
    print(f"{options.share:.0%} of packets lost, seed {options.seed}")
    for path in options.recordings:
        packets = _packets(path)
        lost = _lost(packets, options)
        durations, bound = _broken(packets, lost)
        longest = max(durations, default=0)
        print(
            f"{path.name}: {len(lost)} of {len(packets)} frames lost; "
            f"a block was broken {numpy.mean(durations or [0]):.2f} s on average, "
            f"{longest:.2f} s at most; {bound:.2f} s passed at most from a loss to the key frame that ended it")
        if longest > bound + 1e-6:
            failures.append(f"{path.name}: a block stayed broken for {longest:.2f} s, beyond the next key frame")
    if failures:
        raise SystemExit("\n".join(failures))


def _packets(path):
    with av.open(str(path)) as file:
        return [packet for packet in file.demux(video=0) if packet.size]


def _lost(packets, options):
    """The indices of the frames that lack a packet."""
    random = numpy.random.default_rng(options.seed)
    counts = [-(-packet.size // PACKET) for packet in packets]
    # The first frame is what a caller waits for.
    return {index for index, count in enumerate(counts) if index and (random.random(count) < options.share).any()}


def _broken(packets, lost):
    """Seconds of each time that a block was broken, and the longest time from a loss to the end of the next key frame
    that came.
    """
    whole, torn = (_decoder() for _ in range(2))
    since, durations, first_loss, bound, shown = None, [], None, 0.0, None
    for index, packet in enumerate(packets):
        at = float(packet.pts * packet.time_base)
        wanted = _luma(whole, packet)
        if index not in lost:
            shown = _luma(torn, packet)
            if packet.is_keyframe and first_loss is not None:
                bound, first_loss = max(bound, at - first_loss), None
        elif first_loss is None:
            first_loss = at
        if since is None:
            since = numpy.full((wanted.shape[0] // BLOCK, wanted.shape[1] // BLOCK), numpy.nan)
        broken = _difference(wanted, shown) > SEEN
        durations += list(at - since[~broken & ~numpy.isnan(since)])
        since = numpy.where(broken, numpy.where(numpy.isnan(since), at, since), numpy.nan)
    end = float(packets[-1].pts * packets[-1].time_base)
    return durations + list(end - since[~numpy.isnan(since)]), max(bound,
                                                                   end - first_loss if first_loss is not None else 0)


def _decoder():
    context = av.CodecContext.create("vp8", "r")
    context.thread_count = 1
    return context


def _luma(decoder, packet):
    """The luma that a packet shows."""
    frame = decoder.decode(av.Packet(bytes(packet)))[0]
    plane = frame.planes[0]
    return numpy.frombuffer(plane, numpy.uint8).reshape(plane.height,
                                                        plane.line_size)[:, :plane.width].astype(numpy.int16)


def _difference(one, other):
    height, width = (size // BLOCK * BLOCK for size in one.shape)
    blocks = abs(one[:height, :width] - other[:height, :width]).reshape(height // BLOCK, BLOCK, width // BLOCK, BLOCK)
    return blocks.mean((1, 3))


def _options():
    parser = argparse.ArgumentParser(prog="Benchmarks/run --loss",
                                     description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("recordings",
                        nargs="+",
                        type=pathlib.Path,
                        metavar="RECORDING",
                        help="WebM files of VP8, as --light leaves them in --out")
    parser.add_argument("--share", type=float, default=0.05, help="of packets that are lost")
    parser.add_argument("--seed", type=int, default=1)
    return parser.parse_args()


if __name__ == "__main__":
    main()
