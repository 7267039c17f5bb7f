/** Load on real switches: the flows of the workload by the kernel's TCP, at their times, measured as in the simulator. */
import { defined, given, Random } from "../../../../base/index.js";
import { type InterfaceCounters, monotonicNs, type Testbed, testbedOf } from "../../../testbed/index.js";
import { hostsOf, type Topology } from "../../../topology/index.js";
import type { FlowArrival } from "../../../traffic/index.js";
import { listedFaultTables, withFaults } from "../../faults/during-testbed.js";
import type { Fault } from "../../faults/fault.js";
import { faultTables } from "../../faults/fault-entries.js";
import { sleepUntil } from "../../testbed/flow-watch.js";
import { LoadMeter, saturationWarnings } from "../../testbed/machine-load.js";
import type { SchemeOnTestbed } from "../../testbed/scheme-on-testbed.js";
import type { SchemeUnit, TestbedSide, TestbedStage } from "../kind.js";
import { endOf, noneMeasured } from "./check.js";
import { FlowRecorder } from "./flow-lines.js";
import { IdealTimes, kernelFrameSizes } from "./ideal-time.js";
import type { LoadFigures, LoadOutcome } from "./load-figures.js";
import { FlowMeter, type MeteredFlow } from "./meters/flow-meter.js";
import { type Halves, HalvesMeter } from "./meters/halves-meter.js";
import { type LinkUse, linkUse } from "./meters/link-meter.js";
import type { Load } from "./schema.js";
import { checkLoadOnTestbed, isDirect } from "./testbed/check.js";
import { TestbedFlows } from "./testbed/testbed-flows.js";

// The halves of the window on a testbed. Flows are requested before they start, and receivers tell of their payload only when they are asked: flows
// wait here for their starts, and the payload is as of the last question.

/** Nanoseconds between two questions for the payload that has arrived. */
const ASK_NS = 250e6;

export class TestbedHalves {
  readonly #meter: HalvesMeter;
  readonly #ask: () => Promise<void>;
  /** Requested flows that have not started yet. */
  #waiting: MeteredFlow[] = [];
  #askedAt = 0;
  #isOpen = false;

  /**
   * @param delivered payload of all flows that receivers have in order, as of the last question
   * @param ask asks the receivers
   */
  constructor(delivered: () => number, ask: () => Promise<void>) {
    // Utilisation is that of the whole window: the counters of all interfaces are read at its ends only.
    this.#meter = new HalvesMeter(() => ({ delivered: delivered(), busyNs: undefined }));
    this.#ask = ask;
  }

  /** The window begins `now` nanoseconds after the start of the traffic, just after the receivers were asked. */
  begin(now: number): void {
    this.#meter.begin(now);
    this.#askedAt = now;
    this.#isOpen = true;
  }

  /** A flow was requested, which starts at its time. */
  requested(flow: MeteredFlow): void {
    this.#waiting.push(flow);
  }

  completed(flow: MeteredFlow, now: number): void {
    this.#start(now);
    this.#meter.completed(flow, now);
  }

  /** Time has passed. */
  async look(now: number): Promise<void> {
    if (this.#isOpen && now - this.#askedAt >= ASK_NS) {
      this.#askedAt = now;
      await this.#ask();
    }
    this.#start(now);
  }

  /** The window ends, just after the receivers were asked. */
  end(now: number): void {
    this.#start(now);
    this.#meter.end(now);
    this.#isOpen = false;
  }

  figures(): Halves | undefined {
    return this.#meter.figures();
  }

  #start(now: number): void {
    const due = this.#waiting.filter(({ arrival }) => arrival.startNs <= now);
    if (due.length === 0) return;
    this.#waiting = this.#waiting.filter(({ arrival }) => arrival.startNs > now);
    for (const flow of due.sort((a, b) => a.arrival.startNs - b.arrival.startNs)) this.#meter.started(flow);
  }
}

