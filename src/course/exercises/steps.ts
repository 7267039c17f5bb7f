/** Reads the steps of a test, and resolves hosts, switches, ports, packets and values by the exercise's topology. */
import { type Diagnostics, didYouMean, given, type Locate, type Span } from "../../base/index.js";
import type { Range } from "./amounts.js";
import { buildFrame, senderOf } from "./build-frame.js";
import { CODES } from "./codes.js";
import type { RawStep } from "./exercise-schema.js";
import type { HeaderLayout } from "./header-layouts.js";
import type { PacketPattern } from "./packet-pattern.js";
import { readStack, readValue } from "./packet-stack.js";
import type { ExerciseHost, ExerciseTopology } from "./topology-file.js";

/** Times are in nanoseconds. `span` is the place of the step. */
export type ExerciseStep = StepKind & { readonly span: Span | undefined };

type StepKind =
  | PacketStep
  | PingStep
  | TrafficStep
  | { readonly kind: "wait"; readonly ns: number }
  | { readonly kind: "link"; readonly a: string; readonly b: string; readonly up: boolean }
  | AskStep
  | PacketInsStep
  | DigestsStep;

interface PacketStep {
  readonly kind: "packet";
  readonly from: string;
  readonly frame: Uint8Array;
  /** The frame in the notation of the file. */
  readonly sent: PacketPattern;
  readonly expect: readonly { readonly at: string; readonly pattern: PacketPattern }[];
  readonly withinNs: number;
}

interface PingStep {
  readonly kind: "ping";
  readonly from: string;
  readonly to: string;
  readonly count: number;
  readonly ttl: number;
  readonly answered: Range;
}

interface PortName {
  readonly node: string;
  readonly port: number;
}

export interface TrafficStep {
  readonly kind: "traffic";
  readonly from: string;
  readonly to: string;
  readonly protocol: "udp" | "tcp";
  readonly flows: number;
  /** Flow n has the value of the first flow plus n in this field. */
  readonly vary: "source_port" | "port" | "source" | "destination";
  /** Of each flow. */
  readonly packets: number;
  readonly gapNs: number;
  /** After `after` packets of every flow, nothing is sent for `ns` nanoseconds. */
  readonly pause: { readonly after: number; readonly ns: number } | undefined;
  readonly bytes: number;
  readonly sourcePort: number;
  readonly port: number;
  readonly dscp: number;
  readonly ecn: number;
  readonly withinNs: number;
  readonly received: Range | undefined;
  readonly marked: Range | undefined;
  readonly ports: readonly { readonly port: PortName; readonly packets: Range }[];
  readonly split:
    | {
        readonly over: readonly PortName[];
        readonly used: Range | undefined;
        readonly each: Range | undefined;
      }
    | undefined;
  readonly inOrder: boolean;
}

interface AskStep {
  readonly kind: "ask";
  readonly switch: string;
  readonly line: string;
  readonly packets: Range | undefined;
  readonly bytes: Range | undefined;
  readonly value: Range | undefined;
  readonly count: Range | undefined;
  readonly says: string | undefined;
}

interface PacketInsStep {
  readonly kind: "packetIns";
  readonly switch: string;
  readonly count: Range;
  readonly metadata: ReadonlyMap<string, bigint>;
  readonly pattern: PacketPattern | undefined;
}

interface DigestsStep {
  readonly kind: "digests";
  readonly switch: string;
  readonly digest: string;
  readonly count: Range;
  /** Records that must be among them. */
  readonly has: readonly (readonly bigint[])[];
}

const KINDS = ["packet", "ping", "traffic", "wait", "link", "ask", "packet_ins", "digests"] as const;
/** Maximum width of values of packet-in metadata and digests: their real widths are known only with the program. */
const ANY_WIDTH = 128;

type Path = readonly PropertyKey[];

export class StepReader {
  readonly #hosts: ReadonlyMap<string, ExerciseHost>;
  readonly #switches: ReadonlySet<string>;

  constructor(
    readonly topology: ExerciseTopology,
    readonly headers: ReadonlyMap<string, HeaderLayout>,
    readonly locate: Locate,
    readonly diagnostics: Diagnostics,
  ) {
    this.#hosts = new Map(topology.hosts.map((host) => [host.name, host]));
    this.#switches = new Set(topology.switches.map(({ name }) => name));
  }

