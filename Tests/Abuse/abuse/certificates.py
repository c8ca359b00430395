"""An authority of the tests' own, and certificates that it, or nobody, stands behind."""
import datetime
import subprocess

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

DAY = datetime.timedelta(days=1)
#: For values that nobody reads.
UNKNOWN_EXTENSION = x509.ObjectIdentifier("1.3.6.1.4.1.55555.1")


class Signer:
    """A name with a key; signs itself when nobody else does."""

    def __init__(self, name, issuer=None, *, is_authority=True, hosts=(), age=1, days=30, ballast=0):
        """The certificate has been valid for `age` days, and is for `days` more; `ballast` is a number of octets in it."""
        self.key = ec.generate_private_key(ec.SECP256R1())
        self.issuer = issuer
        now, self._name = datetime.datetime.now(datetime.timezone.utc), _named(name)
        builder = (x509.CertificateBuilder().subject_name(self._name).issuer_name(issuer._name if issuer else self._name)
                   .public_key(self.key.public_key()).serial_number(x509.random_serial_number())
                   .not_valid_before(now - age * DAY).not_valid_after(now + days * DAY)
                   .add_extension(x509.BasicConstraints(is_authority, None), critical=True))
        if hosts:
            builder = builder.add_extension(x509.SubjectAlternativeName([x509.DNSName(host) for host in hosts]), False)
        if ballast:
            builder = builder.add_extension(x509.UnrecognizedExtension(UNKNOWN_EXTENSION, bytes(ballast)), False)
        self.certificate = builder.sign(issuer.key if issuer else self.key, hashes.SHA256())

    def write(self, folder, name, more=()):
        """Writes a PEM file of the certificate, those of its issuers without the first, `more`, and the key; returns its path."""
        chain, signer = [], self
        while signer and (signer.issuer or signer is self):
            chain.append(signer.certificate)
            signer = signer.issuer
        path = folder / f"{name}.pem"
        key = self.key.private_bytes(
            serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption())
        path.write_bytes(b"".join(one.public_bytes(serialization.Encoding.PEM) for one in [*chain, *more]) + key)
        return path


def trusted_folder(folder, authority):
    """A folder as SSL_CERT_DIR names it, with one authority."""
    folder.mkdir()
    (folder / "authority.pem").write_bytes(authority.certificate.public_bytes(serialization.Encoding.PEM))
    subprocess.run(["openssl", "rehash", folder], check=True)
    return folder


def _named(name):
    return x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, name)])