// Counts of links and lost frames of a testbed, from the kernel's counters at the interfaces of its switches.

type Counters = ReadonlyMap<string, InterfaceCounters>;

/** Interface that counts the frames of a direction of a link: at the switch that sends them, or that receives them from a host. */
interface Place {
  readonly interface: string;
  /** Whether the switch of the interface sends them. */
  readonly sends: boolean;
}

const QUIET_MS = 50;
const MOST_LOOKS = 40;

class FabricCounters {
  readonly #testbed: Testbed;
  readonly #topology: Topology;
  /** By direction of a link: index 2 * link, plus 1 for the direction from end `b`. */
  readonly #places: readonly Place[];
  /** Interfaces by switch. */
  readonly #switches: ReadonlyMap<string, readonly string[]>;
  #start: Counters | undefined;
  #begin: { readonly at: number; readonly counters: Counters } | undefined;

  constructor(testbed: Testbed, topology: Topology) {
    this.#testbed = testbed;
    this.#topology = topology;
    const spec = testbedOf(topology);
    const isSwitch = new Set(spec.switches.map(({ name }) => name));
    this.#places = spec.links.flatMap(({ a, b }) =>
      [
        [a, b],
        [b, a],
      ].map(([from, to]): Place => {
        const sends = isSwitch.has(defined(from).node);
        return { interface: (sends ? defined(from) : defined(to)).interface, sends };
      }),
    );
    this.#switches = new Map(
      spec.switches.map(({ name, ports }) => [name, ports.map((port) => port.interface)]),
    );
  }

  /** Called before the first frame: lost frames are counted from here. */
  async start(): Promise<void> {
    this.#start = await this.#testbed.counters();
  }

  /** Begins the window of the links; `now` in nanoseconds. */
  async begin(now: number): Promise<void> {
    this.#begin = { at: now, counters: await this.#testbed.counters() };
  }

  /** Ends the window: the use of each direction of each link, in the order of the topology. */
  async end(now: number): Promise<LinkUse[]> {
    const { at, counters: before } = defined(this.#begin);
    if (now <= at) return [];
    const after = await this.#testbed.counters();
    const counts = this.#places.map(({ interface: name, sends }) => {
      const [old, own] = [defined(before.get(name)), defined(after.get(name))];
      return sends
        ? { packets: own.sentFrames - old.sentFrames, bytes: own.sentBytes - old.sentBytes }
        : { packets: own.receivedFrames - old.receivedFrames, bytes: own.receivedBytes - old.receivedBytes };
    });
    return linkUse(this.#topology, counts, now - at);
  }

  /**
   * Called when no host sends any more: number of frames that each switch received and did not send, by switch. Frames that a program
   * creates or copies reduce the number.
   */
  async lost(): Promise<Map<string, number>> {
    const after = await this.#quiet();
    const before = defined(this.#start);
    const missing = (name: string, counters: Counters) => {
      const { receivedFrames, sentFrames } = defined(counters.get(name));
      return receivedFrames - sentFrames;
    };
    return new Map(
      [...this.#switches].map(([name, interfaces]) => [
        name,
        Math.max(
          0,
          interfaces.reduce((sum, one) => sum + missing(one, after) - missing(one, before), 0),
        ),
      ]),
    );
  }

  /** The counters when two readings are equal: queues are then empty. */
  async #quiet(): Promise<Counters> {
    let last = await this.#testbed.counters();
    for (let look = 0; look < MOST_LOOKS; look++) {
      await new Promise((resolve) => setTimeout(resolve, QUIET_MS));
      const now = await this.#testbed.counters();
      if (sum(now) === sum(last)) return now;
      last = now;
    }
    return last;
  }
}

function sum(counters: Counters): number {
  let frames = 0;
  for (const { sentFrames, receivedFrames } of counters.values()) frames += sentFrames + receivedFrames;
  return frames;
}

