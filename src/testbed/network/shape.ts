/** Rates and delays of links, by the kernel's queueing disciplines on both ends. */
import { fail } from "../../base/index.js";
import type { LabLink, LabSpec, Omission } from "../lab.js";
import { hostNamespace, switchNamespace } from "../run/record.js";
import { inParallel, setUp } from "../system/command.js";
import type { Qdiscs } from "../system/qdiscs.js";

/** Above it a link is left as it is: no software switch comes near, and a shaper would only cost time. */
const SHAPED_BELOW_BPS = 20e9;
/** A shaper may send so long in one go: a few ticks of the kernel's clock. */
const BURST_SECONDS = 0.004;
const LEAST_BURST_BYTES = 16_000;
/** Packets that wait before a shaped link: a switch's queue is inside the switch, this one only bridges bursts. */
const QUEUE_PACKETS = 100;
/** Packets that are under way on a link with a delay. */
const DELAYED_PACKETS = 100_000;
const PARALLEL = 4;

/** What the shaping of one end needs. */
interface Shape {
  readonly rateBps: number | undefined;
  readonly delayNs: number | undefined;
}

/** A link in messages. */
export function linkName({ a, b }: LabLink): string {
  return `${a.node}-${b.node}`;
}

/**
 * What of the links' rates and delays is to be set up here. Fails with P43105, naming the first link, for a property
 * that the kernel cannot give and that may not be missing; `log` is told what is left out.
 */
export function planShapes(
  spec: LabSpec,
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
    if (rateBps !== undefined && rateBps >= SHAPED_BELOW_BPS) {
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

function refuse(what: Omission, link: LabLink, value: string, why: string): never {
  fail(
    "P43105",
    undefined,
    `link ${linkName(link)} has a ${what} of ${value}: ${why}`,
    `without it: --allow-missing ${what}`,
    "p4loom doctor tells what this kernel has",
  );
}

/** Sets up what {@link planShapes} planned. */
export async function shapeLinks(
  id: string,
  spec: LabSpec,
  shapes: readonly Shape[],
  qdiscs: Qdiscs,
  stop: AbortSignal,
): Promise<void> {
  const hosts = new Set(spec.hosts.map((host) => host.name));
  const lines = new Map<string, string[]>();
  for (const [i, { a, b }] of spec.links.entries()) {
    for (const { node, interface: name } of [a, b]) {
      const namespace = hosts.has(node) ? hostNamespace(id, node) : switchNamespace(id);
      const own = lines.get(namespace) ?? [];
      own.push(...tcLines(name, shapes[i]!, qdiscs));
      lines.set(namespace, own);
    }
  }
  const jobs = [...lines].filter(([, own]) => own.length > 0);
  await inParallel(jobs, PARALLEL, async ([namespace, own]) => {
    const input = `${own.join("\n")}\n`;
    await setUp("rates and delays", ["tc", "-n", namespace, "-batch", "-"], { input, stop });
  });
}

/** Lines for `tc -batch`: a shaper at the root, the delay behind it. */
export function tcLines(name: string, { rateBps, delayNs }: Shape, qdiscs: Qdiscs): string[] {
  const delay = delayNs === undefined ? undefined : `netem delay ${delayNs / 1e3}us limit ${DELAYED_PACKETS}`;
  if (rateBps === undefined)
    return delay === undefined ? [] : [`qdisc add dev ${name} root handle 1: ${delay}`];
  const rate = `${Math.round(rateBps)}bit`;
  const burst = Math.max(LEAST_BURST_BYTES, Math.round((rateBps / 8) * BURST_SECONDS));
  if (qdiscs.htb) {
    return [
      `qdisc add dev ${name} root handle 1: htb default 1`,
      `class add dev ${name} parent 1: classid 1:1 htb rate ${rate} burst ${burst} cburst ${burst}`,
      `qdisc add dev ${name} parent 1:1 handle 2: ${delay ?? `pfifo limit ${QUEUE_PACKETS}`}`,
    ];
  }
  const limit = burst + QUEUE_PACKETS * 1514;
  return [
    `qdisc add dev ${name} root handle 1: tbf rate ${rate} burst ${burst} limit ${limit}`,
    ...(delay === undefined ? [] : [`qdisc add dev ${name} parent 1:1 handle 2: ${delay}`]),
  ];
}
