"""The hash of a host's NIC bond: the same function as src/schemes/hash.ts."""

MASK = 0xFFFFFFFF


def mix(value, word):
    """One step of a 32-bit mix of the murmur3 family."""
    k = (word * 0xCC9E2D51) & MASK
    k = (((k << 15) | (k >> 17)) * 0x1B873593) & MASK
    h = value ^ k
    h = ((((h << 13) | (h >> 19)) & MASK) * 5 + 0xE6546B64) & MASK
    h = ((h ^ (h >> 16)) * 0x85EBCA6B) & MASK
    h = ((h ^ (h >> 13)) * 0xC2B2AE35) & MASK
    return h ^ (h >> 16)


def flow_hash(flow):
    """32-bit hash of a five-tuple (src, dst, protocol, source port, destination port); addresses are integers."""
    src, dst, protocol, src_port, dst_port = flow
    value = mix(mix(mix(0x243F6A88, protocol), src_port), dst_port)
    for address in (src, dst):
        for shift in (0, 32, 64, 96):
            value = mix(value, (address >> shift) & MASK)
    return value