/** From the start of the agents to the start of the traffic. */
const LEAD_NS = 500e6;
/** Time between the request for a flow and its start. */
const AHEAD_NS = 300e6;
/** Time between two checks for flows to request, and for the end of the run. */
const LOOK_NS = 20e6;

type Tables = ReadonlyMap<Fault, number>;

/** How a load experiment runs on real switches. */
export const LOAD_ON_TESTBED: TestbedSide<Load, SchemeUnit, LoadOutcome, Tables> = {
  kernelTcp: true,
  async check(experiment, engine, stop) {
    checkLoadOnTestbed(experiment, engine);
    return await listedFaultTables(experiment, engine, stop);
  },
  direct: isDirect,
  async prepare({ topology, faults }) {
    return faultTables(topology, faults)!;
  },
  async run(experiment, { scheme }, { fabric, seed, prepared, controllers, stepDone }) {
    const meter = new LoadMeter(fabric.run.testbed);
    const figures = await new TestbedLoad(experiment, fabric, seed, meter).play(prepared, controllers);
    await stepDone();
    return { scheme, ...figures };
  },
  warnings: (outcomes) => saturationWarnings(outcomes.map(({ load }) => load)),
};

class TestbedLoad {
  readonly #meter: FlowMeter;
  readonly #recorder: FlowRecorder;
  readonly #counters: FabricCounters;
  #halves: TestbedHalves | undefined;
  #nominalBps: number | undefined;
  #windowEnd: number | undefined;
  #links: LinkUse[] = [];
  #started = 0;
  #lastNs = 0;
  #drawn = false;

  constructor(
    readonly experiment: Load,
    readonly fabric: SchemeOnTestbed,
    readonly seed: number,
    readonly machine: LoadMeter,
  ) {
    const { settings, topology } = experiment;
    const ideal = new IdealTimes(topology, kernelFrameSizes(settings));
    this.#meter = new FlowMeter(settings.sizes, settings.warm_up, (arrival) => ideal.of(arrival));
    this.#recorder = new FlowRecorder(topology, settings);
    this.#counters = new FabricCounters(fabric.run.testbed, topology);
  }

