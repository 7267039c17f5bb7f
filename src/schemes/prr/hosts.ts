/** PRR's hosts: both ends of a flow draw a random selector to re-path. */
import { z } from "zod";
import type { Random } from "../../base/index.js";
import type { PathChooser, SegmentMarks } from "../../hosts/index.js";
import { flowHash, mix } from "../hash.js";
import type { SchemeHosts } from "../scheme.js";

/** `values`: selectors are drawn from [0, values). */
export const prrDescription = z.strictObject({
  kind: z.literal("prr"),
  values: z
    .number()
    .int()
    .min(1)
    .max(2 ** 32),
});

export function prrHosts(description: z.output<typeof prrDescription>): SchemeHosts {
  return {
    description,
    open: (_flow, random) => new RandomPath(description.values, random),
    nic: (flow, selector, nics) => mix(flowHash(flow), selector) % nics,
  };
}

class RandomPath implements PathChooser {
  selector = 0;
  #peer = 0;

  constructor(
    readonly values: number,
    readonly random: Random,
  ) {}

  onTimeout(): readonly number[] {
    this.selector = this.random.int(this.values);
    return [this.selector];
  }

  onAck(): void {}

  onData(segment: SegmentMarks, duplicate: boolean): readonly number[] {
    if (duplicate || segment.selector !== this.#peer) this.selector = this.random.int(this.values);
    this.#peer = segment.selector;
    return [this.selector];
  }
}
