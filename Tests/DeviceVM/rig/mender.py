"""A Mender artifact (format 3) without a server: one file, and the gate as the state script that decides about its commit."""
import gzip
import hashlib
import io
import json
import tarfile


def write(path, name, script):
    """`script` is the text of ArtifactCommit_Enter_00_livesessions."""
    payload = name.encode()
    header = archive([
        ("header-info", json.dumps({
            "payloads": [{"type": "note"}], "artifact_provides": {"artifact_name": name},
            "artifact_depends": {"device_type": ["test"]}}).encode()),
        ("scripts/ArtifactCommit_Enter_00_livesessions", script),
        ("headers/0000/type-info", json.dumps({"type": "note"}).encode()),
        ("headers/0000/meta-data", b""),
    ])
    version = json.dumps({"format": "mender", "version": 3}).encode()
    manifest = "".join(f"{hashlib.sha256(data).hexdigest()}  {file}\n" for file, data in (
        ("data/0000/note", payload), ("header.tar.gz", gzip.compress(header, mtime=0)), ("version", version)))
    path.write_bytes(archive([
        ("version", version), ("manifest", manifest.encode()), ("header.tar.gz", gzip.compress(header, mtime=0)),
        ("data/0000.tar.gz", gzip.compress(archive([("note", payload)]), mtime=0))]))


def archive(files):
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w", format=tarfile.GNU_FORMAT) as tar:
        for name, data in files:
            entry = tarfile.TarInfo(name)
            entry.size = len(data)
            entry.mode = 0o755 if name.startswith("scripts/") else 0o644
            tar.addfile(entry, io.BytesIO(data))
    return buffer.getvalue()
