/** The key `queues.pfc`: priority flow control (docs/simulator.md, "Priority flow control"). */
import { z } from "zod";
import { fail, given, type Locate } from "../../base/index.js";
import { MacControl, type SelectorField, Vlan } from "../../base/packets/index.js";
import {
  type Deadlock,
  headroomBytes,
  NS_PER_S,
  type PfcOptions,
  pauseNs,
  type WireModel,
  wireBytes,
} from "../sim/packet/index.js";
import { bytesSchema, durationSchema, type Topology } from "../topology/index.js";
import { CODES } from "./codes.js";
import { segmentHeaders } from "./segment-headers.js";

/** Frames that `xon_offset` has room for unless it is given: as in the DCQCN paper, section 4. */
const OFFSET_FRAMES = 2;

/** More than all headers of the simulator's packets: Ethernet with a tag 18, IPv6 40, TCP with all options 60. */
const HEADER_BYTES = 120;

export const flowControlSchema = z
  .strictObject({
    /** Static threshold: what may wait of one port before its sender is paused. */
    xoff: bytesSchema.optional(),
    /** Dynamic threshold: alpha times the part of the buffer that is neither headroom nor in use. */
    alpha: z
      .number({ error: "expected a number above 0, at most 64" })
      .gt(0, "expected a number above 0, at most 64")
      .max(64, "expected a number above 0, at most 64")
      .optional(),
    buffer: bytesSchema.optional(),
    /** A pause ends so much below the threshold; absent: two of the longest frames. */
    xon_offset: bytesSchema.optional(),
    /** Of each port; absent: by the closed form of the port's link. */
    headroom: bytesSchema.optional(),
    /** From the Ethernet header on; absent: that of the transport. */
    largest_frame: bytesSchema.optional(),
    quanta: z
      .number({ error: "expected quanta of 512 bits, a whole number from 1 to 65535" })
      .int("expected quanta of 512 bits, a whole number from 1 to 65535")
      .min(1, "expected quanta of 512 bits, a whole number from 1 to 65535")
      .max(MacControl.MOST_QUANTA, "expected quanta of 512 bits, a whole number from 1 to 65535")
      .default(MacControl.MOST_QUANTA),
    reaction: durationSchema.default(0),
  })
  .superRefine(({ xoff, alpha, buffer }, context) => {
    const wrong = (key: string, message: string) =>
      context.addIssue({ code: "custom", path: [key], message });
    if (xoff !== undefined) {
      if (alpha !== undefined)
        wrong("alpha", "alpha is of the dynamic threshold and xoff of the static one: leave one of them out");
      if (buffer !== undefined)
        wrong("buffer", "buffer is of the dynamic threshold: leave it out, or write alpha in place of xoff");
    } else if (alpha === undefined && buffer === undefined)
      wrong("xoff", "there is no threshold: write xoff, or alpha and buffer");
    else if (alpha === undefined) wrong("alpha", "the dynamic threshold needs alpha beside buffer");
    else if (buffer === undefined) wrong("buffer", "the dynamic threshold needs buffer beside alpha");
  });

export type FlowControlSettings = z.output<typeof flowControlSchema>;

/** What the flow control of a file depends on. */
interface Machine {
  readonly queues: { readonly pfc?: FlowControlSettings | undefined };
  readonly transport: { readonly protocol?: string | undefined; readonly segment_bytes: number };
}

/** What else the length of its frames depends on. */
interface Frames {
  readonly selector?: SelectorField | undefined;
  readonly traffic?: { readonly ip?: 4 | 6 | undefined } | undefined;
}

/** The frame of a whole segment with its headers, in bytes, as it runs on links, without what programs add to it. */
function segmentFrame({ transport, selector, traffic }: Pick<Machine, "transport"> & Frames): number {
  const tag = selector === "vlan" ? Vlan.LENGTH : 0;
  return transport.segment_bytes + segmentHeaders(transport.protocol, traffic?.ip ?? 4) + tag;
}

/** The options of hosts and switches; undefined without the key. */
export function pfcOptions({ queues: { pfc }, transport }: Machine): PfcOptions | undefined {
  if (pfc === undefined) return undefined;
  const { xoff = 0, alpha, buffer } = pfc;
  const largestFrame = pfc.largest_frame ?? transport.segment_bytes + HEADER_BYTES;
  return {
    threshold:
      alpha !== undefined && buffer !== undefined
        ? { kind: "dynamic", alpha, buffer }
        : { kind: "static", bytes: xoff },
    xonOffset: pfc.xon_offset ?? OFFSET_FRAMES * largestFrame,
    ...given({ headroom: pfc.headroom }),
    largestFrame,
    quanta: pfc.quanta,
    reaction: pfc.reaction,
  };
}

