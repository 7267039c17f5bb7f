/**
 * Hosts whose selectors carry a version bit (section 3.4). A controller asks them to change it.
 *
 * The new rows may send a flow over another path, and then a packet of the new version may overtake one of the old version. So under
 * `drained` a flow that moves, with data in flight, sends no new data until all of them are acknowledged, and continues with the new
 * version. A flow that keeps its path changes at once. An acknowledgement without data changes at once: an older one that arrives late has no effect.
 */

import type { Json, Random } from "../../../../base/index.js";
import { given } from "../../../../base/index.js";
import type { FlowKey } from "../../../../base/packets/index.js";
import { PROTOCOL_TCP } from "../../../../base/packets/index.js";
import type {
  ConnectionEnd,
  HostContext,
  HostPolicy,
  NextSegment,
  PathChooser,
  Round,
  SegmentMarks,
} from "../../../hosts/index.js";
import { checkDescription } from "../../description.js";
import { type PecmpHosts, type PecmpPolicy, pecmpHosts } from "../hosts.js";
import { versionMask } from "../layout.js";
import type { Version } from "../updates.js";
import { asJson, type HostState, request } from "./messages.js";
import { MovedRoutes } from "./moved-flows.js";
import type { UpdateSpec } from "./parameters.js";

/** The policy of one host; `first`: the initial target of both versions. */
export function versionedHosts(
  first: PecmpHosts,
  switchover: "drained" | "at_once",
  context: HostContext,
): HostPolicy {
  const state = new VersionState(first, context);
  const { ecn, needs = [] } = state.policies[0];
  return {
    ...given({ ecn }),
    needs: [...needs.filter((signal) => signal !== "packets"), "messages", "packets", "holding"],
    open: (flow, random, end) => new VersionedPath(state, { flow, random, end }, switchover === "drained"),
    nic: (flow, selector, nics) =>
      state.policies[state.versionOf(selector)].nic(flow, state.strip(selector), nics),
    onMessage: (message) => state.answer(message),
  };
}

/** State that all flows of a host share. */
class VersionState {
  version: Version = 0;
  readonly rules: [PecmpHosts, PecmpHosts];
  readonly policies: [PecmpPolicy, PecmpPolicy];
  readonly #context: HostContext;
  readonly #mask: number;
  readonly #specs: [UpdateSpec, UpdateSpec] = [{}, {}];
  #pending: Version | null = null;
  /** Number of changes of the policy: a flow compares it with that of its own rules. */
  generation = 0;
  /** Number of segments that arrived late, and the greatest distance in bytes. */
  #late = 0;
  #furthest = 0;
  /** Flows with data in flight. */
  readonly #busy = new Set<VersionedPath>();

  constructor(first: PecmpHosts, context: HostContext) {
    this.#context = context;
    const policy = pecmpHosts(first, context);
    this.rules = [first, first];
    this.policies = [policy, policy];
    this.#mask = versionMask(first.layout);
  }

  #follow(version: Version, rules: PecmpHosts): void {
    if (JSON.stringify(rules) === JSON.stringify(this.rules[version])) return;
    this.rules[version] = rules;
    this.policies[version] = pecmpHosts(rules, this.#context);
  }

