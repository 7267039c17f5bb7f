/** Hosts that draw an entropy value for each packet. */
import { z } from "zod";
import type { Random } from "../../../base/index.js";
import type { HostPolicy, PathChooser } from "../../hosts/index.js";
import { checkDescription } from "../description.js";
import { flowHash, mix } from "../hash.js";
import { entropiesSchema } from "./parameters.js";

const sprayDescription = z.strictObject({ kind: z.literal("spray"), entropies: entropiesSchema });

export function sprayHosts(description: unknown): HostPolicy {
  const { entropies } = checkDescription(sprayDescription, description);
  return {
    needs: ["packets"],
    open: (_flow, random) => new RandomEntropies(entropies, random),
    nic: (flow, selector, nics) => mix(flowHash(flow), selector) % nics,
  };
}

/** A value for each packet, retransmissions and acknowledgements too; nothing is learned. */
class RandomEntropies implements PathChooser {
  constructor(
    private readonly entropies: number,
    private readonly random: Random,
  ) {}

  /** Drawn at each use. */
  get selector(): number {
    return this.random.int(this.entropies);
  }

  selectorFor(): number {
    return this.selector;
  }

  onTimeout(): readonly number[] {
    return [this.selector];
  }

  onAck(): void {}

  onData(): readonly number[] {
    return [this.selector];
  }
}
