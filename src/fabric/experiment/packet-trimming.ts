/** The key `queues.trim`: packet trimming (docs/simulator.md, "Packet trimming"). */
import { z } from "zod";
import { type Diagnostics, fail, given, type Locate } from "../../base/index.js";
import { type SelectorField, Vlan } from "../../base/packets/index.js";
import type { TrimOptions } from "../sim/packet/index.js";
import { bytesSchema } from "../topology/index.js";
import { CODES } from "./codes.js";
import { segmentHeaders } from "./segment-headers.js";

const PER_PACKET = "expected a number of headers, a whole number from 1 to 1000";

export const trimSchema = z.strictObject({
  /** What may wait in the queue for headers of each port of a switch. */
  header_queue: bytesSchema.default(16_000),
  /** Of a cut frame, from the Ethernet header on; absent: that of a packet's headers. */
  length: bytesSchema.optional(),
  /** After so many headers in a row a packet of data leaves, if one waits; absent: none while a header waits. */
  headers_per_packet: z
    .number({ error: PER_PACKET })
    .int(PER_PACKET)
    .min(1, PER_PACKET)
    .max(1000, PER_PACKET)
    .optional(),
  /** Where answers of receivers wait. */
  answers: z.enum(["headers", "data"]).default("headers"),
});

export type TrimSettings = z.output<typeof trimSchema>;

/** What the trimming of a file depends on. */
interface Machine {
  readonly queues: { readonly trim?: TrimSettings | undefined; readonly pfc?: unknown };
  readonly transport: { readonly protocol?: string | undefined; readonly segment_bytes: number };
  readonly traffic?: { readonly ip?: 4 | 6 | undefined } | undefined;
}

/** A planned scheme, as far as trimming depends on it. */
interface Planned {
  readonly label: string;
  readonly plan: {
    readonly field: SelectorField;
    readonly switchesUseField?: boolean;
    readonly overlayBytes?: number;
    readonly hosts: { readonly kind: string; readonly selector?: number };
  };
}

/** Headers of a packet of the message transport, in bytes, with the tag of a scheme that has one. */
function headersOf({ traffic }: Machine, field?: SelectorField): number {
  return segmentHeaders("messages", traffic?.ip ?? 4) + (field === "vlan" ? Vlan.LENGTH : 0);
}

/** The options of hosts and switches under a scheme with this field; undefined without the key. */
export function trimOptions(machine: Machine, field: SelectorField): TrimOptions | undefined {
  const { trim } = machine.queues;
  return (
    trim && {
      queueBytes: trim.header_queue,
      length: trim.length ?? headersOf(machine, field),
      ...given({ perPacket: trim.headers_per_packet }),
      answersFirst: trim.answers === "headers",
    }
  );
}

/** Fails with P43051 for settings that cannot work. */
export function checkTrimming(machine: Machine, locate: Locate): void {
  const { trim, pfc } = machine.queues;
  if (trim === undefined) return;
  const wrong = (path: readonly string[], message: string, note: string): never =>
    fail(CODES.trimming, locate(path) ?? locate(["queues", "trim"]), message, note);
  const { protocol, segment_bytes: segment } = machine.transport;
  if (protocol !== "messages")
    wrong(
      ["queues", "trim"],
      `trimming needs a receiver that answers a header: transport.protocol is ${protocol ?? "fixed"}`,
      "write transport: { protocol: messages }, or leave queues.trim out",
    );
  if (pfc !== undefined)
    wrong(
      ["queues", "trim"],
      "with queues.pfc no packet finds its queue full, so that none would be cut",
      "leave queues.trim or queues.pfc out",
    );
  const headers = headersOf(machine);
  const { length = headers, header_queue: queue } = trim;
  if (length < headers)
    wrong(
      ["queues", "trim", "length"],
      `a frame that is cut to ${length} bytes loses its headers, which have ${headers} bytes: its receiver could not answer`,
      `leave length out, or write ${headers} or more`,
    );
  if (length >= headers + segment)
    wrong(
      ["queues", "trim", "length"],
      `a frame of a segment of ${segment} bytes has ${headers + segment} bytes: cut to ${length} it is as long as before`,
      `leave length out, or write less than ${headers + segment}`,
    );
  if (queue < length)
    wrong(
      ["queues", "trim", "header_queue"],
      `a queue for headers of ${queue} bytes has no room for a cut frame, which has ${length} bytes`,
      `write ${length} bytes or more`,
    );
}

/** Who writes the DSCP of a scheme with this plan, which would then say what it does not mean; undefined: nobody. */
function dscpUser({ field, switchesUseField, hosts }: Planned["plan"]): string | undefined {
  if (!field.startsWith("dscp")) return undefined;
  if (hosts.kind !== "fixed" || (hosts.selector ?? 0) !== 0) return "the hosts write their selector into";
  return switchesUseField === true ? "the switches read and write" : undefined;
}

/**
 * Adds P43051 at each scheme whose hosts or switches need the field that says that a packet was cut, for a length without the tag of a scheme,
 * and for a queue without room for a cut frame with a scheme's tag and overlay.
 */
export function checkTrimmedSchemes(
  machine: Machine,
  schemes: readonly Planned[],
  locate: Locate,
  diagnostics: Diagnostics,
): void {
  const { trim } = machine.queues;
  if (trim === undefined) return;
  for (const [i, { label, plan }] of schemes.entries()) {
    const needed = headersOf(machine, plan.field);
    const user = dscpUser(plan);
    const longest = (trim.length ?? needed) + (plan.overlayBytes ?? 0);
    if (user !== undefined)
      diagnostics.error(
        CODES.trimming,
        locate(["schemes", i, "field"]) ?? locate(["schemes", i]),
        `under scheme ${label} ${user} the DSCP, which tells switches and receivers of cut packets`,
        "if the scheme has the key, write another field: vlan, or flow_label with traffic: { ip: 6 }; otherwise leave out queues.trim or the scheme",
      );
    else if (trim.length !== undefined && trim.length < needed)
      diagnostics.error(
        CODES.trimming,
        locate(["queues", "trim", "length"]),
        `a frame that is cut to ${trim.length} bytes loses its headers, which have ${needed} bytes with the tag of scheme ${label}`,
        `leave length out, or write ${needed} or more`,
      );
    else if (trim.header_queue < longest)
      diagnostics.error(
        CODES.trimming,
        locate(["queues", "trim", "header_queue"]) ?? locate(["queues", "trim"]),
        `a queue for headers of ${trim.header_queue} bytes has no room for a cut frame of scheme ${label}, which has ${longest} bytes with the scheme's own header`,
        `write ${longest} bytes or more`,
      );
  }
}
