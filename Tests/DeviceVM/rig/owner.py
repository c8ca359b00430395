"""Whoever owns recordings: the certificate that they are encrypted for, its key, and the certificate of a store."""
import subprocess

#: Of certificates, in days.
DAYS = 2


def write(folder):
    """Writes certificates and keys to a new folder. The owner's key is for the host alone."""
    folder.mkdir()
    _certificate(folder / "recordings.pem", folder / "recordings.key", "rsa:2048", "/CN=recordings")
    _certificate(folder / "elliptic.pem", folder / "elliptic.key", "ec", "/CN=elliptic")
    _certificate(folder / "store.pem", folder / "store.key", "ec", "/CN=localhost", "subjectAltName=DNS:localhost")


def _certificate(certificate, key, kind, subject, *extensions):
    command = ["openssl", "req", "-x509", "-nodes", "-newkey", kind, "-days", str(DAYS), "-subj", subject]
    command += ["-keyout", key, "-out", certificate]
    if kind == "ec":
        command += ["-pkeyopt", "ec_paramgen_curve:P-256"]
    for extension in extensions:
        command += ["-addext", extension]
    subprocess.run(command, check=True, capture_output=True)


def decrypt(message, folder):
    """What an object holds, by the key in the folder of :func:`write`; None where it is not as the device made it."""
    files = ["-in", message, "-inkey", folder / "recordings.key", "-recip", folder / "recordings.pem"]
    command = ["openssl", "cms", "-decrypt", "-binary", "-inform", "DER", *files]
    result = subprocess.run(command, capture_output=True, timeout=60)
    return result.stdout if result.returncode == 0 else None
