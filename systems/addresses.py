"""Which addresses a business system may have: checked when the file is read, and again on the address connected to."""

import ipaddress
import re
from dataclasses import dataclass
from urllib.parse import SplitResult, urlsplit

_LABEL = re.compile(r"(?!-)[a-z0-9-]{1,63}(?<!-)", re.ASCII)
_PATH = re.compile(r"(?:/[A-Za-z0-9._~-]+)*", re.ASCII)
_DEFAULT_PORTS = {"https": 443, "http": 80}
_INSIDE = ("localhost", "local", "internal", "intranet", "lan", "home.arpa")
_NAT64 = ipaddress.ip_network("64:ff9b::/96")
_PRIVATE = tuple(
    ipaddress.ip_network(network)
    for network in (
        "10.0.0.0/8",
        "172.16.0.0/12",
        "192.168.0.0/16",
        "100.64.0.0/10",
        "127.0.0.0/8",
        "fc00::/7",
        "::1/128",
    )
)

# Where clouds keep credentials outside of link-local: never a business system, also where private ones are allowed.
_METADATA = frozenset(
    ipaddress.ip_address(text)
    for text in ("100.100.100.200", "168.63.129.16", "192.0.0.192", "fd00:ec2::254", "fd20:ce::254")
)

IP = ipaddress.IPv4Address | ipaddress.IPv6Address


class UnsafeAddress(ValueError):
    """The address may not be used; the text is a sentence."""


@dataclass(frozen=True)
class BaseAddress:
    """Where a system lives: `url` has no trailing slash; `host` is lower-case, without brackets; `prefix` is a path."""

    url: str
    scheme: str
    host: str
    port: int
    prefix: str

    @property
    def origin(self) -> tuple[str, str, int]:
        return (self.scheme, self.host, self.port)


def base_address(url: str, *, hosts: frozenset[str], allow_private: bool) -> BaseAddress:
    """The parsed base address; UnsafeAddress unless it is plainly one of the allowed hosts and nothing else."""
    parts = urlsplit(_printable(url))
    if parts.scheme not in {"https", "http"}:
        raise UnsafeAddress("the address must begin with https:// (or http:// with allow_private).")
    if "@" in parts.netloc or "?" in url or "#" in url or "\\" in url:
        raise UnsafeAddress("the address may hold a scheme, a host, a port and a path, nothing else.")
    host = checked_host(parts.hostname or "", allow_private=allow_private)
    if host not in hosts:
        raise UnsafeAddress(f"{host} is not in the list of hosts.")
    if parts.scheme == "http" and not allow_private:
        raise UnsafeAddress("plain http is only for private addresses, with allow_private: true.")
    prefix = parts.path.rstrip("/")
    if not _PATH.fullmatch(prefix) or {".", ".."} & set(prefix.split("/")):
        raise UnsafeAddress("the path of the address is not plain.")
    port = _port(parts)
    return BaseAddress(_rebuilt(parts.scheme, host, port) + prefix, parts.scheme, host, port, prefix)


def checked_host(host: str, *, allow_private: bool) -> str:
    """The host in lower case: a canonical IP address that may be used, or a plain name."""
    host = host.lower()
    try:
        return str(checked_ip(host, allow_private=allow_private))
    except ValueError as error:
        if isinstance(error, UnsafeAddress):
            raise
    labels = host.removesuffix(".").split(".")
    if len(host) > 253 or not all(_LABEL.fullmatch(label) for label in labels):
        raise UnsafeAddress(f"“{host[:80]}” is not a host name.")
    if labels[-1].isdigit() or labels[-1].startswith("0x"):
        raise UnsafeAddress(f"“{host[:80]}” is a number in disguise; write an address in its usual form.")
    if not allow_private and (len(labels) == 1 or any(host == n or host.endswith("." + n) for n in _INSIDE)):
        raise UnsafeAddress(f"{host} is a private name; it needs allow_private: true.")
    return host


def checked_ip(text: str, *, allow_private: bool) -> IP:
    """The address, when it may be connected to; UnsafeAddress otherwise, ValueError when it is no IP address.

    Only global unicast addresses are allowed, and with `allow_private` the private ranges and loopback: never
    link-local (where clouds keep credentials), multicast or reserved ones, also when they hide inside IPv6.
    """
    address = ipaddress.ip_address(text)
    meant = _meant(address)
    if meant in _METADATA:
        raise UnsafeAddress(f"{address} is where a cloud keeps its credentials.")
    if any(meant in network for network in _PRIVATE if network.version == meant.version):
        if not allow_private:
            raise UnsafeAddress(f"{address} is a private address; it needs allow_private: true.")
    elif not meant.is_global or meant.is_multicast:
        raise UnsafeAddress(f"{address} is not an address that a business system may have.")
    return address


def _meant(address: IP) -> IP:
    """The IPv4 address that an IPv6 one stands for (mapped, 6to4, NAT64), or the address itself."""
    if not isinstance(address, ipaddress.IPv6Address):
        return address
    if address in _NAT64:
        return ipaddress.IPv4Address(int(address) & 0xFFFFFFFF)
    return address.ipv4_mapped or address.sixtofour or address


def _printable(url: str) -> str:
    if not url.isascii() or not url.isprintable() or " " in url or len(url) > 500:
        raise UnsafeAddress("the address must be plain ASCII without spaces; write a foreign name in its xn-- form.")
    return url


def _port(parts: SplitResult) -> int:
    try:
        return parts.port or _DEFAULT_PORTS[parts.scheme]
    except ValueError as error:
        raise UnsafeAddress("the port is not a number between 1 and 65535.") from error


def _rebuilt(scheme: str, host: str, port: int) -> str:
    shown = f"[{host}]" if ":" in host else host
    return f"{scheme}://{shown}" if port == _DEFAULT_PORTS[scheme] else f"{scheme}://{shown}:{port}"
