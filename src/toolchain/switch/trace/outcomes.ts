/**
 * Every outcome that one packet can have, as one tree. The packet is run again and again with the same state. Where something decides
 * that is neither in the packet nor in the tables ({@link ChoiceKind}), a run takes the choices that it was given, then the first one
 * of each. Runs with the same choices do the same until the first one that differs, so what they share stands in the tree once.
 *
 * The choices of one copy of the packet are combined with each other and with those that led to the copy. Copies side by side are not
 * combined: each is followed while the earlier ones take their first choices.
 */
import { defined, given } from "../../../base/index.js";
import { DeviceError, type Entity, type Update } from "../../device/index.js";
import type { Specialised } from "../codegen/specialised.js";
import type { Instance } from "../control/instance.js";
import { keepState } from "../state/kept-state.js";
import type { PacketState } from "../state/packet-state.js";
import { joined } from "./recorder.js";
import { type Chooser, PacketTracer } from "./tracer.js";
import type { ChoiceKind, PacketTrace, TraceTree } from "./types.js";

export interface OutcomeLimits {
  /** Maximum number of runs. A packet without forks takes one; each branch of a fork but the first takes one more. */
  readonly runs: number;
  /** Changes of tables, members and groups that are done in this order while the packet is in the switch. */
  readonly updates?: readonly Update[];
}

export interface OutcomeSetup {
  readonly instance: Instance;
  /** The traced variant of the program. */
  readonly specialised: Specialised;
  /** Name of the switch. */
  readonly device: string;
  readonly state: PacketState;
  /** Runs the packet to its end. */
  readonly run: (tracer: PacketTracer) => void;
  /** Does an update; the result undoes it. */
  readonly apply: (update: Update) => () => void;
}

/** Maximum number of branches of one fork. Of more random numbers, this many at equal distances are taken, with both ends. */
const MAX_BRANCHES = 64;
/** Maximum number of forks on the way of one packet. */
const MAX_FORKS = 256;

interface Choice {
  readonly tree: TraceTree;
  /** Numbers of the copy's events and branches before the choice. */
  readonly events: number;
  readonly branches: number;
  readonly of: ChoiceKind;
  readonly table: string | undefined;
  readonly labels: readonly string[];
  readonly taken: number;
}

/** Where in a copy something begins: numbers of events, branches and choices before it. */
interface Place {
  readonly events: number;
  readonly branches: number;
  readonly choices: number;
}

type Rest = Pick<TraceTree, "events" | "outcome" | "branches">;

/** A tracer whose tree is not arranged yet, so that choices name its copies. */
class TryTracer extends PacketTracer {
  protected override arranged(tree: TraceTree): TraceTree {
    return tree;
  }
}

/** One run: takes `given` choices, then the first one of each. */
class Run implements Chooser {
  readonly choices: Choice[] = [];
  cut = false;
  packet: PacketTrace | undefined;
  readonly #tracer: TryTracer;
  readonly #undos: (() => void)[] = [];
  #table = -1;

  constructor(
    readonly setup: OutcomeSetup,
    readonly updates: readonly Update[],
    readonly given: readonly number[],
  ) {
    const { instance, specialised, device, state } = setup;
    const take = (packet: PacketTrace): void => {
      this.packet = packet;
    };
    this.#tracer = new TryTracer(instance, specialised, device, take, state);
    this.#tracer.chooser = this;
  }

