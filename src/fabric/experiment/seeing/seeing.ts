/** Observes one fabric while it runs, and writes files of it. */
import { join } from "node:path";
import { didYouMean, fail, fromHex, type Locate } from "../../../base/index.js";
import {
  type FlowKey,
  FrameFields,
  pcapngInterface,
  pcapngPacket,
  pcapngSection,
} from "../../../base/packets/index.js";
import { type Channel, type Fabric, NS_PER_S, SwitchNode } from "../../sim/packet/index.js";
import { nodeNamed, type Topology, type TopologyNode } from "../../topology/index.js";
import type { BootedFabric } from "../boot.js";
import { CODES } from "../codes.js";
import type { FabricExperiment, SeeingRequest } from "../experiment.js";
import { OutputFile } from "./output-file.js";
import { FabricRecorder } from "./timeline/fabric-recorder.js";
import { writeTimeline } from "./timeline/write.js";

/** What is observed of a run, and where the files go. */
export interface SeeingOrder {
  readonly request: SeeingRequest;
  /** Folder for results. */
  readonly folder: string;
}

/** As {@link SeeingOrder}, before the key `see` of a file was read. */
export interface SeeingFolder {
  readonly request: Partial<SeeingRequest>;
  readonly folder: string;
}

export interface Seeing {
  /** Completes and closes the files. */
  close(): void;
}

/** The run that is observed. */
export interface SeenRun {
  /** Name of its files. */
  readonly name: string;
  /** Title of its scheme. */
  readonly scheme: string;
  readonly seed: number;
}

/**
 * Begins to observe a booted fabric. `name` distinguishes its files from those of other fabrics of the run: `captures/NAME.pcapng`,
 * `traces/NAME-flow-N.jsonl`, `timelines/NAME.html`. Throws DiagnosticError: P43080, and P43011 for files that cannot be written.
 */
export function watchFabric(
  { topology, locate, settings }: FabricExperiment,
  { fabric, channels }: BootedFabric,
  { request, folder }: SeeingOrder,
  { name, scheme, seed }: SeenRun,
): Seeing {
  const watching: Seeing[] = [];
  if (request.pcap.length > 0) {
    const points = capturePoints(request.pcap, topology, locate);
    watching.push(new LinkCapture(fabric, points, join(folder, "captures", `${name}.pcapng`)));
  }
  if (request.flows.length > 0)
    watching.push(
      new FlowTrace(fabric, request.flows, (flow) => join(folder, "traces", `${name}-flow-${flow}.jsonl`)),
    );
  if (request.timeline) {
    const title = settings.title ?? settings.name;
    const recorder = new FabricRecorder(fabric, { title, scheme, seed, channels });
    watching.push({ close: () => writeTimeline(recorder.close(), folder, name) });
  }
  return {
    close() {
      for (const one of watching) one.close();
    },
  };
}

// Writes the frames of chosen links into a pcapng file while a simulation runs. Times are virtual, from the boot of the fabric.

class LinkCapture {
  readonly #file: OutputFile;
  readonly #stops: (() => void)[] = [];

  constructor(fabric: Fabric, points: readonly CapturePoint[], path: string) {
    this.#file = new OutputFile(path);
    this.#file.write(pcapngSection({ application: "p4loom" }));
    for (const { name, link } of points) {
      const speedBps = fabric.topology.links[link]!.rateBps;
      this.#file.write(pcapngInterface({ name, speedBps }));
    }
    const { simulation } = fabric.network;
    points.forEach(({ link, what }, number) => {
      const { aToB, bToA } = fabric.link(link);
      const write = (frame: Uint8Array, outbound: boolean | undefined) => {
        const seconds = Math.floor(simulation.now / NS_PER_S);
        const nanoseconds = Math.floor(simulation.now - seconds * NS_PER_S);
        this.#file.write(pcapngPacket({ interface: number, seconds, nanoseconds, frame, outbound }));
      };
      const arriving = (channel: Channel, outbound?: boolean) =>
        this.#stops.push(channel.tap({ arrived: (frame) => write(frame, outbound) }));
      const sending = (channel: Channel) =>
        this.#stops.push(channel.tap({ sent: (frame) => write(frame, true) }));
      if (what === "aToB") arriving(aToB);
      else if (what === "bToA") arriving(bToA);
      else {
        sending(what === "a" ? aToB : bToA);
        arriving(what === "a" ? bToA : aToB, false);
      }
    });
  }