  /** Reports errors (P46302, P46303, P46304); after errors, the step may be incomplete. */
  read(raw: RawStep, path: Path): ExerciseStep | undefined {
    const kinds = KINDS.filter((kind) => raw[kind] !== undefined);
    const [kind] = kinds;
    const span = this.locate(path);
    if (kind === undefined || kinds.length > 1) {
      const got = kinds.length === 0 ? "none" : kinds.join(" and ");
      const message = `a step: expected one of ${KINDS.join(", ")}; got ${got}`;
      this.diagnostics.error(CODES.whichKind, span, message);
      return undefined;
    }
    return { span, ...this.#step(raw, [...path, kind]) };
  }

  #step(raw: RawStep, path: Path): StepKind {
    if (raw.packet !== undefined) return this.#packet(raw.packet, path);
    if (raw.ping !== undefined) {
      const { from, to, count, ttl, answered } = raw.ping;
      this.#host(from, [...path, "from"]);
      this.#host(to, [...path, "to"]);
      const all: Range = { low: count, high: count, percent: false };
      return { kind: "ping", from, to, count, ttl, answered: answered ?? all };
    }
    if (raw.traffic !== undefined) return this.#traffic(raw.traffic, path);
    if (raw.wait !== undefined) return { kind: "wait", ns: raw.wait };
    if (raw.link !== undefined) {
      const [a, b] = raw.link.between;
      const { links } = this.topology;
      const joined = links.some(
        (link) => (link.a.node === a && link.b.node === b) || (link.a.node === b && link.b.node === a),
      );
      if (!joined) {
        const known = links.map((link) => `${link.a.node} and ${link.b.node}`).join(", ");
        this.#unknown([...path, "between"], `${a} and ${b} have no link (there are links of ${known})`);
      }
      return { kind: "link", a, b, up: raw.link.state === "up" };
    }
    if (raw.ask !== undefined) {
      const { switch: name, line, packets, bytes, value, count, says } = raw.ask;
      this.#switch(name, [...path, "switch"]);
      return { kind: "ask", switch: name, line, packets, bytes, value, count, says };
    }
    if (raw.packet_ins !== undefined) {
      const { switch: name, count, metadata, packet } = raw.packet_ins;
      this.#switch(name, [...path, "switch"]);
      const values = Object.entries(metadata).map(
        ([key, value]) => [key, this.#value(value, [...path, "metadata", key])] as const,
      );
      const pattern = packet && { parts: this.#stack(packet, [...path, "packet"]) };
      return { kind: "packetIns", switch: name, count, metadata: new Map(values), pattern };
    }
    const { switch: name, digest, count, has } = raw.digests!;
    this.#switch(name, [...path, "switch"]);
    const records = has.map((record, index) =>
      record.map((value, member) => this.#value(value, [...path, "has", index, member])),
    );
    return { kind: "digests", switch: name, digest, count, has: records };
  }

  #packet(raw: NonNullable<RawStep["packet"]>, path: Path): PacketStep {
    const from = this.#host(raw.from, [...path, "from"]);
    const parts = this.#stack(raw.send, [...path, "send"]);
    const frame =
      from === undefined || this.diagnostics.hasErrors
        ? new Uint8Array()
        : buildFrame(parts, senderOf(from, this.topology.hosts));
    const expect = raw.expect.map(({ at, packet, bytes }, index) => {
      this.#host(at, [...path, "expect", index, "at"]);
      const parts = this.#stack(packet, [...path, "expect", index, "packet"]);
      return { at, pattern: { parts, ...given({ bytes }) } };
    });
    return { kind: "packet", from: raw.from, frame, sent: { parts }, expect, withinNs: raw.within };
  }

  #traffic(raw: NonNullable<RawStep["traffic"]>, path: Path): TrafficStep {
    this.#host(raw.from, [...path, "from"]);
    this.#host(raw.to, [...path, "to"]);
    const { pause, split, ports = {} } = raw;
    return {
      kind: "traffic",
      from: raw.from,
      to: raw.to,
      protocol: raw.protocol,
      flows: raw.flows,
      vary: raw.vary,
      packets: raw.packets,
      gapNs: raw.gap,
      pause: pause && { after: pause.after, ns: pause.for },
      bytes: raw.bytes,
      sourcePort: raw.source_port,
      port: raw.port,
      dscp: raw.dscp,
      ecn: raw.ecn,
      withinNs: raw.within,
      received: raw.received,
      marked: raw.marked,
      ports: Object.entries(ports).map(([name, packets]) => ({
        port: this.#port(name, [...path, "ports", name]),
        packets,
      })),
      split: split && {
        over: split.over.map((name, index) => this.#port(name, [...path, "split", "over", index])),
        used: split.used,
        each: split.each,
      },
      inOrder: raw.in_order,
    };
  }

  #stack(input: Parameters<typeof readStack>[0], path: Path): ReturnType<typeof readStack> {
    const names = { headers: this.headers, hosts: this.topology.hosts };
    return readStack(
      input,
      names,
      (inner) => this.locate([...path, ...inner]) ?? this.locate(path),
      this.diagnostics,
    );
  }

  #value(written: string | number, path: Path): bigint {
    const read = readValue(written, ANY_WIDTH, this.topology.hosts);
    if (typeof read === "bigint") return read;
    this.diagnostics.error(CODES.packet, this.locate(path), read);
    return 0n;
  }

  #host(name: string, path: Path): ExerciseHost | undefined {
    const host = this.#hosts.get(name);
    if (host === undefined) this.#noNode(name, "host", [...this.#hosts.keys()], path);
    return host;
  }

  #switch(name: string, path: Path): void {
    if (!this.#switches.has(name)) this.#noNode(name, "switch", [...this.#switches], path);
  }

  #noNode(name: string, kind: string, known: readonly string[], path: Path): void {
    this.#unknown(
      path,
      `there is no ${kind} ${name}${didYouMean(name, known, "")} (${kind}: ${known.join(", ")})`,
    );
  }

  /** `s1-p2`: a port of a switch that has a link. */
  #port(name: string, path: Path): PortName {
    const ends = this.topology.links
      .flatMap(({ a, b }) => [a, b])
      .filter(({ node }) => this.#switches.has(node));
    const found = ends.find(({ node, port }) => `${node}-p${port}` === name);
    if (found !== undefined) return found;
    const known = ends.map(({ node, port }) => `${node}-p${port}`).join(", ");
    this.#unknown(path, `there is no port ${name} with a link (ports: ${known})`);
    return { node: "", port: 0 };
  }

  #unknown(path: Path, message: string): void {
    this.diagnostics.error(CODES.unknownNode, this.locate(path), message);
  }
}
