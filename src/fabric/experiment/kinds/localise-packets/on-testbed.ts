/** Probes on real switches: the agents of the hosts send and answer them. */
import { defined, Random } from "../../../../base/index.js";
import { type Agent, monotonicNs } from "../../../testbed/index.js";
import { hostsOf } from "../../../topology/index.js";
import { TestbedFaults } from "../../faults/on-testbed.js";
import { sleepUntil } from "../../testbed/flow-watch.js";
import { LoadMeter, saturationWarnings } from "../../testbed/machine-load.js";
import type { SchemeUnit, TestbedSide } from "../kind.js";
import type { LocalisePackets } from "./check.js";
import type { Probe } from "./probes.js";
import { type LocaliseOnEngine, search } from "./search.js";

/** Time from the request to the first probe: long enough for every agent to receive the request. */
const LEAD_NS = 5_000_000;

/** How the search runs on real switches. */
export const LOCALISE_ON_TESTBED: TestbedSide<LocalisePackets, SchemeUnit, LocaliseOnEngine, undefined> = {
  /** One failure at a time. */
  check: async () => 1,
  prepare: async () => undefined,
  async run(experiment, { scheme }, { fabric, seed, controllers, stepDone }) {
    const { journal, testbed } = fabric.run;
    const { topology } = experiment;
    const agents = new Map<number, Agent>();
    for (const { index } of hostsOf(topology)) agents.set(index, await fabric.agent(index));
    await controllers.start();
    const meter = new LoadMeter(testbed);
    await meter.start();
    const failures = await search(experiment, scheme, new Random(seed).fork("localise"), {
      now: monotonicNs,
      async inject(fault) {
        const faults = new TestbedFaults(topology, fabric.faultyTestbed, new Map([[fault, 0]]));
        await faults.begin(fault);
        return () => faults.endAll();
      },
      send: (probes) => sendProbes(experiment, agents, fabric.run.stop, probes),
      stepDone,
    });
    const load = await meter.stop();
    for (const { what, loss, named } of failures)
      for (const { failed, named: name, probes, time } of named)
        journal.write(
          `${scheme.label}, ${what} ${loss}: ${failed} failed, named ${name ?? "nothing"} after ${probes} probes, ${(time / 1e6).toFixed(0)} ms`,
        );
    return { failures, load };
  },
  warnings: (outcomes) => saturationWarnings(outcomes.map(({ load }) => load)),
};

/** Each host sends its probes one after the other; all hosts send at the same time. */
async function sendProbes(
  { settings, topology }: LocalisePackets,
  agents: ReadonlyMap<number, Agent>,
  stop: AbortSignal,
  probes: readonly Probe[],
): Promise<boolean[]> {
  const { probe_interval, probe_timeout, traffic } = settings;
  const start = monotonicNs() + LEAD_NS;
  const answered = probes.map(() => false);
  const sendOne = async (i: number) => {
    const { source, destination, clientPort, port, forward, reverse } = defined(probes[i]);
    const { ipv4, ipv6 } = defined(defined(topology.nodes[destination]).host);
    const answer = await defined(agents.get(source)).probe({
      to: traffic.ip === 4 ? ipv4 : ipv6,
      ipVersion: traffic.ip,
      port,
      clientPort,
      forward: [forward],
      reverse: [reverse],
      count: 1,
      timeoutNs: probe_timeout,
    });
    answered[i] = defined(answer.reverse[0]).received > 0;
  };
  const sources = [...new Set(probes.map(({ source }) => source))];
  await Promise.all(
    sources.map(async (source) => {
      const under: Promise<void>[] = [];
      for (const [i, probe] of probes.entries()) {
        if (probe.source !== source) continue;
        await sleepUntil(start + under.length * probe_interval, stop);
        under.push(sendOne(i));
        // A host takes 64 requests at once.
        if (under.length % AT_ONCE === 0) await Promise.all(under);
      }
      await Promise.all(under);
    }),
  );
  return answered;
}

/** Maximum number of probes of one host that wait for their answers. */
const AT_ONCE = 64;
