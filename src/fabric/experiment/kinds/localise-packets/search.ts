/** The search for the element that loses packets, on any engine: probes in batches, inference, the next batch through the suspects. */
import { fail, type Random } from "../../../../base/index.js";
import { elementsOf, type Finding, Localiser, type NetworkElement, Twins } from "../../../paths/index.js";
import { CODES } from "../../codes.js";
import type { SchemeRun } from "../../experiment.js";
import { type Element, type Fault, SILENCE } from "../../faults/fault.js";
import type { RunLoad } from "../../testbed/machine-load.js";
import { linksInto } from "../localise/outcome.js";
import { type Result, resultOf } from "../localise/result.js";
import { type FailureClass, failureClasses, type LocalisePackets } from "./check.js";
import { type NextProbe, type Probe, ProbeSource } from "./probes.js";

/** Operations of an engine. Times in nanoseconds, of its own clock. */
export interface ProbeEngine {
  now(): number;
  /** Injects a fault; the returned function ends it. */
  inject(fault: Fault): Promise<() => Promise<void>>;
  /** Sends probes, each host one after the other; returns for each whether it was answered in time. */
  send(probes: readonly Probe[]): Promise<readonly boolean[]>;
  /** A failure is over. */
  stepDone(): Promise<void>;
}

/** Result of the search for one failure. */
export interface Named {
  /** Names of the failed element, and of the found one or of a set; null: none was found. */
  readonly failed: string;
  readonly named: string | null;
  readonly result: Result;
  readonly probes: number;
  /** Nanoseconds from the failure to the result. */
  readonly time: number;
  /** Probes that contradict the path model: lost without a failure on their path, or answered across an element that loses everything. */
  readonly contradicted: number;
}

export interface NamedFailures extends FailureClass {
  readonly named: readonly Named[];
}

/** All failures of one scheme, one after the other. */
export async function search(
  experiment: LocalisePackets,
  scheme: SchemeRun,
  random: Random,
  engine: ProbeEngine,
): Promise<NamedFailures[]> {
  const { topology, settings } = experiment;
  const twins = new Twins(topology, scheme.plan.pathModel!(), true);
  const source = new ProbeSource(topology, scheme, settings.traffic.ip, random.fork("pool"));
  await warmUp(source.probes(random.fork("rehearsal")), settings.probes_at_once, engine);
  const found: NamedFailures[] = [];
  for (const { what, loss } of failureClasses(settings)) {
    const candidates = elementsOf(topology).filter(({ kind }) => kind === what);
    // All schemes have the same failures.
    const draw = random.fork(`${what} ${loss}`);
    const named: Named[] = [];
    for (let i = 0; i < settings.failures; i++) {
      const failed = draw.pick(candidates);
      const next = source.probes(draw.fork(i));
      const end = await engine.inject(faultOf(failed, loss, i));
      try {
        named.push(await nameOne(experiment, twins, { failed, loss, next }, engine));
      } finally {
        await end();
      }
      await engine.stepDone();
    }
    found.push({ what, loss, named });
  }
  return found;
}

/** Maximum number of batches that are sent before the first failure. */
const MAX_WARM_UPS = 20;

/** Sends probes until all of a batch are answered: then agents and address tables are ready. Fails with P45511 where that never happens. */
async function warmUp(next: NextProbe, size: number, engine: ProbeEngine): Promise<void> {
  let lost = 0;
  for (let i = 0; i < MAX_WARM_UPS; i++) {
    const answered = await engine.send(Array.from({ length: size }, () => next([])));
    lost = answered.filter((one) => !one).length;
    if (lost === 0) return;
  }
  fail(
    CODES.probesLost,
    undefined,
    `${lost} of ${size} probes get no answer in time before any failure`,
    "give them more time with probe_timeout, or send fewer at once with probes_at_once",
  );
}

async function nameOne(
  { topology, settings }: Pick<LocalisePackets, "topology" | "settings">,
  twins: Twins,
  {
    failed,
    loss,
    next,
  }: { readonly failed: NetworkElement; readonly loss: number; readonly next: NextProbe },
  engine: ProbeEngine,
): Promise<Named> {
  const { confidence, most_probes, probes_at_once, noise } = settings;
  const localiser = new Localiser(twins, { confidence, noise });
  const meets = linksInto(topology, failed);
  const start = engine.now();
  let contradicted = 0;
  let sent = 0;
  while (sent < most_probes) {
    const batch = Array.from({ length: Math.min(probes_at_once, most_probes - sent) }, () =>
      next(localiser.suspects),
    );
    const answered = await engine.send(batch);
    for (const [i, { links }] of batch.entries()) {
      const arrived = answered[i]!;
      localiser.add(links, arrived);
      const crosses = links.some((link) => meets[link] === 1);
      if (arrived ? crosses && loss === 1 : !crosses) contradicted++;
    }
    sent += batch.length;
    const finding = localiser.judge();
    if (finding.kind === "open") continue;
    const named = textOf(finding);
    const time = engine.now() - start;
    return {
      failed: failed.name,
      named,
      result: resultOf(finding, [failed]),
      probes: sent,
      time,
      contradicted,
    };
  }
  const time = engine.now() - start;
  const finding: Finding = localiser.several ?? { kind: "open" };
  const result = resultOf(finding, [failed]);
  return { failed: failed.name, named: textOf(finding), result, probes: sent, time, contradicted };
}

/** Elements that no probe can tell apart, and pairs that fail like them; of two faults the likely pairs. Null: nothing was found. */
function textOf(finding: Finding): string | null {
  switch (finding.kind) {
    case "open":
      return null;
    case "named":
      return [
        ...finding.elements.map(({ name }) => name),
        ...finding.pairs.map(([a, b]) => `or both of ${a.name} and ${b.name}`),
      ].join(", ");
    case "several":
      return finding.sets
        .map(({ elements: [a, b], confidence }) => `${a.name} and ${b.name} (${confidence.toFixed(3)})`)
        .join(", or ");
  }
}

function faultOf({ kind, number }: NetworkElement, loss: number, place: number): Fault {
  const element: Element =
    kind === "switch"
      ? { kind: "node", index: number }
      : kind === "link" || kind === "host_link"
        ? { kind: "link", index: number, ways: "both" }
        : { kind: "link", index: number >> 1, ways: (number & 1) === 0 ? "out" : "in" };
  const effect = loss === 1 ? SILENCE : { kind: "packets" as const, loss, corruption: 0, delay: 0 };
  return { number: place, element, effect, match: undefined, at: 0, until: undefined, flap: undefined };
}

export interface LocaliseOnEngine {
  readonly failures: readonly NamedFailures[];
  /** Load of the machine; absent on the simulator. */
  readonly load?: RunLoad;
}