/** Fails with P43050 for settings that cannot work in this network. */
export function checkFlowControl(
  machine: Machine & Frames,
  topology: Topology,
  wire: WireModel,
  locate: Locate,
): void {
  const options = pfcOptions(machine);
  const { pfc } = machine.queues;
  if (options === undefined || pfc === undefined) return;
  const wrong = (key: keyof FlowControlSettings, message: string, ...notes: string[]): never =>
    fail(CODES.flowControl, locate(["queues", "pfc", key]) ?? locate(["queues", "pfc"]), message, ...notes);
  const { largestFrame, threshold, xonOffset } = options;
  const frame = segmentFrame(machine);
  if (largestFrame < frame)
    wrong(
      "largest_frame",
      `the longest frame, ${largestFrame} bytes, is shorter than that of a segment of ${machine.transport.segment_bytes} bytes, which is ${frame} bytes with its headers`,
      `leave largest_frame out, or write ${frame} or more`,
    );
  if (threshold.kind === "static" && xonOffset > threshold.bytes)
    wrong(
      pfc.xon_offset === undefined ? "xoff" : "xon_offset",
      `a pause ends xon_offset, ${xonOffset} bytes, below xoff, ${threshold.bytes} bytes: that is below 0`,
      "write a larger xoff or a smaller xon_offset; unless given, it is two of the longest frames",
    );
  for (const { name, ports, role } of topology.nodes) {
    let sum = 0;
    let least = Number.POSITIVE_INFINITY;
    for (const { link, peer } of ports) {
      const { rateBps, delayNs } = topology.links[link]!;
      const wait =
        ((wireBytes(wire, largestFrame) + wireBytes(wire, MacControl.LENGTH)) * 8 * NS_PER_S) / rateBps;
      if (pauseNs(options.quanta, rateBps) < 2 * wait)
        wrong(
          "quanta",
          `a PAUSE of ${options.quanta} quanta holds for ${pauseNs(options.quanta, rateBps).toFixed(0)} ns on the link ${name} ${topology.nodes[peer]!.name}: it ends before the next one arrives, which is sent after half of that time, perhaps behind a longest frame`,
          "write more quanta; devices send 65535",
        );
      if (options.reaction >= pauseNs(options.quanta, rateBps) / 2)
        wrong(
          "reaction",
          `a sender obeys ${options.reaction} ns after a PAUSE, but on the link ${name} ${topology.nodes[peer]!.name} the next one is sent ${(pauseNs(options.quanta, rateBps) / 2).toFixed(0)} ns after it, half of the ${options.quanta} quanta that it holds for: more than one would be on hold at a time`,
          "write a smaller reaction; devices need some microseconds (IEEE 802.3, annex 31B.3.7: 60 quanta at 10 Gbit/s)",
        );
      const headroom = options.headroom ?? headroomBytes({ rateBps, delayNs, wire }, options);
      sum += headroom;
      least = Math.min(least, headroom);
    }
    if (role !== "host" && threshold.kind === "dynamic" && sum + xonOffset + largestFrame > threshold.buffer)
      wrong(
        "buffer",
        `the headroom of the ${ports.length} ports of ${name} takes ${sum} bytes of its buffer of ${threshold.buffer}: nothing is left to share`,
        "write a larger buffer, or a smaller headroom where losses are wanted",
      );
    const most = threshold.kind === "static" ? threshold.bytes : threshold.alpha * (threshold.buffer - sum);
    if (role !== "host" && most < largestFrame && least < largestFrame)
      wrong(
        "headroom",
        `a longest frame, ${largestFrame} bytes, has no room where it must wait at ${name}: the threshold of a port is ${Number(most.toFixed(3))} bytes, and its headroom ${least}`,
        `write a headroom or a threshold of ${largestFrame} bytes or more; the threshold is xoff, or alpha times what the headroom of all ports leaves of buffer`,
      );
  }
}

/** One sentence on a deadlock, for people; times count from `zero`. */
export function deadlockText({ since, until, cycle, others }: Deadlock, zero = 0): string {
  const ms = (time: number) => `${Number(((time - zero) / 1e6).toFixed(3))} ms`;
  const links = cycle.map(({ from, to }) => `${from} > ${to}`).join(", ");
  const end = until === undefined ? "to the end of the run" : `until ${ms(until)}`;
  const more = others === 0 ? "" : `, and ${others} further directions of links cannot go on behind them`;
  return `deadlock of priority flow control from ${ms(since)} ${end}: each of these links is paused by what waits for the next one, the last by what waits for the first: ${links}${more}`;
}
