"""The only source of randomness: generators seeded by a number and a purpose."""

import hashlib
import random
import struct


def generator(seed: int, *purpose: str) -> random.Random:
    """Return a random generator that depends only on the seed and the purpose.

    Example:
        >>> generator(1, "splits").random() == generator(1, "splits").random()
        True
    """
    text = "\x1f".join([str(seed), *purpose])
    digest = hashlib.sha256(text.encode("utf-8")).digest()
    return random.Random(int.from_bytes(digest[:16], "big"))


def order(seed: int, purpose: str, size: int) -> list[int]:
    """Return a random permutation of `range(size)` that depends only on the size, the seed and the purpose.

    Example:
        >>> sorted(order(1, "keywords", 4))
        [0, 1, 2, 3]
    """
    drawn = struct.unpack(f"<{size}Q", hashlib.shake_128(f"{seed}\x1f{purpose}".encode()).digest(8 * size))
    return sorted(range(size), key=drawn.__getitem__)
