/**
 * Rates and delays of links, on both ends: by the kernel's queueing disciplines, or the rate by the switch itself, so
 * that packets wait in the queue that its program sees (`enq_qdepth`, `deq_qdepth`).
 *
 * P4Runtime has no rate for the ports of simple_switch. Its egress thread passes frames to a thread that writes them to a
 * blocking packet socket. Why its queues fill is an inference, not a measurement: when the frames that
 * wait in the kernel fill the socket's send buffer (net.core.wmem_default), the write waits; then the 128 frames between
 * both threads fill up, and then the queue of the port. So the kernel's queue at BMv2's end of a link must hold more than
 * the send buffer: a shorter queue drops frames, and the write never waits. Linux's default of 1000 frames, which Mininet
 * keeps, is long enough.
 */
import { defined, fail } from "../../../base/index.js";
import { CODES } from "../codes.js";
import { hostNamespace, switchNamespace } from "../run/record.js";
import { inParallel, setUp } from "../system/command.js";
import type { Qdiscs } from "../system/qdiscs.js";
import type { Omission, TestbedStartOptions } from "../testbed.js";
import type { SwitchEngine, TestbedLink, TestbedSpec } from "../testbed-spec.js";

/** Faster links are not shaped: no software switch reaches this rate, and a shaper would only cost time. */
const SHAPED_BELOW_BPS = 20e9;
/** Duration of the longest burst of a shaper: a few ticks of the kernel's clock. */
const BURST_SECONDS = 0.004;
const LEAST_BURST_BYTES = 16_000;
/** Frames that wait in the kernel before the link of a host, or of a switch that paces its ports itself. */
const QUEUE_PACKETS = 100;
/** The same at an end of BMv2, see above. */
const BLOCKING_QUEUE_PACKETS = 1000;
/** Our switch paces ports up to this rate. Above it, a timer for each frame that waits would cost too much time. */
const PACED_UP_TO_BPS = 100e6;
/** Maximum number of packets in flight on a link with a delay. */
const DELAYED_PACKETS = 100_000;
const PARALLEL = 4;

/** Whether a testbed sets this rate on links. */
export function isShaped(rateBps: number): boolean {
  return rateBps < SHAPED_BELOW_BPS;
}

/** What the shaping of one end needs. */
export interface Shape {
  readonly rateBps: number | undefined;
  readonly delayNs: number | undefined;
  /** Frames that wait for the rate; default {@link QUEUE_PACKETS}. */
  readonly queuePackets?: number;
}

/** Whether a switch's end of a link of this rate is paced by the switch, not by the kernel. */
function isPaced(engine: SwitchEngine, rateBps: number | undefined): rateBps is number {
  return engine === "switch" && rateBps !== undefined && rateBps <= PACED_UP_TO_BPS;
}

/** The testbed with the rates that our switches pace as properties of their ports. */
export function withPortRates(spec: TestbedSpec, engine: SwitchEngine): TestbedSpec {
  const rates = new Map<string, number>();
  for (const { a, b, rateBps } of spec.links)
    if (isPaced(engine, rateBps))
      for (const { node, interface: name } of [a, b]) rates.set(`${node} ${name}`, Math.round(rateBps));
  const switches = spec.switches.map((one) => ({
    ...one,
    ports: one.ports.map((port) => {
      const rateBps = rates.get(`${one.name} ${port.interface}`);
      return rateBps === undefined ? port : { ...port, rateBps };
    }),
  }));
  return { ...spec, switches };
}

/** A link in messages. */
export function linkName({ a, b }: TestbedLink): string {
  return `${a.node}-${b.node}`;
}

/**
 * Decides which rates and delays of links are set up here. Fails with P43105, naming the first link, for a property
 * that the kernel cannot provide and that may not be missing; `log` gets a line for each property that is left out.
 */
export function planShapes(
  spec: TestbedSpec,
  qdiscs: Qdiscs,
  allowMissing: ReadonlySet<Omission>,
  log: (line: string) => void,
): Shape[] {
  const told = new Set<string>();
  const once = (line: string): void => {
    if (!told.has(line)) log(line);
    told.add(line);
  };
  return spec.links.map((link): Shape => {
    let { rateBps, delayNs } = link;
    if (delayNs === 0) delayNs = undefined;
    if (rateBps !== undefined && !isShaped(rateBps)) {
      once(`links of ${rateBps / 1e9} Gbit/s are not shaped: that is more than this machine carries`);
      rateBps = undefined;
    }
    if (delayNs !== undefined && !qdiscs.netem) {
      const missing = `this kernel has no netem (sch_netem), so links have no delay`;
      if (!allowMissing.has("delay")) refuse("delay", link, `${delayNs / 1e3} us`, missing);
      once(`${missing}: left out, as --allow-missing delay says`);
      delayNs = undefined;
    }
    if (rateBps !== undefined && !qdiscs.htb && !qdiscs.tbf) {
      const missing = "this kernel has neither htb nor tbf (sch_htb, sch_tbf), so links have no rate";
      if (!allowMissing.has("rate")) refuse("rate", link, `${rateBps / 1e6} Mbit/s`, missing);
      once(`${missing}: left out, as --allow-missing rate says`);
      rateBps = undefined;
    }
    return { rateBps, delayNs };
  });
}

