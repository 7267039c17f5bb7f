/**
 * The TCP option that carries the echo: an option for experiments (RFC 6994) with kind, length and experiment id, then the
 * echo in 32 bits. It is the first option of a segment.
 */
export const ECHO_OPTION = { kind: 253, length: 8, experiment: 0x5034 } as const;
