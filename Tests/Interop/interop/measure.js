// Instruments that a test puts into the page: the marks of a <video>'s pictures, the samples of a stream's sound.

window.interop = {
  /**
   * Reads the mark (see pattern.py) of each decoded picture of the stream that `video` shows, as 64 characters.
   *
   * The decoder's pictures, not the compositor's: a busy machine composes fewer than it decodes.
   */
  readMarks(video) {
    const track = video.srcObject.getVideoTracks()[0].clone();
    const reader = { marks: [], times: [], shownBefore: shown(video), track };
    readTrack(reader);
    return reader;
  },

  /**
   * Ends the reading: `{marks, times, shown}`, where `times` tells when each picture came (of `performance.now()`) and
   * `shown` counts the pictures that `video` showed meanwhile.
   */
  endReading({ track, marks, times, shownBefore }, video) {
    track.stop();
    return { marks, times, shown: shown(video) - shownBefore };
  },

  /** Shows a file of this site, fetched as a whole, in a <video> of its own. */
  async openFile(name) {
    const file = await (await fetch(name)).blob();
    const video = document.createElement("video");
    video.src = URL.createObjectURL(file);
    document.body.replaceChildren(video);
    await happens(video, "canplaythrough");
    return video;
  },

  /** Goes to `seconds` and tells which picture is there, then plays for a while: `[{time, mark}, …]`, the first paused. */
  async playFrom(video, seconds, duration) {
    video.pause();
    const [seeked, picture] = [happens(video, "seeked"), nextPicture(video)];
    video.currentTime = seconds;
    await Promise.all([seeked, picture]);
    const seen = [{ ...shownMark(video), time: seconds }];
    const end = Math.min(seconds + duration, video.duration - 0.1);
    await video.play();
    while (video.currentTime < end && (await nextPicture(video))) seen.push(shownMark(video));
    video.pause();
    return seen;
  },

  /** Samples of a stream's sound after `seconds`: `{rate, samples}`. */
  async record(stream, seconds) {
    const context = new AudioContext();
    const source = context.createMediaStreamSource(new MediaStream(stream.getAudioTracks()));
    const analyser = new AnalyserNode(context, { fftSize: 32768 });
    source.connect(analyser);
    await new Promise((resolve) => setTimeout(resolve, seconds * 1000));
    const samples = new Float32Array(analyser.fftSize);
    analyser.getFloatTimeDomainData(samples);
    const { sampleRate: rate } = context;
    await context.close();
    return { rate, samples: Array.from(samples) };
  },
};

function happens(target, name) {
  return new Promise((resolve, reject) => {
    target.addEventListener(name, resolve, { once: true });
    target.addEventListener("error", () => reject(new Error(target.error.message)), { once: true });
  });
}

/** Whether `video` shows a new picture within two seconds. */
function nextPicture(video) {
  return new Promise((resolve) => {
    setTimeout(resolve, 2000, false);
    video.requestVideoFrameCallback(() => resolve(true));
  });
}

/** What `video` shows now, and its own time: a busy machine may have gone on since it told of a picture. */
function shownMark(video) {
  const { videoWidth: width, videoHeight: height } = video;
  const top = Math.floor((2 * height) / 16);
  const context = new OffscreenCanvas(width, top).getContext("2d", { willReadFrequently: true });
  const picture = new VideoFrame(video);
  context.drawImage(picture, 0, 0);
  const time = picture.timestamp / 1e6;
  picture.close();
  return { time, mark: mark(context.getImageData(0, 0, width, top).data, width, height) };
}

function shown(video) {
  return video.getVideoPlaybackQuality().totalVideoFrames;
}

/** Reads until the track is stopped; each picture has to be closed, also the last ones. */
async function readTrack({ track, marks, times }) {
  const pictures = new MediaStreamTrackProcessor({ track, maxBufferSize: 60 }).readable.getReader();
  const canvas = new OffscreenCanvas(1, 1);
  const context = canvas.getContext("2d", { willReadFrequently: true });
  for (;;) {
    const { done, value: picture } = await pictures.read();
    if (done) break;
    times.push(performance.now());
    const { displayWidth: width, displayHeight: height } = picture;
    const top = Math.floor((2 * height) / 16);
    if (canvas.width !== width) [canvas.width, canvas.height] = [width, top];
    context.drawImage(picture, 0, 0);
    picture.close();
    marks.push(mark(context.getImageData(0, 0, width, top).data, width, height));
  }
}

function mark(pixels, width, height) {
  let bits = "";
  for (let row = 0; row < 2; row += 1) {
    const [top, bottom] = middleHalf((row * height) / 16, ((row + 1) * height) / 16);
    for (let column = 0; column < 32; column += 1) {
      const [left, right] = middleHalf((column * width) / 32, ((column + 1) * width) / 32);
      let sum = 0;
      for (let y = top; y < bottom; y += 1) {
        for (let x = left; x < right; x += 1) sum += pixels[4 * (y * width + x) + 1];
      }
      bits += sum >= 128 * (bottom - top) * (right - left) ? "1" : "0";
    }
  }
  return bits;
}

function middleHalf(start, end) {
  const [first, last] = [Math.floor(start), Math.floor(end)];
  const margin = Math.floor((last - first) / 4);
  return [first + margin, last - margin];
}
