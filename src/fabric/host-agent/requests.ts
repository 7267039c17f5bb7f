/** The requests that an agent takes, one JSON object a line; docs/host-agent.md lists their members. */
import { z } from "zod";
import { type Json, toBytes } from "../../base/index.js";
import { FIELD_BITS, SELECTOR_FIELDS } from "../../base/packets/index.js";
import { parseValue } from "../../toolchain/device/index.js";
import { addressBytes } from "./addresses.js";

/** Longest name of a Linux network device. */
const NAME_LENGTH = 15;
const MOST_NICS = 16;
const MOST_FORWARD = 4096;
/** Maximum number of replies to one probe. */
export const MOST_REVERSE = 64;
/** Upper limit of times in nanoseconds, which are doubles. */
const LONGEST_TIME = 2 ** 63;

type Check<T> = (value: unknown) => value is T;

/** A value that passes a check; the error of another value says what is expected. */
function member<T>(wanted: string, check: Check<T>) {
  return z.custom<T>(check, { error: ({ input }) => `expected ${wanted}, got ${shown(input)}` });
}

function shown(value: unknown): string {
  const text = JSON.stringify(value) ?? "nothing";
  return text.length > 80 ? `${text.slice(0, 80)}...` : text;
}

function whole(least: number, most: number) {
  const check = (value: unknown): value is number =>
    typeof value === "number" && Number.isInteger(value) && value >= least && value <= most;
  return member(`a whole number from ${least} to ${most}`, check);
}

const isText = (value: unknown): value is string => typeof value === "string";

/** Becomes 4 or 16 bytes. */
function address(wanted: string, lengths: readonly number[]) {
  const check = (value: unknown): value is string =>
    isText(value) && lengths.includes(addressBytes(value)?.length ?? 0);
  return member(wanted, check).transform((text) => addressBytes(text)!);
}

/** Becomes 6 bytes. */
const mac = member(
  "a MAC address such as 02:00:00:00:00:01",
  (value): value is string => isText(value) && /^[0-9a-f]{2}(:[0-9a-f]{2}){5}$/i.test(value),
).transform((text) => {
  const parsed = parseValue(text, 48);
  return toBytes(parsed.ok ? parsed.value : 0n, 6);
});

const port = whole(1, 65_535);
const selector = whole(0, 2 ** 26 - 1);

function selectors(most: number) {
  return z
    .array(selector, { error: ({ input }) => `expected a list of selectors, got ${shown(input)}` })
    .min(1, `expected 1 to ${most} selectors, got none`)
    .max(most, { error: ({ input }) => `expected 1 to ${most} selectors, got ${(input as []).length}` })
    .refine((list) => new Set(list).size === list.length, "a selector is listed twice");
}

const nic = z.object(
  { name: member("the name of a NIC", isText), mac, gateway: mac },
  { error: ({ input }) => `expected name, mac and gateway, got ${shown(input)}` },
);

/** The first request. */
const start = z
  .object({
    op: z.literal("start"),
    /** Name of the host in the topology, for its policy. */
    name: member("a name", isText).default("host"),
    ipv4: address("an IPv4 address", [4]).optional(),
    ipv6: address("an IPv6 address", [16]).optional(),
    /** Name of the TUN device. */
    tun: member(
      `a name of 1 to ${NAME_LENGTH} characters`,
      (value): value is string => isText(value) && value.length >= 1 && value.length <= NAME_LENGTH,
    ),
    nics: z
      .array(nic, { error: ({ input }) => `expected a list of NICs, got ${shown(input)}` })
      .min(1, `expected 1 to ${MOST_NICS} NICs, got none`)
      .max(MOST_NICS, `expected 1 to ${MOST_NICS} NICs`),
    field: z.enum(SELECTOR_FIELDS, {
      error: ({ input }) => `expected one of ${SELECTOR_FIELDS.join(", ")}, got ${shown(input)}`,
    }),
    /** The `description` of a host policy. */
    policy: z.unknown(),
    seed: whole(0, 2 ** 32 - 1),
    mtu: whole(1280, 9000).default(1400),
    /** The kernel sends and receives by its NIC itself; only for a host whose policy is plain. */
    direct: z.boolean().default(false),
    /** Connections of the kernel offer ECN (RFC 3168). */
    ecn: z.boolean().default(false),
    /** Rate of all NICs together, in bits per second: the limit of the TUN device, so that packets wait where their sockets count them. */
    rateBps: whole(1, 2 ** 40).optional(),
    rtoMinMs: whole(1, 120_000).optional(),
    rtoCapMs: whole(1, 120_000).optional(),
  })
  .refine(({ ipv4, ipv6 }) => ipv4 !== undefined || ipv6 !== undefined, {
    error: "the host needs an IPv4 or an IPv6 address",
    path: ["ipv4"],
  });

