/**
 * The values of `templates/dahu/partials/copy_*.p4.hbs`: the map of virtual ports as a table for each hash. On a chip a packet can read a
 * register only once, in one stage; selecting a bit of a bitmap by its number needs a shift by a field, which its ALUs do not have; and an
 * instruction has two operands.
 */

/** Number of hash functions of a round (section 3.2). */
export const HASHES = 16;

/**
 * Multiples of `drawn` that are added or subtracted to get hash k from hash 0: at most two for each k, so that two instructions
 * in sequence are enough. The step is `2 drawn + 1`: k is added as a constant, and a multiple m means `2 m drawn`.
 */
const TERMS: readonly (readonly number[])[] = [
  [],
  [1],
  [2],
  [2, 1],
  [4],
  [4, 1],
  [4, 2],
  [8, -1],
  [8],
  [8, 1],
  [8, 2],
  // Multiple 12 is a sum itself, which exists before the second instruction.
  [-1, 12],
  [8, 4],
  [1, 12],
  [16, -2],
  [16, -1],
];
const SHIFTED = [1, 2, 4, 8, 16] as const;
const MULTIPLES = [...SHIFTED, 12] as const;

/** `inputs`: of the hash of each round; `stepInputs`: of the step of the first round (the second takes the first one's). */
export function copyValues(ports: number, inputs: readonly string[], stepInputs: string) {
  const rounds = [...inputs.keys()];
  const hashes = rounds.length * HASHES;
  const sums: string[][] = [[], [], []];
  for (const round of rounds) {
    const at = (k: number) => `meta.virtual_port_${round * HASHES + k}`;
    const times = (multiple: number) => `meta.times_${multiple}_${round}`;
    for (const [bit, multiple] of SHIFTED.entries())
      sums[0]!.push(`${times(multiple)} = meta.drawn_${round} << ${bit + 1}`);
    for (let k = 1; k < HASHES; k++) sums[0]!.push(`${at(k)} = ${at(0)} + ${k}`);
    sums[1]!.push(`${times(12)} = ${times(8)} + ${times(4)}`);
    for (const [k, terms] of TERMS.entries())
      for (const [i, term] of terms.entries())
        sums[1 + i]!.push(`${at(k)} = ${at(k)} ${term < 0 ? "-" : "+"} ${times(Math.abs(term))}`);
  }
  const hex = (value: bigint) => `${ports}w0x${value.toString(16)}`;
  const all = (1n << BigInt(ports)) - 1n;
  return {
    rounds: rounds.map((round) => ({ round, multiples: MULTIPLES })),
    hashes,
    draws: rounds.flatMap((round) => [
      { field: `virtual_port_${round * HASHES}`, inputs: inputs[round]! },
      { field: `drawn_${round}`, inputs: round === 0 ? stepInputs : inputs[0]! },
    ]),
    sums,
    candidates: Array.from({ length: hashes }, (_, number) => ({
      number,
      first: Array.from({ length: hashes }, (_, k) => (k === number ? "1" : "_")).join(", "),
    })),
    bits: Array.from({ length: ports }, (_, bit) => ({
      bit,
      port: bit + 1,
      mask: hex(1n << BigInt(bit)),
      others: hex(all & ~(1n << BigInt(bit))),
    })),
    orders: ports * ports,
    choiceTop: Math.log2(ports) - 1,
  };
}
