"""One recorded file, as ffprobe and ffmpeg see it."""
import json
import subprocess


class Recording:
    def __init__(self, path):
        self.path = path
        probe = self._run("ffprobe", "-v", "warning", "-show_streams", "-show_format", "-of", "json")
        self.warnings = probe.stderr.decode(errors="replace").strip()
        description = json.loads(probe.stdout or "{}")
        self.streams = {stream["codec_type"]: stream for stream in description.get("streams", [])}
        self.duration = float(description.get("format", {}).get("duration", 0))

    def identification_problems(self):
        """What mkvmerge has to say against the file; empty if all is well."""
        answer = subprocess.run(["mkvmerge", "-J", str(self.path)], capture_output=True, timeout=60).stdout
        told = json.loads(answer or "{}")
        container = told.get("container", {})
        known = container.get("supported") and container.get("type") == "Matroska"
        return told.get("errors", []) + told.get("warnings", []) + ([] if known else [f"not a WebM file: {container}"])

    def _run(self, *command):
        return subprocess.run([*command, "-i", str(self.path)], capture_output=True, timeout=120)

    def decoding_errors(self):
        """What ffmpeg says when it decodes everything; empty if all is well."""
        # Every picture at its own time, as a player shows them.
        timing = ["-fps_mode", "passthrough", "-enc_time_base", "-1"]
        command = ["ffmpeg", "-v", "warning", "-i", str(self.path), *timing, "-f", "null", "-"]
        return subprocess.run(command, capture_output=True, timeout=300).stderr.decode(errors="replace").strip()

    def times(self, kind):
        """The timestamps of the packets of `audio` or `video`, in seconds."""
        entries = ["-v", "error", "-select_streams", kind[0], "-show_entries", "packet=pts_time", "-of", "json"]
        packets = json.loads(self._run("ffprobe", *entries).stdout or "{}").get("packets", [])
        return [float(packet["pts_time"]) for packet in packets]

    def pictures(self, width, height):
        """One decoded picture a second, as I420."""
        return self._decoded(width, height, "-vf", "fps=1")

    def every_picture(self, width, height):
        """As many as there are timestamps."""
        return self._decoded(width, height, "-fps_mode", "passthrough")

    def _decoded(self, width, height, *options):
        command = ["ffmpeg", "-v", "error", "-i", str(self.path), "-map", "0:v:0", *options, "-pix_fmt", "yuv420p"]
        data = subprocess.run([*command, "-f", "rawvideo", "-"], check=True, capture_output=True, timeout=120).stdout
        size = width * height * 3 // 2
        return [data[start : start + size] for start in range(0, len(data) - size + 1, size)]


def steps(times):
    """The times from each packet to the next."""
    return [after - before for before, after in zip(times, times[1:])]


def missing_share(times, rate):
    """The part of the pictures that is missing between the first and the last, at `rate` a second."""
    expected = (times[-1] - times[0]) * rate + 1
    return max(0.0, 1 - len(times) / expected)