const id = whole(0, 2 ** 53);
const to = address("an IPv4 or IPv6 address", [4, 16]);

/** By its name in the kernel. */
const congestion = member(
  "the name of a congestion control",
  (value): value is string => isText(value) && /^[a-z0-9_-]{1,15}$/.test(value),
);

/** Absent: the kernel's own. */
const listen = z.object({ op: z.literal("listen"), id, port, congestion: congestion.optional() });

const flow = z
  .object({
    op: z.literal("flow"),
    id,
    to,
    port,
    /** 0: the kernel chooses one. */
    clientPort: whole(0, 65_535).default(0),
    /** Whether the policy may choose another client port than this one. */
    policyPort: z.boolean().default(false),
    /** Absent: until it is stopped. */
    bytes: whole(1, 2 ** 53).optional(),
    segmentBytes: whole(1, 8948).optional(),
    windowSegments: whole(1, 65_535).optional(),
    congestion: congestion.optional(),
    /** Close the connection after the last byte, so that the receiver sees its end. */
    finish: z.boolean().default(false),
    /** Absent: immediately. */
    startNs: whole(0, LONGEST_TIME).optional(),
  })
  .refine(({ windowSegments, segmentBytes }) => windowSegments === undefined || segmentBytes !== undefined, {
    error: "windowSegments counts segments of this size; give it too",
    path: ["segmentBytes"],
  });

const probe = z.object({
  op: z.literal("probe"),
  id: whole(0, 2 ** 32 - 1),
  to,
  port,
  clientPort: port,
  forward: selectors(MOST_FORWARD),
  reverse: selectors(MOST_REVERSE),
  count: whole(1, 1000).default(3),
  intervalNs: whole(0, 10e9).default(1e6),
  timeoutNs: whole(1, 100e9).default(500e6),
});

/** A message of a controller to the policy, any JSON. */
const message = z.object({
  op: z.literal("message"),
  id,
  message: z.custom<Json>((value) => value !== undefined),
});

const REQUESTS = {
  start,
  listen,
  flow,
  probe,
  message,
  receiving: z.object({ op: z.literal("receiving"), id }),
  "stop-flow": z.object({ op: z.literal("stop-flow"), id }),
  statistics: z.object({ op: z.literal("statistics"), id }),
  stop: z.object({ op: z.literal("stop") }),
};

type Schemas = (typeof REQUESTS)[keyof typeof REQUESTS];
export type Request = z.output<Schemas>;
/** A request before it is parsed. */
export type RequestText = z.input<Schemas>;
export type StartRequest = z.output<typeof start>;
export type FlowRequest = z.output<typeof flow>;
export type ProbeRequest = z.output<typeof probe>;
export type NicConfig = z.output<typeof nic>;

/** An error of a request, with what is expected. */
export class RequestError extends Error {}

/** Reads a request from JSON that was parsed. Throws {@link RequestError} with the member's name. */
export function readRequest(json: unknown): Request {
  if (typeof json !== "object" || json === null || Array.isArray(json))
    throw new RequestError(`expected an object, got ${shown(json)}`);
  const { op } = json as { op?: unknown };
  if (typeof op !== "string" || !Object.hasOwn(REQUESTS, op)) {
    throw new RequestError(`op: expected one of ${Object.keys(REQUESTS).join(", ")}, got ${shown(op)}`);
  }
  const result = REQUESTS[op as keyof typeof REQUESTS].safeParse(json);
  if (result.success) return result.data;
  const { path, message } = result.error.issues[0]!;
  const place = path.map((part) => (typeof part === "number" ? `[${part}]` : `.${String(part)}`)).join("");
  throw new RequestError(`${place.slice(1)}: ${message}`);
}

/** Selectors must fit into the host's field. */
export function checkSelectors({ forward, reverse }: ProbeRequest, field: keyof typeof FIELD_BITS): void {
  const limit = 2 ** FIELD_BITS[field];
  for (const [name, list] of [
    ["forward", forward],
    ["reverse", reverse],
  ] as const) {
    const wrong = list.find((value) => value >= limit);
    if (wrong !== undefined)
      throw new RequestError(`${name}: expected whole numbers below ${limit}, got ${wrong}`);
  }
}
