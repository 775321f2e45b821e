"""Certificates that only the tests trust: good ones, expired ones, and ones for another host."""

import datetime
import ipaddress
import ssl
from dataclasses import dataclass
from pathlib import Path

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID


@dataclass(frozen=True)
class Authority:
    """A certificate authority of the tests; `file` is its certificate."""

    file: Path
    key: ec.EllipticCurvePrivateKey
    name: x509.Name

    def server(self, host: str = "127.0.0.1", *, days: int = 1) -> ssl.SSLContext:
        """A server's TLS context with a certificate for `host` that ends in `days`."""
        key = ec.generate_private_key(ec.SECP256R1())
        certificate = _certificate(_name(host), self.name, key, self.key, days=days, host=host, authority=False)
        pem = certificate.public_bytes(serialization.Encoding.PEM) + _pem(key)
        file = self.file.with_name(f"{host}-{days}.pem")
        file.write_bytes(pem)
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(file)
        return context


def make_authority(folder: Path) -> Authority:
    """A certificate authority whose certificate lies in the folder."""
    key, name = ec.generate_private_key(ec.SECP256R1()), _name("Tests")
    file = folder / "ca.pem"
    certificate = _certificate(name, name, key, key, days=1, host=None, authority=True)
    file.write_bytes(certificate.public_bytes(serialization.Encoding.PEM))
    return Authority(file, key, name)


def _certificate(
    subject: x509.Name,
    issuer: x509.Name,
    key: ec.EllipticCurvePrivateKey,
    signer: ec.EllipticCurvePrivateKey,
    *,
    days: int,
    host: str | None,
    authority: bool,
) -> x509.Certificate:
    now = datetime.datetime.now(datetime.UTC)
    builder = (
        x509.CertificateBuilder()
        .subject_name(subject)
        .issuer_name(issuer)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - datetime.timedelta(days=10))
        .not_valid_after(now + datetime.timedelta(days=days))
        .add_extension(x509.BasicConstraints(ca=authority, path_length=None), critical=True)
    )
    if host:
        try:
            other: x509.GeneralName = x509.IPAddress(ipaddress.ip_address(host))
        except ValueError:
            other = x509.DNSName(host)
        builder = builder.add_extension(x509.SubjectAlternativeName([other]), critical=False)
    return builder.sign(signer, hashes.SHA256())


def _name(text: str) -> x509.Name:
    return x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, text)])


def _pem(key: ec.EllipticCurvePrivateKey) -> bytes:
    return key.private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    )
