/**
 * Packets near that of a path, sent to both programs. Most programs that differ show it to such a packet, long before all pairs of
 * paths are compared; where none does, nothing is known.
 */
import { defined, Random } from "../../base/index.js";
import type { Program } from "../program/index.js";
import { Sender, type Sent, type Stimulus, sentBy } from "../testgen/index.js";

export interface Difference {
  readonly stimulus: Stimulus;
  /** What each program sends. */
  readonly sent: readonly [readonly Sent[], readonly Sent[]];
}

/** Packets of a path that are tried. */
const PACKETS = 256;
const MAX_PORT = 511;

/** What two fresh switches send; undefined where it is the same, or where a switch refuses the entries. */
export async function differenceOf(
  programs: readonly [Program, Program],
  stimulus: Stimulus,
): Promise<Difference | undefined> {
  const [left, right] = [await sentBy(programs[0], stimulus), await sentBy(programs[1], stimulus)];
  if (left === undefined || right === undefined) return undefined;
  return textOf(left) === textOf(right) ? undefined : { stimulus, sent: [left, right] };
}

export class Trial {
  readonly #random: Random;

  constructor(
    readonly programs: readonly [Program, Program],
    seed: number,
  ) {
    this.#random = new Random(seed);
  }

  /** Tries a packet, and others like it with the same entries. */
  async near(stimulus: Stimulus): Promise<Difference | undefined> {
    const [a, b] = [
      await Sender.with(this.programs[0], stimulus.commands),
      await Sender.with(this.programs[1], stimulus.commands),
    ];
    if (a === undefined || b === undefined) return undefined;
    for (let i = 0; i < PACKETS; i++) {
      // A packet that goes round for ever takes as long as 65,536 others.
      if (a.loops !== undefined || b.loops !== undefined) return undefined;
      const one = i === 0 ? stimulus : this.#changed(stimulus);
      if (textOf(a.send(one)) === textOf(b.send(one))) continue;
      // The registers of these switches have seen other packets: fresh ones must differ, too.
      const difference = await differenceOf(this.programs, one);
      if (difference !== undefined) return difference;
    }
    return undefined;
  }

  /** Another port, length or some other bytes. */
  #changed(stimulus: Stimulus): Stimulus {
    const random = this.#random;
    const { length } = stimulus.bytes;
    const bytes = new Uint8Array(random.int(8) === 0 ? random.int(length + 1) : length);
    bytes.set(stimulus.bytes.subarray(0, bytes.length));
    for (let changes = random.int(4); changes > 0 && bytes.length > 0; changes--) {
      const at = random.int(bytes.length);
      bytes[at] = random.int(2) === 0 ? random.int(256) : defined(bytes[at]) ^ (1 << random.int(8));
    }
    const port = random.int(8) === 0 ? random.int(MAX_PORT) : stimulus.port;
    return { ...stimulus, port, bytes };
  }
}

function textOf(sent: readonly Sent[]): string {
  return sent.map(({ port, frame }) => `${port} ${frame.join(" ")}`).join("\n");
}
