"""Seeded randomness: the same generator, forks and draws as src/base/random.ts, value for value."""

MASK = 0xFFFFFFFF


def _hash_label(label, start):
    """32-bit FNV-1a over the UTF-16 code units of a label."""
    value = (start ^ 0x811C9DC5) & MASK
    units = label.encode("utf-16-le", "surrogatepass")
    for low, high in zip(units[0::2], units[1::2]):
        value = ((value ^ (low | high << 8)) * 0x01000193) & MASK
    return value


def _splitmix(seed):
    state = seed & MASK
    while True:
        state = (state + 0x9E3779B9) & MASK
        z = state
        z = ((z ^ (z >> 16)) * 0x85EBCA6B) & MASK
        z = ((z ^ (z >> 13)) * 0xC2B2AE35) & MASK
        yield z ^ (z >> 16)


class Random:
    """sfc32, seeded by a number or a text."""

    def __init__(self, seed):
        self._seed = _hash_label(seed, 0) if isinstance(seed, str) else seed & MASK
        words = _splitmix(self._seed)
        self._a, self._b, self._c = next(words), next(words), next(words)
        self._counter = 1
        for _ in range(12):
            self.uint32()

    def fork(self, label):
        """An independent stream that depends on this stream's seed and the label only."""
        return Random(_hash_label(str(label), next(_splitmix(self._seed))))

    def uint32(self):
        total = (self._a + self._b + self._counter) & MASK
        self._counter = (self._counter + 1) & MASK
        self._a = self._b ^ (self._b >> 9)
        self._b = (self._c + (self._c << 3)) & MASK
        turned = ((self._c << 21) | (self._c >> 11)) & MASK
        self._c = (turned + total) & MASK
        return total

    def int(self, bound):
        """Uniform in [0, bound), bound in 1..2^32."""
        limit = 4294967296 - 4294967296 % bound
        draw = self.uint32()
        while draw >= limit:
            draw = self.uint32()
        return draw % bound

    def pick(self, values):
        return values[self.int(len(values))]