  /** Runs the packet; the control plane's state is as before afterwards. */
  go(): this {
    try {
      this.setup.run(this.#tracer);
      this.#tracer.close();
    } finally {
      for (let undo = this.#undos.pop(); undo !== undefined; undo = this.#undos.pop()) undo();
    }
    return this;
  }

  get root(): TraceTree {
    return defined(this.packet).root;
  }

  #choose(of: ChoiceKind, labels: readonly string[], table?: string): number {
    const { choices } = this;
    const { node } = this.#tracer;
    if (labels.length < 2 || node === undefined) return 0;
    if (choices.length >= MAX_FORKS) {
      this.cut = true;
      return 0;
    }
    const taken = this.given[choices.length] ?? 0;
    const tree = node.tree as TraceTree;
    const place = { events: tree.events.length, branches: tree.branches?.length ?? 0 };
    choices.push({ tree, ...place, of, table, labels, taken });
    return taken;
  }

  number(of: "random" | "hash", low: bigint, high: bigint): bigint {
    const last = high - low;
    const count = last < BigInt(MAX_BRANCHES) ? Number(last) + 1 : MAX_BRANCHES;
    if (last >= BigInt(MAX_BRANCHES)) this.cut = true;
    const at = (i: number) => (count === 1 ? low : low + (last * BigInt(i)) / BigInt(count - 1));
    const what = of === "random" ? "random number" : "hash";
    const labels = Array.from({ length: count }, (_, i) => `the ${what} is ${at(i)}`);
    return at(this.#choose(of, labels));
  }

  /** Slots of one member are one choice: they do the same. */
  slot(slots: Int32Array): number {
    const store = [...this.setup.instance.profiles.values()].find((one) =>
      one.store.slots.includes(slots),
    )?.store;
    const places = new Map<number, number[]>();
    const owners = new Map<number, number>();
    for (const { handles, memberId } of store?.members.values() ?? [])
      for (const handle of handles) owners.set(handle, memberId);
    slots.forEach((handle, place) => {
      const member = owners.get(handle) ?? handle;
      const known = places.get(member);
      if (known === undefined) places.set(member, [place]);
      else known.push(place);
    });
    let members = [...places];
    if (members.length > MAX_BRANCHES) {
      this.cut = true;
      members = members.slice(0, MAX_BRANCHES);
    }
    const labels = members.map(([member, { length }], i) => {
      const name = member < 0 ? `action ${i + 1} of the set` : `member ${member}`;
      return `${name} is taken (${length} of ${slots.length} slots)`;
    });
    const [, [place] = []] = members[this.#choose("selector", labels, this.#name())] ?? [];
    return place ?? 0;
  }

  #name(): string | undefined {
    return this.setup.specialised.tables[this.#table]?.table.name;
  }

  /** The updates that are not done yet may be done now, as far as this table sees the difference. */
  before(table: number): void {
    this.#table = table;
    const { updates } = this;
    const done = this.#undos.length;
    if (done === updates.length) return;
    const name = defined(this.#name());
    const profile = this.setup.instance.tables.get(name)?.profile?.name;
    let seen = updates.flatMap(({ entity }, i) =>
      i >= done &&
      ((entity.kind === "tableEntry" && entity.table === name) ||
        ("profile" in entity && entity.profile === profile))
        ? [i + 1]
        : [],
    );
    if (seen.length >= MAX_BRANCHES) {
      this.cut = true;
      seen = seen.slice(0, MAX_BRANCHES - 1);
    }
    const stops = [done, ...seen];
    const labels = stops.map(
      (count) =>
        `${count === 0 ? "none" : count} of ${updates.length} changes ${count === 1 ? "is" : "are"} done`,
    );
    const stop = defined(stops[this.#choose("update", labels, name)]);
    for (const update of updates.slice(done, stop)) this.#undos.push(this.setup.apply(update));
  }
}

export class Outcomes {
  readonly #updates: readonly Update[];
  readonly #restore: () => void;
  #runs = 0;
  #cut = false;

  constructor(
    readonly setup: OutcomeSetup,
    readonly limits: OutcomeLimits,
  ) {
    this.#updates = limits.updates ?? [];
    for (const [i, { entity }] of this.#updates.entries())
      if (!CHANGES.has(entity.kind))
        throw new DeviceError(
          "INVALID_ARGUMENT",
          `change ${i + 1} of the update is of a ${entity.kind}; outcomes are followed for changes of tables, members and groups`,
        );
    this.#checkUpdates();
    this.#restore = keepState(setup.instance);
  }

  /** Does and undoes all updates: a wrong one is refused before any run. */
  #checkUpdates(): void {
    const undos: (() => void)[] = [];
    try {
      for (const update of this.#updates) undos.push(this.setup.apply(update));
    } finally {
      for (const undo of undos.reverse()) undo();
    }
  }

  /** The document of all outcomes. */
  all(): PacketTrace {
    const first = defined(this.#run([]));
    const { trace_version, device, program, input } = defined(first.packet);
    const whole = joined(this.#whole(first, first.root));
    return {
      trace_version,
      device,
      ...given({ program }),
      input,
      root: whole,
      outcomes: countOutcomes(whole),
      ...given({ cut: this.#cut ? true : undefined }),
    };
  }

  #run(choices: readonly number[]): Run | undefined {
    if (this.#runs >= this.limits.runs) {
      this.#cut = true;
      return undefined;
    }
    this.#runs++;
    const run = new Run(this.setup, this.#updates, choices).go();
    this.#restore();
    if (run.cut || run.packet?.cut) this.#cut = true;
    return run;
  }

  #whole(run: Run, tree: TraceTree): TraceTree {
    const { cause, egress_port, replica_instance } = tree;
    return {
      cause,
      ...given({ egress_port, replica_instance }),
      ...this.#rest(run, tree, { events: 0, branches: 0, choices: 0 }),
    };
  }

  /** What a copy does from a place on, with the other choices that it has there. */
  #rest(run: Run, tree: TraceTree, from: Place): Rest {
    const own = run.choices.filter((choice) => choice.tree === tree);
    const copies = (end?: number) =>
      (tree.branches ?? []).slice(from.branches, end).map((copy) => this.#whole(run, copy));
    const choice = own[from.choices];
    if (choice === undefined) {
      const branches = copies();
      return {
        events: tree.events.slice(from.events),
        outcome: tree.outcome,
        ...given({ branches: branches.length > 0 ? branches : undefined }),
      };
    }
    const path = defined(pathTo(run.root, tree));
    const then = { events: choice.events, branches: choice.branches, choices: from.choices + 1 };
    const before = run.choices.slice(0, run.choices.indexOf(choice)).map(({ taken }) => taken);
    const branches = choice.labels.flatMap((label, i): TraceTree[] => {
      const other = i === choice.taken ? run : this.#run([...before, i]);
      if (other === undefined) return [];
      return [{ cause: "choice", choice: label, ...this.#rest(other, at(other.root, path), then) }];
    });
    return {
      events: tree.events.slice(from.events, choice.events),
      outcome: { kind: "fork", reason: choice.of, ...given({ table: choice.table }) },
      branches: [...copies(choice.branches), ...branches],
    };
  }
}

const CHANGES: ReadonlySet<string> = new Set<Entity["kind"]>(["tableEntry", "member", "group"]);

/** Numbers of the branches that lead from a tree to one of its copies. */
function pathTo(root: TraceTree, tree: TraceTree): number[] | undefined {
  if (root === tree) return [];
  for (const [i, branch] of (root.branches ?? []).entries()) {
    const path = pathTo(branch, tree);
    if (path !== undefined) return [i, ...path];
  }
  return undefined;
}

function at(root: TraceTree, path: readonly number[]): TraceTree {
  return path.reduce((tree, i) => defined(tree.branches?.[i]), root);
}

/** Copies all happen, so their numbers multiply; of choices one happens, so their numbers add up. */
function countOutcomes({ branches = [] }: TraceTree): number {
  let copies = 1;
  let choices = 0;
  for (const branch of branches) {
    const count = countOutcomes(branch);
    if (branch.cause === "choice") choices += count;
    else copies *= count;
  }
  return copies * Math.max(1, choices);
}
