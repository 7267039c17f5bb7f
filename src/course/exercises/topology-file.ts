/**
 * Reads `topology.json` of the P4 tutorials: hosts, switches and links of an exercise. It follows the tutorials' own scripts,
 * and reports errors at their places.
 */
import { z } from "zod";
import { type Diagnostics, given, type Locate, type SourceFile } from "../../base/index.js";
import { loadDocument } from "../../toolchain/documents/index.js";
import { CODES } from "./codes.js";

export interface ExerciseHost {
  name: string;
  /** 32 bits. */
  ipv4: bigint;
  prefixLength: number;
  /** 48 bits. */
  mac: bigint;
  /** Shell commands that run in the host after the start of the network. */
  commands: readonly string[];
}

export interface ExerciseSwitch {
  name: string;
  /** Paths as written, from the exercise's folder. */
  runtimeFile?: string;
  commandFile?: string;
  /** Path of a BMv2 JSON that replaces the exercise's program on this switch. */
  program?: string;
  cpuPort?: number;
  priorityQueues?: number;
}

/** An end of a link. `port` is 0 for a host. */
export interface ExerciseEnd {
  node: string;
  port: number;
}

interface ExerciseLink {
  a: ExerciseEnd;
  b: ExerciseEnd;
  /** One-way delay; undefined: the file gives none. */
  delayNs?: number;
  rateBps?: number;
}

export interface ExerciseTopology {
  file: SourceFile;
  hosts: readonly ExerciseHost[];
  /** In the order of the file, which determines device ids and P4Runtime ports. */
  switches: readonly ExerciseSwitch[];
  links: readonly ExerciseLink[];
  locate: Locate;
}

const text = (what: string) => z.string({ error: `expected ${what}` });

const cidrSchema = text("an IPv4 address such as 10.0.1.1/24").transform((value, context) => {
  const [, digits, length = "24"] = /^(\d+\.\d+\.\d+\.\d+)(?:\/(\d+))?$/.exec(value) ?? [];
  const bytes = (digits ?? "256").split(".").map(Number);
  if (bytes.every((byte) => byte < 256) && Number(length) <= 32) {
    const ipv4 = bytes.reduce((sum, byte) => sum * 256n + BigInt(byte), 0n);
    return { ipv4, prefixLength: Number(length) };
  }
  context.addIssue({ code: "custom", message: "expected an IPv4 address such as 10.0.1.1/24" });
  return z.NEVER;
});

const macSchema = text("a MAC address such as 08:00:00:00:01:11").transform((value, context) => {
  if (/^[0-9a-f]{2}(:[0-9a-f]{2}){5}$/i.test(value)) return BigInt(`0x${value.replaceAll(":", "")}`);
  context.addIssue({ code: "custom", message: "expected a MAC address such as 08:00:00:00:01:11" });
  return z.NEVER;
});

/** Converts `10ms` to nanoseconds; a number without a unit is in milliseconds, with or without quotes. */
const latencySchema = z
  .union([z.number(), z.string()], { error: 'expected a latency such as "10ms"' })
  .transform((value, context) => {
    const [, digits, unit = "ms"] = /^(\d+(?:\.\d+)?)(us|ms|s)?$/.exec(String(value)) ?? [];
    const scale = { us: 1e3, ms: 1e6, s: 1e9 }[unit]!;
    if (digits !== undefined) return Math.round(Number(digits) * scale);
    context.addIssue({ code: "custom", message: 'expected a latency such as "10ms", or milliseconds' });
    return z.NEVER;
  });

const bandwidthSchema = z
  .number({ error: "expected a bandwidth in Mbit/s" })
  .positive("expected a bandwidth above 0, in Mbit/s")
  .max(1e6, "expected a bandwidth of at most 1000000 Mbit/s");

const endSchema = text("an end of a link: h1, or s1-p2");

/** A whole number, with or without quotes (the flowcache exercise has "510"). */
const countSchema = (what: string, low: number, high: number) =>
  z.union([z.number(), z.string()], { error: `expected ${what}` }).transform((value, context) => {
    const number = typeof value === "number" || /^\d+$/.test(value) ? Number(value) : Number.NaN;
    if (Number.isInteger(number) && number >= low && number <= high) return number;
    context.addIssue({ code: "custom", message: `expected ${what}, a whole number from ${low} to ${high}` });
    return z.NEVER;
  });

// Unknown keys are allowed: other courses have their own keys in these files, which the tutorials' scripts ignore too.
const topologySchema = z.looseObject({
  hosts: z.record(
    z.string(),
    z.looseObject({ ip: cidrSchema, mac: macSchema, commands: z.array(text("a command")).default([]) }),
  ),
  switches: z.record(
    z.string(),
    z.looseObject({
      runtime_json: text("the path of a runtime file").optional(),
      cli_input: text("the path of a command file").optional(),
      program: text("the path of a BMv2 JSON").optional(),
      cpu_port: countSchema("a CPU port", 1, 510).optional(),
      priority_queues: countSchema("a number of queues", 1, 256).optional(),
    }),
  ),
  links: z.array(
    z.union(
      [
        z.tuple([endSchema, endSchema]),
        z.tuple([endSchema, endSchema, latencySchema]),
        z.tuple([endSchema, endSchema, latencySchema, bandwidthSchema.nullable()]),
      ],
      { error: 'expected a link: ["h1", "s1-p1"], with a latency and a bandwidth in Mbit/s if wanted' },
    ),
  ),
});

