/**
 * A fabric under updates, without packets: switches that keep what is written, hosts with flows that send and wait for their
 * acknowledgements, controllers that can be killed at any request. After each request every selector that is in use is walked.
 */
import { expect } from "vitest";
import { Random } from "../../../../src/base/index.js";
import type { FlowKey } from "../../../../src/base/packets/index.js";
import { ControllerHost } from "../../../../src/fabric/controllers/index.js";
import { CLIENT, type HostPolicy, type PathChooser } from "../../../../src/fabric/hosts/index.js";
import { type FabricPlan, hostPolicyOf } from "../../../../src/fabric/schemes/index.js";
import { pecmp } from "../../../../src/fabric/schemes/pecmp/index.js";
import { pecmpParameters } from "../../../../src/fabric/schemes/pecmp/parameters.js";
import { hostsOf, type Topology } from "../../../../src/fabric/topology/index.js";
import type { Device, Entity, ReadQuery, Update } from "../../../../src/toolchain/device/index.js";
import { entityKey } from "../../../../src/toolchain/device/index.js";
import { flowBetween, ModelFabric, type Walk } from "../model-fabric.js";

const MS = 1_000_000;

/** Keeps entities, and refuses what a P4Runtime switch refuses. */
class KeepingDevice {
  readonly entities = new Map<string, Entity>();

  apply(updates: readonly Update[]): void {
    for (const { type, entity } of updates) {
      const key = entityKey(entity);
      if (entity.kind === "tableEntry" && entity.isDefault === true) continue;
      if (type === "insert" && this.entities.has(key)) throw new Error(`ALREADY_EXISTS ${key}`);
      if (type !== "insert" && !this.entities.has(key)) throw new Error(`NOT_FOUND ${key}`);
      if (type === "delete") {
        this.entities.delete(key);
        this.#checkReferences();
      } else this.entities.set(key, entity);
    }
    this.#checkReferences();
  }

  /** No group names a member that is not there, no entry a group. */
  #checkReferences(): void {
    const members = new Set<string>();
    const groups = new Set<number>();
    for (const entity of this.entities.values()) {
      if (entity.kind === "member") members.add(`${entity.profile} ${entity.memberId}`);
      if (entity.kind === "group") groups.add(entity.groupId);
    }
    for (const entity of this.entities.values()) {
      if (entity.kind === "group")
        for (const { memberId } of entity.members)
          if (!members.has(`${entity.profile} ${memberId}`)) throw new Error("a group without its member");
      if (entity.kind === "tableEntry" && entity.action?.kind === "group")
        if (!groups.has(entity.action.groupId)) throw new Error("an entry without its group");
    }
  }
}

interface TestFlow {
  readonly key: FlowKey;
  readonly chooser: PathChooser;
  /** When the data in flight are acknowledged; undefined: none are. */
  doneAt: number | undefined;
  /** Selectors of packets that may still be in the network, and until when. */
  under: { selector: number; until: number }[];
  position: number;
}

/** Round trips of the flows, in milliseconds; a packet is in flight no longer than the longest. */
const ROUND_TRIPS = [0.4, 1.1, 2.7, 4.3];

export class UpdateWorld {
  now = 0;
  readonly log: string[] = [];
  /** Requests so far, and those at which the controller is killed. */
  calls = 0;
  readonly #kills: Set<number>;
  readonly #timers: { at: number; order: number; wake: () => void }[] = [];
  #order = 0;
  readonly #devices = new Map<number, KeepingDevice>();
  readonly #policies = new Map<number, HostPolicy>();
  readonly #flows: TestFlow[] = [];
  readonly #host: ControllerHost;
  readonly #plan: FabricPlan;
  /** Every way that a packet may take: the old one and those of the updates. */
  readonly #allowed: ModelFabric[] = [];
  failure: Error | undefined;
  /** The switches as they are. */
  readonly #present: ModelFabric;
  /** Ways of {@link #allowed}, which do not change, by flow and selector. */
  readonly #allowedWays = new WeakMap<ModelFabric, Map<string, Walk>>();

