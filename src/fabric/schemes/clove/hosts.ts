/** Clove's hosts: the paths of each flowlet, and what marks say about them. A policy has the role of a hypervisor: it knows all flows of its host. */
import { z } from "zod";
import type { Random } from "../../../base/index.js";
import type { FlowKey } from "../../../base/packets/index.js";
import type {
  HostClock,
  HostContext,
  HostPolicy,
  NextSegment,
  PathChooser,
  SegmentMarks,
} from "../../hosts/index.js";
import { checkDescription } from "../description.js";
import { addressHash, mix } from "../hash.js";
import { WeightedPaths } from "./weighted-paths.js";

export const FEEDBACKS = ["ecn", "none"] as const;
export const reductionSchema = z.number().gt(0).lt(1);

const nanoseconds = z.number().min(0);
const selector = z.number().int().min(0).max(0xffffffff);

const cloveDescription = z.strictObject({
  kind: z.literal("clove"),
  feedback: z.enum(FEEDBACKS),
  gapNs: nanoseconds,
  relayNs: nanoseconds,
  reduction: reductionSchema,
  memoryNs: nanoseconds,
  masks: z.boolean(),
  /** Addresses of the hosts (hexadecimal): IPv4, IPv6. */
  hosts: z.array(z.tuple([z.string(), z.string()])),
  /** By host of the source and of the destination: the selectors of their paths, for IPv4 and for IPv6. */
  ipv4: z.array(z.array(z.array(selector))),
  ipv6: z.array(z.array(z.array(selector))),
});
export type CloveDescription = z.output<typeof cloveDescription>;

/** The NIC of a packet: a hash of the outer header, as that of the switches. */
export function outerNic(flow: Pick<FlowKey, "src" | "dst">, selector: number, nics: number): number {
  return nics === 1 ? 0 : mix(addressHash(flow), selector) % nics;
}

export function cloveHosts(input: unknown, { clock }: HostContext): HostPolicy {
  const { feedback, gapNs, masks, ...rules } = checkDescription(cloveDescription, input);
  const selectorsOf = selectorsBetween(rules);
  /** By address of the other host. */
  const known = new Map<bigint, WeightedPaths>();
  const listens = feedback === "ecn";
  return {
    ecn: listens,
    needs: ["packets", ...(listens ? (["marks"] as const) : []), ...(masks ? (["masking"] as const) : [])],
    nic: outerNic,
    open(flow, random) {
      let paths = known.get(flow.dst);
      if (paths === undefined) {
        paths = new WeightedPaths(selectorsOf(flow), { feedback, ...rules });
        known.set(flow.dst, paths);
      }
      return new FlowletPath(paths, gapNs, masks, clock, random);
    },
  };
}

/** The selectors of the paths between the hosts of a flow; 0 for hosts that the description does not know. */
function selectorsBetween({
  hosts,
  ipv4,
  ipv6,
}: Pick<CloveDescription, "hosts" | "ipv4" | "ipv6">): (flow: FlowKey) => readonly number[] {
  const places = new Map<bigint, { readonly host: number; readonly paths: CloveDescription["ipv4"] }>();
  for (const [host, [four, six]] of hosts.entries()) {
    places.set(BigInt(`0x${four}`), { host, paths: ipv4 });
    places.set(BigInt(`0x${six}`), { host, paths: ipv6 });
  }
  return ({ src, dst }) => {
    const [from, to] = [places.get(src), places.get(dst)];
    const selectors = from === undefined || to === undefined ? undefined : from.paths[from.host]?.[to.host];
    return selectors === undefined || selectors.length === 0 ? [0] : selectors;
  };
}

/** One end of a flow: the path of each of its flowlets. */
class FlowletPath implements PathChooser {
  readonly #paths: WeightedPaths;
  readonly #gapNs: number;
  readonly #masks: boolean;
  readonly #clock: HostClock;
  readonly #random: Random;
  #sentAt = Number.NEGATIVE_INFINITY;
  selector: number;
  repaths = 0;

  constructor(paths: WeightedPaths, gapNs: number, masks: boolean, clock: HostClock, random: Random) {
    this.#paths = paths;
    this.#gapNs = gapNs;
    this.#masks = masks;
    this.#clock = clock;
    this.#random = random;
    this.selector = paths.next(random);
    this.#sentAt = clock.now();
  }

  selectorFor({ nowNs }: NextSegment): number {
    if (this.#step(nowNs)) this.repaths++;
    return this.selector;
  }

  /** The hypervisor sees a pause, not a timeout: the flow stays on its path where the gap is longer than the timeout. */
  onTimeout(): readonly number[] {
    this.#step(this.#clock.now());
    return [this.selector];
  }

  onAck({ echo, marked }: SegmentMarks): void {
    if (marked === true && this.#paths.rules.feedback === "ecn") this.#paths.report(echo, this.#clock.now());
  }

  /** Acknowledgements are a flow of their own for the hypervisor that sends them. */
  onData(): readonly number[] {
    if (this.#step(this.#clock.now())) this.repaths++;
    return [this.selector];
  }

  get masksMarks(): boolean {
    return this.#masks && !this.#paths.isCongested(this.#clock.now());
  }

  /** Whether the packet that leaves now is the first of a flowlet and takes another path than the one before. */
  #step(nowNs: number): boolean {
    const begins = nowNs - this.#sentAt > this.#gapNs;
    this.#sentAt = nowNs;
    if (!begins) return false;
    const before = this.selector;
    this.selector = this.#paths.next(this.#random);
    return this.selector !== before;
  }
}
