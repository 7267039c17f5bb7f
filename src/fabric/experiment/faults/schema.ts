/** How files describe faults: the keys that a list of faults and a draw of failures have in common, and their meaning. */

import { z } from "zod";
import { type Diagnostics, didYouMean, given, type Span } from "../../../base/index.js";
import type { AddressPrefix, PacketMatch } from "../../../base/packets/index.js";
import { parseValue } from "../../../toolchain/device/index.js";
import {
  durationSchema,
  hostsOf,
  nodeNamed,
  positiveDurationSchema,
  type Topology,
} from "../../topology/index.js";
import { CODES } from "../codes.js";
import type { Effect, Flap } from "./fault.js";

const SHARE = "expected a share from 0 to 1, such as 0.1 or 10%";

/** 0 to 1, also as text in percent. */
export const shareSchema = z.union([z.number(), z.string()], { error: SHARE }).transform((input, context) => {
  const text = typeof input === "string" ? /^(\d+(?:\.\d+)?)\s*%$/.exec(input) : null;
  const value = typeof input === "number" ? input : text === null ? Number.NaN : Number(text[1]) / 100;
  if (value >= 0 && value <= 1) return value;
  context.addIssue({ code: "custom", message: `${SHARE}, got ${JSON.stringify(input)}` });
  return z.NEVER;
});

const number = (what: string, least: number, most: number) => {
  const error = `expected ${what}, a whole number from ${least} to ${most}`;
  return z.number({ error }).int(error).min(least, error).max(most, error);
};

const PROTOCOLS = { icmp: 1, tcp: 6, udp: 17, icmpv6: 58 } as const;

const protocolError = "expected tcp, udp, icmp, icmpv6, or a number from 1 to 255";

const matchSchema = z.strictObject({
  /** A host, an address or a prefix such as `10.0.0.0/8`. */
  src: z.string().optional(),
  dst: z.string().optional(),
  protocol: z
    .union([z.enum(["tcp", "udp", "icmp", "icmpv6"]), z.number().int().min(1).max(255)], {
      error: protocolError,
    })
    .optional(),
  src_port: number("a port", 1, 65_535).optional(),
  dst_port: number("a port", 1, 65_535).optional(),
  /** Bytes of the frame, from the Ethernet header to the last byte of the payload. */
  min_bytes: number("bytes", 1, 65_535).optional(),
  max_bytes: number("bytes", 1, 65_535).optional(),
});

/** What happens to which packets; `flap`: on and off. */
export const effectKeys = {
  loss: shareSchema.optional(),
  corruption: shareSchema.optional(),
  delay: positiveDurationSchema.optional(),
  /** Share of a link's rate that is left. */
  rate: shareSchema.optional(),
  match: matchSchema.optional(),
  flap: z.strictObject({ period: durationSchema, duty: shareSchema.default(0.5) }).optional(),
};

type MatchSpec = z.output<typeof matchSchema>;

export interface EffectSpec {
  loss?: number | undefined;
  corruption?: number | undefined;
  delay?: number | undefined;
  rate?: number | undefined;
  match?: MatchSpec | undefined;
  flap?: Flap | undefined;
}

/** Position of the keys of one description in the file, and the receiver of its errors. */
export interface Place {
  at(key?: string, inner?: string): Span | undefined;
  readonly diagnostics: Diagnostics;
}

/** The effect on packets that a description names; undefined where it names none. Adds P43029 for a fault without an effect. */
export function packetEffect(
  { loss, corruption, delay, rate, match }: EffectSpec,
  place: Place,
): Effect | undefined {
  if (loss === undefined && corruption === undefined && delay === undefined && rate === undefined)
    return undefined;
  if (rate !== undefined) checkRate(rate, match, place);
  if (!loss && !corruption && delay === undefined && rate === undefined)
    place.diagnostics.error(
      CODES.faultEffect,
      place.at("loss") ?? place.at("corruption"),
      "a fault of 0 % has no effect",
    );
  return {
    kind: "packets",
    loss: loss ?? 0,
    corruption: corruption ?? 0,
    delay: delay ?? 0,
    ...given({ rate }),
  };
}

/** Adds P43029 for a rate that is not below the link's own, P43037 for a match beside it. */
function checkRate(rate: number, match: MatchSpec | undefined, place: Place): void {
  if (rate <= 0 || rate >= 1)
    place.diagnostics.error(
      CODES.faultEffect,
      place.at("rate"),
      `the rate is ${100 * rate} % of the link's own`,
      rate <= 0 ? "a link that carries nothing is kind: silent" : "write a share below 1, such as 10%",
    );
  if (match !== undefined)
    place.diagnostics.error(
      CODES.faultKeys,
      place.at("match") ?? place.at("rate"),
      "rate slows down all packets of a link, so it cannot have match",
      "leave match out, or write a fault of its own for the other effects",
    );
}