type RawLink = z.output<typeof topologySchema>["links"][number];

/** Names of nodes are used in names of interfaces and files. */
const NODE_NAME = /^[A-Za-z][A-Za-z0-9_]{0,31}$/;
const MAX_SWITCH_PORT = 510;

/** The topology of an exercise; undefined after errors: P43001 to P43004 (form), P43150 to P43154 (meaning). */
export function readTopologyFile(file: SourceFile, diagnostics: Diagnostics): ExerciseTopology | undefined {
  const document = loadDocument(file, topologySchema, diagnostics);
  if (document === undefined) return undefined;
  const { value, locate } = document;
  const hosts = Object.entries(value.hosts).map(([name, { ip, mac, commands }]) => ({
    name,
    ...ip,
    mac,
    commands,
  }));
  const switches = Object.entries(value.switches).map(
    ([name, entry]): ExerciseSwitch => ({
      name,
      ...given({
        runtimeFile: entry.runtime_json,
        commandFile: entry.cli_input,
        program: entry.program,
        cpuPort: entry.cpu_port,
        priorityQueues: entry.priority_queues,
      }),
    }),
  );
  const reader = new LinkReader(new Set(Object.keys(value.hosts)), value.switches, locate, diagnostics);
  for (const [kind, names] of [
    ["hosts", Object.keys(value.hosts)],
    ["switches", Object.keys(value.switches)],
  ] as const)
    for (const name of names) reader.checkName(kind, name);
  const links = value.links.map((link, index) => reader.read(link, index));
  reader.checkHosts();
  if (diagnostics.hasErrors) return undefined;
  return { file, hosts, switches, links: links.filter((link) => link !== undefined), locate };
}

class LinkReader {
  /** Index of the link by the text of its end. */
  readonly #used = new Map<string, number>();

  constructor(
    readonly hosts: ReadonlySet<string>,
    readonly switches: Readonly<Record<string, unknown>>,
    readonly locate: Locate,
    readonly diagnostics: Diagnostics,
  ) {}

  checkName(kind: "hosts" | "switches", name: string): void {
    const place = this.locate([kind, name]);
    if (!NODE_NAME.test(name)) {
      this.diagnostics.error(
        CODES.nodeName,
        place,
        `${name} is not a valid name of a node: use up to 32 letters, digits and _`,
      );
    } else if (kind === "switches" && this.hosts.has(name)) {
      this.diagnostics.error(CODES.nodeName, place, `${name} is the name of both a host and a switch`);
    }
  }

  read(link: RawLink, index: number): ExerciseLink | undefined {
    const a = this.#end(link[0], [index, 0]);
    const b = this.#end(link[1], [index, 1]);
    if (a === undefined || b === undefined) return undefined;
    if (this.hosts.has(a.node) && this.hosts.has(b.node)) {
      const message = `${link[0]} and ${link[1]} are both hosts: a host must be linked to a switch`;
      this.diagnostics.error(CODES.hostToHost, this.locate(["links", index]), message);
      return undefined;
    }
    const [, , delayNs, megabits] = link;
    return {
      a,
      b,
      ...(delayNs === undefined || delayNs === 0 ? {} : { delayNs }),
      ...(megabits === undefined || megabits === null ? {} : { rateBps: megabits * 1e6 }),
    };
  }

  #end(text: string, [index, side]: [number, number]): ExerciseEnd | undefined {
    const place = this.locate(["links", index, side]);
    const wrong = (code: string, message: string): undefined => {
      this.diagnostics.error(code, place, message);
      return undefined;
    };
    const earlier = this.#used.get(text);
    if (earlier !== undefined) return wrong(CODES.twoLinks, `${text} has a link already: links[${earlier}]`);
    this.#used.set(text, index);
    if (this.hosts.has(text)) return { node: text, port: 0 };
    const [, node = "", digits = ""] = /^(.+)-p(\d+)$/.exec(text) ?? [];
    if (Object.hasOwn(this.switches, node)) {
      if (Number(digits) <= MAX_SWITCH_PORT) return { node, port: Number(digits) };
      return wrong(CODES.linkEnd, `${text}: the maximum port of a switch is ${MAX_SWITCH_PORT}`);
    }
    if (Object.hasOwn(this.switches, text)) {
      return wrong(CODES.linkEnd, `${text} is a switch: add its port, as in ${text}-p1`);
    }
    const known = [...this.hosts, ...Object.keys(this.switches).map((name) => `${name}-pN`)].join(", ");
    return wrong(CODES.linkEnd, `${text}: no such host or switch port (there are ${known})`);
  }

  checkHosts(): void {
    for (const host of this.hosts) {
      if (this.#used.has(host)) continue;
      this.diagnostics.error(CODES.unlinkedHost, this.locate(["hosts", host]), `${host} has no link`);
    }
  }
}
