/** The events that an agent writes, one JSON object a line. */
import { z } from "zod";
import type { Json } from "../../base/index.js";

const id = z.number();
/** Nanoseconds of CLOCK_MONOTONIC. */
const time = z.number();

const setting = z.object({
  /** As sysctl writes it, or `route.rto_min`. */
  name: z.string(),
  wanted: z.string(),
  /** What the kernel has; null: it has no such setting. */
  effective: z.string().nullable(),
});

/** Figures of the kernel (TCP_INFO); null: this kernel does not report it. */
const tcpInfo = z.object({
  rttUs: z.number().nullable(),
  rttVarUs: z.number().nullable(),
  minRttUs: z.number().nullable(),
  /** The retransmission timeout at the end. */
  rtoUs: z.number().nullable(),
  sendMss: z.number().nullable(),
  congestionWindow: z.number().nullable(),
  /** Number of retransmitted segments. */
  retransmissions: z.number().nullable(),
  bytesRetransmitted: z.number().nullable(),
  /** Timeouts as the kernel counts them, since Linux 6.7. */
  kernelTimeouts: z.number().nullable(),
});

const statistics = z.object({
  /** Packets from and to the host's kernel, and copies of packets that left on more than one selector. */
  fromKernel: z.number(),
  toKernel: z.number(),
  copies: z.number(),
  /** Frames for other hosts, or of no use here. */
  rejected: z.number(),
  /** Packets that stay in the host: multicast, and addresses of a link. */
  kept: z.number(),
  /** Frames that a NIC did not accept. */
  lost: z.number(),
  /** Connections that the agent knows. */
  flows: z.number(),
  /** Processor time of the agent since its start, in the kernel included. */
  cpuNs: z.number(),
});

/** A connection that this host has accepted, and its bytes so far. */
const arriving = z.object({ from: z.string(), clientPort: z.number(), port: z.number(), bytes: z.number() });

const probeCount = z.object({ selector: z.number(), sent: z.number(), received: z.number() });

export const eventSchema = z.discriminatedUnion("event", [
  z.object({ event: z.literal("ready"), tun: z.string(), settings: z.array(setting) }),
  z.object({ event: z.literal("error"), id: id.nullable(), text: z.string() }),
  z.object({ event: z.literal("listening"), id, port: z.number() }),
  /** The other end of an accepted connection has sent its last byte, and all have arrived. */
  z.object({ event: z.literal("received"), atNs: time, ...arriving.shape }),
  /** Accepted connections whose end has not arrived. */
  z.object({ event: z.literal("receiving"), id, connections: z.array(arriving) }),
  z.object({ event: z.literal("started"), id, atNs: time, clientPort: z.number() }),
  z.object({ event: z.literal("connected"), id, atNs: time }),
  z.object({
    event: z.literal("timeout"),
    id,
    atNs: time,
    attempt: z.number(),
    selectors: z.array(z.number()),
  }),
  z.object({
    event: z.literal("recovered"),
    id,
    atNs: time,
    triedAtNs: time,
    attempts: z.number(),
    selector: z.number(),
  }),
  z.object({
    event: z.literal("finished"),
    id,
    atNs: time,
    stopped: z.boolean(),
    bytes: z.number(),
    fctNs: time.nullable(),
    timeouts: z.number(),
    tcp: tcpInfo.optional(),
  }),
  z.object({ event: z.literal("failed"), id, atNs: time, text: z.string() }),
  z.object({
    event: z.literal("probed"),
    id,
    forward: z.array(probeCount),
    reverse: z.array(probeCount),
    minRttNs: time.nullable(),
  }),
  /** The answer to a `message`; and a message that the policy itself sends to the controllers. */
  z.object({ event: z.literal("answer"), id, message: z.custom<Json>() }),
  z.object({ event: z.literal("told"), message: z.custom<Json>() }),
  z.object({ event: z.literal("statistics"), id, ...statistics.shape }),
  z.object({ event: z.literal("stopped"), ...statistics.shape }),
]);

export type AgentEvent = z.output<typeof eventSchema>;
export type Arriving = z.output<typeof arriving>;
export type AgentSetting = z.output<typeof setting>;
export type TcpInfo = z.output<typeof tcpInfo>;
export type ProbeCount = z.output<typeof probeCount>;
export type AgentStatistics = z.output<typeof statistics>;