  close(): void {
    for (const stop of this.#stops.splice(0)) stop();
    this.#file.close();
  }
}

// Finds the links of a topology to capture, by the names that users give.

/** One interface of a capture file. */
interface CapturePoint {
  /** `tor1:3`, or `tor1:3>leaf2:1`. */
  readonly name: string;
  /** Of the topology. */
  readonly link: number;
  /**
   * `aToB`, `bToA`: frames of this direction as they arrive. `a`, `b`: what that end sends and receives, as in a capture on its
   * interface.
   */
  readonly what: "aToB" | "bToA" | "a" | "b";
}

const FORMS = "write all, NODE (all its links), NODE:PORT, or two nodes with a space between them";

/**
 * Capture points in the order of the names, each once. `all` and nodes mean both directions of their links.
 * Throws DiagnosticError: P43080 for a name that fits nothing.
 */
function capturePoints(names: readonly string[], topology: Topology, locate: Locate): CapturePoint[] {
  const points = new Map<string, CapturePoint>();
  const add = (point: CapturePoint) => points.set(point.name, point);
  const addLink = (link: number) => {
    add({ name: directionName(topology, link, true), link, what: "aToB" });
    add({ name: directionName(topology, link, false), link, what: "bToA" });
  };
  for (const name of names) {
    const wrong = (message: string, note = FORMS): never =>
      fail(CODES.captureLink, locate(["see", "pcap"]), message, note);
    const find = (text: string): TopologyNode => {
      const node = nodeNamed(topology, text);
      const known = topology.nodes.map((one) => one.name);
      return node ?? wrong(`no node is called "${text}"${didYouMean(text, known, '"')}`);
    };
    const [first = "", second, ...more] = name.trim().split(/\s+/);
    const [, node, port] = /^(.+):(\d+)$/.exec(first) ?? [];
    if (more.length > 0) wrong(`"${name}" has more than two nodes`);
    else if (second !== undefined) {
      const [a, b] = [find(first), find(second)];
      const between = a.ports.filter(({ peer }) => peer === b.index);
      const peers = [...new Set(a.ports.map(({ peer }) => topology.nodes[peer]!.name))].join(", ");
      if (between.length === 0) wrong(`no link between ${a.name} and ${b.name}`, `its neighbours: ${peers}`);
      for (const { link } of between) addLink(link);
    } else if (first === "all") for (let link = 0; link < topology.links.length; link++) addLink(link);
    else if (node !== undefined && port !== undefined) {
      const found = find(node);
      const own = found.ports.find(({ number }) => number === Number(port));
      if (own === undefined)
        wrong(`${node} has no port ${port}`, `it has the ports 1 to ${found.ports.length}`);
      else {
        const { a } = topology.links[own.link]!;
        add({
          name: first,
          link: own.link,
          what: a.node === found.index && a.port === own.number ? "a" : "b",
        });
      }
    } else for (const { link } of find(first).ports) addLink(link);
  }
  return [...points.values()];
}

function directionName({ nodes, links }: Topology, link: number, forth: boolean): string {
  const { a, b } = links[link]!;
  const end = ({ node, port }: { node: number; port: number }) => `${nodes[node]!.name}:${port}`;
  return forth ? `${end(a)}>${end(b)}` : `${end(b)}>${end(a)}`;
}

// Traces what every switch does with the packets of chosen flows, in both directions: a trace document for each hop, as a JSON line in
// the file of the flow. `p4loom trace` reads them. All other packets are not traced, so they cost no more time.

class FlowTrace {
  readonly #files = new Map<number, OutputFile>();
  /** Number of a flow by its five-tuple, in both directions. */
  readonly #numbers = new Map<string, number>();
  readonly #fields = new FrameFields();
  readonly #switches: SwitchNode[];
  readonly #stop: () => void;

  /** @param path of the file of a flow */
  constructor(fabric: Fabric, flows: readonly number[], path: (flow: number) => string) {
    for (const flow of flows) this.#files.set(flow, new OutputFile(path(flow)));
    this.#switches = fabric.nodes.filter((node) => node instanceof SwitchNode);
    this.#stop = fabric.events.observe({
      flowOpened: (number, flow) => this.#opened(number, flow),
    });
    for (const { device } of this.#switches) {
      device.traceFilter = (_port, frame) => this.#numberOf(frame) !== undefined;
      device.trace = (packet) => {
        const number = this.#numberOf(fromHex(packet.input.bytes)!);
        const file = number === undefined ? undefined : this.#files.get(number);
        file?.write(Buffer.from(`${JSON.stringify(packet)}\n`));
      };
    }
  }

  #opened(number: number, flow: FlowKey): void {
    for (const key of [keyOf(flow), keyOf(reversed(flow))]) {
      // A later flow that is not traced may have the five-tuple of a traced one.
      if (this.#files.has(number)) this.#numbers.set(key, number);
      else this.#numbers.delete(key);
    }
  }

  close(): void {
    this.#stop();
    for (const { device } of this.#switches) {
      device.trace = undefined;
      device.traceFilter = undefined;
    }
    for (const file of this.#files.values()) file.close();
  }

  #numberOf(frame: Uint8Array): number | undefined {
    if (this.#numbers.size === 0) return undefined;
    const fields = this.#fields;
    fields.read(frame);
    const { ipVersion, srcAt, portsAt, protocol } = fields;
    if (ipVersion === 0 || portsAt === 0) return undefined;
    const length = ipVersion === 4 ? 4 : 16;
    const number = (at: number, bytes: number) => {
      let value = 0n;
      for (let i = at; i < at + bytes; i++) value = (value << 8n) | BigInt(frame[i]!);
      return value;
    };
    return this.#numbers.get(
      keyOf({
        src: number(srcAt, length),
        dst: number(srcAt + length, length),
        protocol,
        srcPort: Number(number(portsAt, 2)),
        dstPort: Number(number(portsAt + 2, 2)),
      }),
    );
  }
}

function reversed({ src, dst, protocol, srcPort, dstPort }: FlowKey): FlowKey {
  return { src: dst, dst: src, protocol, srcPort: dstPort, dstPort: srcPort };
}

function keyOf({ src, dst, protocol, srcPort, dstPort }: FlowKey): string {
  return `${src} ${srcPort} ${dst} ${dstPort} ${protocol}`;
}