  async play(tables: Tables, controllers: TestbedStage<Tables>["controllers"]): Promise<LoadFigures> {
    const { experiment, fabric, seed } = this;
    const { settings, topology } = experiment;
    const random = new Random(seed);
    await controllers.start();
    const start = () => monotonicNs() + LEAD_NS;
    const hosts = hostsOf(topology);
    const flows = await TestbedFlows.make(
      { fabric, topology, settings, random: random.fork("flows") },
      hosts,
      start,
    );
    await this.#counters.start();
    await this.machine.start();
    this.#halves = new TestbedHalves(
      () => this.#meter.delivered(),
      () => flows.askDelivered(),
    );
    const times = { start: flows.start, duration: endOf(settings) };
    return await withFaults(experiment, fabric, tables, times, async () => {
      await this.#drive(flows, random.fork("traffic"));
      const load = await this.machine.stop();
      const endNs = monotonicNs() - flows.start;
      if (this.#meter.measured === 0)
        noneMeasured(experiment, { count: this.#started, lastNs: this.#lastNs });
      for (const flow of this.#meter.openFlows()) this.#recorder.unfinished(flow);
      const openAtEnd = this.#meter.open;
      await flows.closeAll();
      await controllers.stop();
      const lost = await this.#counters.lost();
      this.#writeJournal(flows, lost);
      const groups = this.#meter.groups();
      const halves = this.#halves?.figures();
      return {
        seed,
        flows: this.#meter.classes(),
        ...given({ groups }),
        started: this.#started,
        openAtEnd,
        window: [settings.warm_up, defined(this.#windowEnd)],
        endNs: Math.round(endNs),
        ...given({
          nominalBps: this.#nominalBps,
          halves,
          links: this.#links.length === 0 ? undefined : this.#links,
        }),
        lostAtSwitches: Object.fromEntries([...lost].filter(([, frames]) => frames > 0)),
        load,
        ...this.#recorder.lines(),
      };
    });
  }

  /** Requests flows before their starts, until all measured ones have ended or the drain is over. */
  async #drive(flows: TestbedFlows, random: Random): Promise<void> {
    const { settings, traffic } = this.experiment;
    const { warm_up, drain } = settings;
    const { duration } = settings.traffic;
    const { stop } = this.fabric.run;
    const workload = traffic.workload(random);
    this.#nominalBps = workload.offeredBps;
    const since = () => monotonicNs() - flows.start;
    const begin = (arrival: FlowArrival) => {
      this.#started++;
      this.#lastNs = Math.max(this.#lastNs, arrival.startNs);
      const running = flows.begin(arrival, {
        completed: (atNs) => {
          const now = atNs - flows.start;
          this.#meter.completed(flow, now);
          this.#halves?.completed(flow, now);
          this.#recorder.completed(flow, now);
          for (const next of workload.completed?.(arrival, Math.round(Math.max(now, since()))) ?? [])
            begin(next);
        },
        ended: () => this.#meter.ended(flow),
      });
      const flow: MeteredFlow = this.#meter.started(arrival, running.counters);
      this.#halves?.requested(flow);
    };
    let next = workload.next();
    let isOpen = false;
    for (;;) {
      while (next !== undefined && next.startNs <= since() + AHEAD_NS) {
        begin(next);
        next = workload.next();
      }
      this.#drawn = next === undefined;
      await this.#halves?.look(since());
      if (!isOpen && since() >= warm_up) {
        isOpen = true;
        await this.#openWindow(flows, since());
      }
      if (isOpen && duration !== undefined && since() >= duration) await this.#closeWindow(flows, since());
      const isLast =
        workload.completed === undefined ? this.#drawn : this.#started === settings.traffic.flows;
      const ends = duration === undefined && isLast && this.#lastNs > warm_up && since() >= this.#lastNs;
      if (isOpen && ends) await this.#closeWindow(flows, since());
      if (this.#isOver(workload.completed !== undefined, since(), drain)) break;
      await sleepUntil(monotonicNs() + LOOK_NS, stop);
    }
    if (!isOpen) await this.#openWindow(flows, since());
    await this.#closeWindow(flows, since());
  }

  #isOver(startsOthers: boolean, now: number, drain: number): boolean {
    if (!this.#drawn || now < this.#lastNs) return false;
    // Flows of the warm-up must end too only where their completions start other flows.
    if ((startsOthers ? this.#meter.open : this.#meter.openMeasured) === 0) return true;
    return now >= this.#lastNs + drain;
  }

  async #openWindow(flows: TestbedFlows, now: number): Promise<void> {
    await Promise.all([flows.askDelivered(), this.#counters.begin(now)]);
    this.#meter.window("begin");
    this.#halves?.begin(now);
  }

  async #closeWindow(flows: TestbedFlows, now: number): Promise<void> {
    if (this.#windowEnd !== undefined) return;
    this.#windowEnd = Math.round(now);
    const [links] = await Promise.all([this.#counters.end(now), flows.askDelivered()]);
    this.#links = links;
    this.#meter.window("end");
    this.#halves?.end(this.#windowEnd);
  }

  #writeJournal({ broken, brokenBy }: TestbedFlows, lost: ReadonlyMap<string, number>): void {
    const { journal } = this.fabric.run;
    const { label } = this.fabric.scheme;
    journal.write(`${label}: frames lost at switches: ${JSON.stringify(Object.fromEntries(lost))}`);
    journal.fact(
      "Real switches do not report the lengths of their queues, so there are no figures of queues. Lost packets are frames that entered a switch and did not leave it.",
    );
    if (broken > 0) journal.fact(`${label}: ${broken} connections broke, one with: ${brokenBy}.`);
  }
}