/** Adds P43035 where the fault would never begin, or never end. */
export function checkFlap(flap: Flap | undefined, place: Place): void {
  if (flap === undefined) return;
  if (flap.period < MIN_PERIOD_NS)
    place.diagnostics.error(
      CODES.flap,
      place.at("flap", "period") ?? place.at("flap"),
      `the period is ${flap.period} ns`,
      "write 1us or more",
    );
  if (flap.duty <= 0 || flap.duty >= 1)
    place.diagnostics.error(
      CODES.flap,
      place.at("flap", "duty") ?? place.at("flap"),
      `the duty is ${100 * flap.duty} %: the fault would ${flap.duty <= 0 ? "never act" : "not flap"}`,
      "write a share between 0 and 1, such as 50%",
    );
}

const MIN_PERIOD_NS = 1000;

/** The packets that a description names. Adds P43014 for unknown hosts, P43034 for a match that no packet meets. */
export function packetMatch(
  spec: MatchSpec | undefined,
  topology: Topology,
  ip: 4 | 6,
  place: Place,
): PacketMatch | undefined {
  if (spec === undefined || Object.values(spec).every((value) => value === undefined)) return undefined;
  const { protocol, src_port, dst_port, min_bytes, max_bytes } = spec;
  const { diagnostics } = place;
  const known = typeof protocol === "string" ? PROTOCOLS[protocol] : protocol;
  if ((src_port ?? dst_port) !== undefined && known !== undefined && known !== 6 && known !== 17)
    diagnostics.error(
      CODES.noMatch,
      place.at("match", "protocol"),
      `packets of protocol ${protocol} have no ports`,
      "write protocol: tcp or udp, or leave it out",
    );
  if (min_bytes !== undefined && max_bytes !== undefined && min_bytes > max_bytes)
    diagnostics.error(
      CODES.noMatch,
      place.at("match", "max_bytes"),
      `max_bytes, ${max_bytes}, is less than min_bytes, ${min_bytes}: no packet matches`,
    );
  const src = spec.src === undefined ? undefined : prefixOf(spec.src, "src", topology, ip, place);
  const dst = spec.dst === undefined ? undefined : prefixOf(spec.dst, "dst", topology, ip, place);
  return {
    ...given({
      src,
      dst,
      protocol: known,
      srcPort: src_port,
      dstPort: dst_port,
      minBytes: min_bytes,
      maxBytes: max_bytes,
    }),
  };
}

/** MAC addresses; values of other kinds may have the same form. */
const MAC = /^(?:[0-9A-Fa-f]{1,2}:){5}[0-9A-Fa-f]{1,2}$/;

function prefixOf(
  text: string,
  key: string,
  topology: Topology,
  ip: 4 | 6,
  place: Place,
): AddressPrefix | undefined {
  const { diagnostics } = place;
  const where = place.at("match", key);
  const host = nodeNamed(topology, text)?.host;
  const bits = ip === 4 ? 32 : 128;
  if (host !== undefined) return { ipVersion: ip, address: ip === 4 ? host.ipv4 : host.ipv6, length: bits };
  const [base, suffix] = text.split("/", 2) as [string, string | undefined];
  if (!/^[0-9A-Fa-f.:]+$/.test(base) || !/[.:]/.test(base) || MAC.test(base)) {
    const names = hostsOf(topology).map(({ name }) => name);
    diagnostics.error(
      CODES.unknownPlace,
      where,
      `no host is called "${text}"${didYouMean(text, names, '"')}`,
      "write a host, an address, or a prefix such as 10.0.0.0/8",
    );
    return undefined;
  }
  const ipVersion = base.includes(":") ? 6 : 4;
  const width = ipVersion === 4 ? 32 : 128;
  const address = parseValue(base, width);
  if (!address.ok) {
    diagnostics.error(CODES.noMatch, where, address.message);
    return undefined;
  }
  const length = suffix === undefined ? width : /^\d+$/.test(suffix) ? Number(suffix) : Number.NaN;
  if (!(length <= width)) {
    diagnostics.error(
      CODES.noMatch,
      where,
      `"/${suffix}" is no length of a prefix of IPv${ipVersion}: 0 to ${width}`,
    );
    return undefined;
  }
  if (BigInt.asUintN(width - length, address.value) !== 0n) {
    diagnostics.error(
      CODES.noMatch,
      where,
      `${text} has bits beyond its first ${length}`,
      "these bits must be 0",
    );
    return undefined;
  }
  if (ipVersion !== ip) {
    diagnostics.error(
      CODES.noMatch,
      where,
      `${text} is an address of IPv${ipVersion}, but traffic.ip is ${ip}: no packet matches`,
    );
    return undefined;
  }
  return { ipVersion, address: address.value, length };
}