function refuse(what: Omission, link: TestbedLink, value: string, why: string): never {
  fail(
    CODES.kernelLacks,
    undefined,
    `link ${linkName(link)} has a ${what} of ${value}: ${why}`,
    `without it: --allow-missing ${what}`,
    "p4loom doctor shows what this kernel has",
  );
}

/** Sets up what {@link planShapes} planned. */
export async function shapeLinks(
  id: string,
  spec: TestbedSpec,
  shapes: readonly Shape[],
  qdiscs: Qdiscs,
  { engine, stop }: Pick<TestbedStartOptions, "engine" | "stop">,
): Promise<void> {
  const hosts = new Set(spec.hosts.map((host) => host.name));
  const lines = new Map<string, string[]>();
  for (const [i, { a, b }] of spec.links.entries()) {
    for (const { node, interface: name } of [a, b]) {
      const isHost = hosts.has(node);
      const namespace = isHost ? hostNamespace(id, node) : switchNamespace(id);
      const own = lines.get(namespace) ?? [];
      own.push(...tcLines(name, isHost ? defined(shapes[i]) : atSwitch(defined(shapes[i]), engine), qdiscs));
      lines.set(namespace, own);
    }
  }
  const jobs = [...lines].filter(([, own]) => own.length > 0);
  await inParallel(jobs, PARALLEL, async ([namespace, own]) => {
    const input = `${own.join("\n")}\n`;
    await setUp("rates and delays", ["tc", "-n", namespace, "-batch", "-"], { input, stop });
  });
}

/** Lines for `tc -batch` that give one end of a link this shape with a longer delay, in place of `before` nanoseconds. */
export function longerDelayLines(
  name: string,
  shape: Shape,
  extraNs: { readonly before: number; readonly now: number },
  qdiscs: Qdiscs,
): string[] {
  const longer = (extra: number): string[] => {
    const sum = (shape.delayNs ?? 0) + extra;
    return tcLines(name, { ...shape, delayNs: sum === 0 ? undefined : sum }, qdiscs);
  };
  // Without rate and delay, p4loom has set no discipline on the interface that could be removed.
  const removal = longer(extraNs.before).length === 0 ? [] : [`qdisc del dev ${name} root`];
  return [...removal, ...longer(extraNs.now)];
}

/** The part of a shape that the kernel sets up at a switch's end. */
export function atSwitch(shape: Shape, engine: SwitchEngine): Shape {
  if (isPaced(engine, shape.rateBps)) return { ...shape, rateBps: undefined };
  return engine === "bmv2" ? { ...shape, queuePackets: BLOCKING_QUEUE_PACKETS } : shape;
}

/** Lines for `tc -batch`: a shaper at the root, the delay below it. */
export function tcLines(
  name: string,
  { rateBps, delayNs, queuePackets = QUEUE_PACKETS }: Shape,
  qdiscs: Qdiscs,
): string[] {
  const delay = delayNs === undefined ? undefined : `netem delay ${delayNs / 1e3}us limit ${DELAYED_PACKETS}`;
  if (rateBps === undefined)
    return delay === undefined ? [] : [`qdisc add dev ${name} root handle 1: ${delay}`];
  const rate = `${Math.round(rateBps)}bit`;
  const burst = Math.max(LEAST_BURST_BYTES, Math.round((rateBps / 8) * BURST_SECONDS));
  if (qdiscs.htb) {
    return [
      `qdisc add dev ${name} root handle 1: htb default 1`,
      `class add dev ${name} parent 1: classid 1:1 htb rate ${rate} burst ${burst} cburst ${burst}`,
      `qdisc add dev ${name} parent 1:1 handle 2: ${delay ?? `pfifo limit ${queuePackets}`}`,
    ];
  }
  const limit = burst + queuePackets * 1514;
  return [
    `qdisc add dev ${name} root handle 1: tbf rate ${rate} burst ${burst} limit ${limit}`,
    ...(delay === undefined ? [] : [`qdisc add dev ${name} parent 1:1 handle 2: ${delay}`]),
  ];
}