  strip(selector: number): number {
    return (selector & ~this.#mask) >>> 0;
  }

  mark(selector: number, version: Version): number {
    return version === 0 ? selector : (selector | this.#mask) >>> 0;
  }

  versionOf(selector: number): Version {
    return (selector & this.#mask) === 0 ? 0 : 1;
  }

  isBusy(flow: VersionedPath, busy: boolean): void {
    if (busy) this.#busy.add(flow);
    else this.#busy.delete(flow);
  }

  countLate(bytes: number): void {
    this.#late++;
    this.#furthest = Math.max(this.#furthest, bytes);
  }

  answer(message: Json): Json {
    const asked = checkDescription(request, message);
    switch (asked.op) {
      case "announce":
        if (this.version !== asked.to) this.#specs[asked.to] = asked.spec;
        this.#pending = asked.to;
        break;
      case "commit":
        if (this.version === asked.to) break;
        this.#follow(asked.to, asked.rules);
        this.version = asked.to;
        this.generation++;
        this.#releaseUnmoved(new MovedRoutes(asked.moved));
        break;
      case "hurry":
        for (const flow of [...this.#busy]) if (flow.version !== this.version) flow.change();
        break;
      case "close":
        this.#pending = null;
        this.#specs[1 - this.version] = this.#specs[this.version];
        break;
      case "replace":
        this.#specs.fill(asked.spec);
        this.#follow(0, asked.rules);
        this.#follow(1, asked.rules);
        this.generation++;
        for (const flow of [...this.#busy]) flow.change();
        break;
      case "state":
        break;
    }
    return asJson(this.#state());
  }

  /** Flows that keep their path change at once: no packet on it can be overtaken. */
  #releaseUnmoved(routes: MovedRoutes): void {
    const [before, after] = [this.rules[(1 - this.version) as Version], this.rules[this.version]];
    // Then every flow begins with a new selector.
    if (before.layout.control !== after.layout.control) return;
    const selectorOf = (flow: VersionedPath) => (after.spray === undefined ? flow.path : undefined);
    for (const flow of [...this.#busy]) {
      if (flow.version === this.version) continue;
      if (routes.moves(flow.key, after.layout, selectorOf(flow)) || this.#changesNic(flow)) continue;
      flow.change();
    }
  }

  #changesNic({ key, path }: VersionedPath): boolean {
    const { nics } = this.#context;
    const [zero, one] = this.policies.map((policy) => policy.nic(key, path, nics));
    return zero !== one;
  }

  #state(): HostState {
    const waiting = [...this.#busy].filter(({ version }) => version !== this.version).length;
    return {
      version: this.version,
      waiting,
      specs: this.#specs,
      pending: this.#pending,
      late: this.#late,
      furthest_bytes: this.#furthest,
    };
  }
}

interface FlowEnd {
  readonly flow: FlowKey;
  readonly random: Random;
  readonly end: ConnectionEnd;
}

/** Adds the version bit to all selectors of a path chooser, which may be of any policy without versions. */
class VersionedPath implements PathChooser {
  readonly #state: VersionState;
  readonly #end: FlowEnd;
  readonly #drains: boolean;
  #inner: PathChooser;
  #generation: number;
  #rules: PecmpHosts;
  /** Version of data. */
  version: Version;
  #isBusy = false;

  constructor(state: VersionState, end: FlowEnd, drains: boolean) {
    this.#state = state;
    this.#end = end;
    this.#drains = drains && end.flow.protocol === PROTOCOL_TCP;
    this.version = state.version;
    this.#generation = state.generation;
    this.#rules = state.rules[this.version];
    this.#inner = this.#open();
  }

  #open(from?: number): PathChooser {
    const { flow, random, end } = this.#end;
    return this.#state.policies[this.version].open(flow, random, end, from);
  }

  get key(): FlowKey {
    return this.#end.flow;
  }

  /** The selector of its last data, without the version. */
  get path(): number {
    return this.#inner.selector;
  }

  get selector(): number {
    return this.#state.mark(this.#current().selector, this.version);
  }

  get holds(): boolean {
    return this.#isBusy && this.version !== this.#state.version;
  }

  /** Changes to the host's version now. */
  change(): void {
    this.version = this.#state.version;
    this.#current();
  }

  /** The chooser by the rules of the flow's version. It continues from its selector where the rules still allow it. */
  #current(): PathChooser {
    // No data are in flight that a packet of the new version could overtake.
    if (!this.#isBusy) this.version = this.#state.version;
    if (this.#generation === this.#state.generation || this.version !== this.#state.version)
      return this.#inner;
    this.#generation = this.#state.generation;
    const before = this.#rules;
    this.#rules = this.#state.rules[this.version];
    if (JSON.stringify(before) === JSON.stringify(this.#rules)) return this.#inner;
    const start = before.layout.control === this.#rules.layout.control ? this.#inner.selector : undefined;
    this.#inner = this.#open(start);
    return this.#inner;
  }

  #mark(selectors: readonly number[], version = this.version): readonly number[] {
    return selectors.map((selector) => this.#state.mark(selector, version));
  }

  #strip(marks: SegmentMarks): SegmentMarks {
    const { selector, echo } = marks;
    // -1: there is none.
    return {
      ...marks,
      selector: this.#state.strip(selector),
      echo: echo < 0 ? echo : this.#state.strip(echo),
    };
  }

  selectorFor(segment: NextSegment): number {
    const inner = this.#current();
    if (this.#drains && !this.#isBusy) {
      this.#isBusy = true;
      this.#state.isBusy(this, true);
    }
    return this.#state.mark(inner.selectorFor?.(segment) ?? inner.selector, this.version);
  }

  onDrained(): void {
    this.#isBusy = false;
    this.#state.isBusy(this, false);
  }

  onTimeout(attempt: number): readonly number[] {
    return this.#mark(this.#current().onTimeout(attempt));
  }

  onFastRetransmit(): readonly number[] {
    const inner = this.#current();
    return this.#mark(inner.onFastRetransmit?.() ?? [inner.selector]);
  }

  onAck(marks: SegmentMarks, rttNs?: number): void {
    this.#inner.onAck(this.#strip(marks), rttNs);
  }

  onData(marks: SegmentMarks, duplicate: boolean): readonly number[] {
    return this.#mark(this.#current().onData(this.#strip(marks), duplicate), this.#state.version);
  }

  onRound(round: Round): void {
    this.#inner.onRound?.(round);
  }

  onIdle(idleNs: number): void {
    this.#inner.onIdle?.(idleNs);
  }

  onReordering(bytes: number): void {
    this.#state.countLate(bytes);
    this.#inner.onReordering?.(bytes);
  }
}