  constructor(
    readonly topology: Topology,
    readonly input: Parameters<typeof pecmpParameters.parse>[0],
    kills: readonly number[] = [],
  ) {
    this.#kills = new Set(kills);
    this.#plan = this.#planOf({});
    this.#allowed.push(this.#model(this.#plan));
    for (const { node, updates } of this.#plan.switches) {
      const device = new KeepingDevice();
      device.apply(updates);
      this.#devices.set(node, device);
    }
    this.#present = this.#model(this.#plan);
    const random = new Random(7);
    const hosts = hostsOf(topology);
    for (const { index, name, ports } of hosts)
      this.#policies.set(
        index,
        hostPolicyOf(this.#plan.hosts, {
          name,
          nics: ports.length,
          clock: { now: () => this.now, at: () => () => {} },
          random,
          tell: () => {},
        }),
      );
    for (const [i, from] of hosts.entries())
      for (const step of [1, 3]) {
        const to = hosts[(i + step) % hosts.length]!;
        const key = flowBetween(topology, from.name, to.name, random);
        const chooser = this.#policies.get(from.index)!.open(key, random, CLIENT);
        this.#flows.push({ key, chooser, doneAt: undefined, under: [], position: 0 });
      }
    this.#host = new ControllerHost(this.#plan.controllers!, {
      topology,
      clock: {
        now: () => this.now,
        at: (at, wake) => {
          const timer = { at: Math.max(at, this.now), order: this.#order++, wake };
          this.#timers.push(timer);
          return () => {
            const place = this.#timers.indexOf(timer);
            if (place >= 0) this.#timers.splice(place, 1);
          };
        },
      },
      session: (node) => ({
        device: this.#deviceOf(node),
        watchState: (listener) => {
          listener({ running: true, downPorts: new Set() });
          return () => {};
        },
      }),
      hostSession: (node) => ({
        ask: (message) => this.#request(() => this.#policies.get(node)!.onMessage!(message)),
        watch: () => () => {},
      }),
      random: new Random(1),
      log: (line) => void this.log.push(line.replace(/^\S+ /, "")),
      failed: (error) => void (this.failure ??= error),
    });
  }

  #planOf(spec: object): FabricPlan {
    return pecmp.plan(this.topology, pecmpParameters.parse({ ...(this.input as object), ...spec }));
  }

  #model(plan: FabricPlan): ModelFabric {
    const layout = this.#plan.hosts["layout"] as ConstructorParameters<typeof ModelFabric>[2];
    return new ModelFabric(this.topology, plan, layout);
  }

  #deviceOf(node: number): Device {
    const state = this.#devices.get(node)!;
    const read = (queries: readonly ReadQuery[]) =>
      [...state.entities.values()].filter(({ kind }) => queries.some((query) => query.kind === kind));
    const device: Partial<Device> = {
      read: (queries) => this.#request(() => read(queries)),
      write: (updates) =>
        this.#request(() => {
          state.apply(updates);
          this.#present.replace(this.#presentState(node));
        }),
    };
    return device as Device;
  }

  /** The request takes effect at once, and its answer comes 0.3 ms later; a controller that is killed gets no answer. */
  #request<T>(effect: () => T): Promise<T> {
    const call = ++this.calls;
    let answer: T;
    try {
      answer = effect();
    } catch (error) {
      this.failure ??= error as Error;
      throw error;
    }
    this.check();
    return new Promise((resolve) => {
      if (this.#kills.has(call)) {
        this.#host.kill("update");
        this.#at(this.now + 2 * MS, () => void this.#host.restart("update"));
        return;
      }
      this.#at(this.now + 0.3 * MS, () => resolve(answer));
    });
  }

  #at(at: number, wake: () => void): void {
    this.#timers.push({ at, order: this.#order++, wake });
  }

  /** Every selector that is in use leads along a way of one state, from end to end. */
  check(): void {
    const model = this.#present;
    for (const { key, chooser, under } of this.#flows) {
      const selectors = new Set([chooser.selector, ...under.map(({ selector }) => selector)]);
      for (const selector of selectors) {
        let way: Walk;
        try {
          way = model.walk(key, selector);
        } catch (error) {
          this.failure ??= error as Error;
          throw error;
        }
        const isWhole = this.#allowed.some((allowed) =>
          isSame(this.#allowedWay(allowed, key, selector), way),
        );
        if (!isWhole) this.failure ??= new Error(`a mixed way after request ${this.calls}`);
      }
    }
  }

  #allowedWay(allowed: ModelFabric, flow: FlowKey, selector: number): Walk {
    let ways = this.#allowedWays.get(allowed);
    if (ways === undefined) this.#allowedWays.set(allowed, (ways = new Map()));
    const key = `${flow.src} ${flow.dst} ${flow.srcPort} ${flow.dstPort} ${selector}`;
    let way = ways.get(key);
    if (way === undefined) ways.set(key, (way = allowed.walk(flow, selector)));
    return way;
  }

  #presentState(node: number): FabricPlan["switches"][number] {
    const { program } = this.#plan.switches.find((own) => own.node === node)!;
    const entities = [...this.#devices.get(node)!.entities.values()];
    return { node, program, updates: entities.map((entity) => ({ type: "insert", entity })) };
  }

  /** Flows send, and get acknowledgements; packets on one path do not overtake each other. */
  #traffic(): void {
    for (const [i, flow] of this.#flows.entries()) {
      flow.under = flow.under.filter(({ until }) => until > this.now);
      if (flow.doneAt !== undefined && flow.doneAt <= this.now) {
        flow.doneAt = undefined;
        flow.chooser.onDrained?.();
      }
      // A third of the flows pauses now and then; the others always have data in flight until they are held.
      const pauses = i % 3 === 0 && flow.doneAt === undefined && Math.floor(this.now / MS) % 5 < 2;
      if (pauses || (flow.chooser.holds === true && flow.doneAt !== undefined)) continue;
      const before = flow.under.at(-1)?.selector;
      const selector = flow.chooser.selectorFor!({
        position: flow.position++,
        bytes: 1,
        nowNs: this.now,
      });
      // A flow that keeps its path may have data of both versions in flight: they cannot overtake each other.
      if (flow.doneAt !== undefined && before !== undefined && before !== selector) {
        const [older, newer] = [before, selector].map((one) => this.#present.walk(flow.key, one));
        if (!isSame(older!, newer!)) this.failure ??= new Error("data on two paths are in flight");
      }
      const roundTrip = ROUND_TRIPS[i % ROUND_TRIPS.length]! * MS;
      flow.doneAt = this.now + roundTrip;
      flow.under.push({ selector, until: this.now + roundTrip });
    }
  }

  /** Runs an update, and advances time until `lines` more lines of the log contain `text`. */
  async update(spec: object, text: RegExp): Promise<void> {
    const target = this.#planOf(spec);
    this.#allowed.push(this.#model(target));
    const heard = () => this.log.filter((line) => text.test(line)).length;
    const before = heard();
    this.#host.command({ name: "update", values: JSON.parse(JSON.stringify(spec)) });
    await this.until(() => heard() > before);
  }

  async start(): Promise<void> {
    void this.#host.startAll();
    await settle();
  }

  async until(done: () => boolean): Promise<void> {
    for (let turns = 0; !done(); turns++) {
      if (this.failure !== undefined) throw this.failure;
      if (turns > 100_000) throw new Error(`no end: ${this.log.join("\n")}`);
      await settle();
      if (done()) return;
      const [next] = this.#timers.toSorted((a, b) => a.at - b.at || a.order - b.order);
      const tick = Math.floor(this.now / (MS / 5) + 1) * (MS / 5);
      if (next !== undefined && next.at <= tick) {
        this.#timers.splice(this.#timers.indexOf(next), 1);
        this.now = next.at;
        next.wake();
      } else {
        this.now = tick;
        this.#traffic();
      }
    }
    if (this.failure !== undefined) throw this.failure;
  }

  /** All hosts and switches have this state, and nothing else is left in the switches. */
  expectAt(spec: object, version: 0 | 1): void {
    for (const policy of this.#policies.values())
      expect(policy.onMessage!({ op: "state" })).toMatchObject({ version, pending: null, waiting: 0 });
    const wanted = this.#planOf(spec);
    const model = this.#model(wanted);
    for (const { node, updates } of wanted.switches) {
      const kinds = (entities: Iterable<Entity>) => {
        const counts: Record<string, number> = {};
        for (const entity of entities) {
          const what = entity.kind === "tableEntry" ? entity.table : entity.kind;
          // The selector keeps its width, where a new fabric would need another one.
          if (!what.endsWith("row_of_selector")) counts[what] = (counts[what] ?? 0) + 1;
        }
        return counts;
      };
      const inserted = updates.flatMap(({ type, entity }) => (type === "insert" ? [entity] : []));
      expect(kinds(this.#devices.get(node)!.entities.values())).toEqual(kinds(inserted));
    }
    this.#allowed.splice(0, this.#allowed.length, model);
    for (const flow of this.#flows) flow.under = [];
    this.check();
    if (this.failure !== undefined) throw this.failure;
  }

  close(): void {
    this.#host.killAll();
  }
}

function isSame(a: Walk, b: Walk): boolean {
  return a.links.length === b.links.length && a.links.every((link, i) => link === b.links[i]);
}

/** Runs all promises that are ready. */
async function settle(): Promise<void> {
  for (let i = 0; i < 12; i++) await Promise.resolve();
}
