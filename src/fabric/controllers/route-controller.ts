/**
 * Recomputes routes when links go down and come up, for any scheme that has a {@link RoutePlanner}. It controls all switches.
 *
 * The new state is written before the old state is removed (make before break): first new groups and routes on all switches, then,
 * when all have answered, the removal of what no route uses any more. At each instant packets find a complete path, the old
 * or the new one; in a fabric whose packets go up and then down, a mixture of both has no loops.
 */
import {
  difference,
  type Entity,
  entityKey,
  type ReadQuery,
  type Update,
} from "../../toolchain/device/index.js";
import { type Topology, withLinksDown } from "../topology/index.js";
import type { ControlledSwitch, Controller, ControllerContext } from "./controller.js";

/** Its name in logs and faults. */
export const ROUTE_CONTROLLER = "routes";

interface RouteControllerOptions {
  /** Makes a planner without state. Called at each start. */
  planner(): RoutePlanner;
  /** State of the fabric with all links up: controllers write only to its tables and profiles. */
  readonly planned: readonly PlannedSwitch[];
  /**
   * Nanoseconds from the event of a link to the new plan, as a routing protocol waits before it reacts. Links that change
   * meanwhile are part of the same plan.
   */
  readonly detectionNs: number;
}

/** The kinds of entities that plans insert. */
const SCOPE: readonly ReadQuery[] = [{ kind: "tableEntry" }, { kind: "member" }, { kind: "group" }];

export function routeController(options: RouteControllerOptions): Controller {
  return { start: (context) => new RouteKeeper(options, context).keep() };
}

/** One incarnation. It has no state except what the switches answer. */
class RouteKeeper {
  readonly #planner: RoutePlanner;
  /** By node: its links that are down, as the switch reported last. */
  readonly #down = new Map<number, Set<number>>();
  /** State of each switch, by node; absent: it must be read first. */
  readonly #state = new Map<number, readonly Entity[]>();
  readonly #lost = new Set<number>();
  readonly #scopes: ReadonlyMap<number, ReadonlySet<string>>;
  #wake = () => {};
  #isStale = true;

  constructor(
    readonly options: RouteControllerOptions,
    readonly context: ControllerContext,
  ) {
    this.#planner = options.planner();
    this.#scopes = new Map(
      options.planned.map(({ node, updates }) => [
        node,
        new Set(updates.map(({ entity }) => ownerOf(entity))),
      ]),
    );
  }

  async keep(): Promise<void> {
    const { context } = this;
    context.watchLinks(({ link, up, switch: node, port }) => {
      const own = this.#down.get(node.index) ?? new Set();
      if (up) own.delete(link.index);
      else own.add(link.index);
      this.#down.set(node.index, own);
      context.log(`port ${port} of ${node.name} is ${up ? "up" : "down"}`);
      this.#change();
    });
    context.watchSwitches(({ switch: { index }, running }) => {
      this.#state.delete(index);
      if (running) this.#lost.delete(index);
      else this.#lost.add(index);
      this.#change();
    });
    const { stopped } = context;
    stopped.addEventListener("abort", () => this.#wake());
    for (;;) {
      while (!this.#isStale && !stopped.aborted)
        await new Promise<void>((resolve) => {
          this.#wake = resolve;
        });
      if (stopped.aborted) return;
      await context.clock.sleep(this.options.detectionNs);
      this.#isStale = false;
      await this.#update();
    }
  }

  #change(): void {
    this.#isStale = true;
    this.#wake();
  }

  /** Writes the plan for the links that are up to all running switches. */
  async #update(): Promise<void> {
    const { context } = this;
    await Promise.all(context.switches.map((each) => this.#read(each)));
    const topology = withLinksDown(context.topology, this.#downLinks());
    const wanted = this.#planner.plan(topology);
    const changes = wanted.flatMap(({ node, updates }): Change[] => {
      const known = this.#state.get(node);
      if (known === undefined) return [];
      const desired = updates.flatMap(({ type, entity }) => (type === "insert" ? [entity] : []));
      const all = difference(known, desired);
      if (all.length === 0) return [];
      const added = all.filter(({ type }) => type !== "delete");
      const removed = all.filter(({ type }) => type === "delete");
      return [{ node, desired, added, removed }];
    });
    if (changes.length === 0) return;
    await this.#write(changes, "added");
    await this.#write(changes, "removed");
    for (const { node, desired } of changes) if (this.#state.has(node)) this.#state.set(node, desired);
    const count = (what: "added" | "removed") =>
      changes.reduce((sum, change) => sum + change[what].length, 0);
    context.log(
      `routes without ${linksText(topology)}: ${count("added")} updates and ${count("removed")} removals on ${changes.length} switch${changes.length === 1 ? "" : "es"}`,
    );
  }

  /** Sorted. The last report of a switch that does not run may be outdated: then the other end of the link decides. */
  #downLinks(): number[] {
    const links = new Set<number>();
    for (const [node, own] of this.#down) if (!this.#lost.has(node)) for (const link of own) links.add(link);
    return [...links].sort((a, b) => a - b);
  }

  async #read({ node, device }: ControlledSwitch): Promise<void> {
    if (this.#state.has(node.index) || this.#lost.has(node.index)) return;
    const scope = this.#scopes.get(node.index) ?? new Set();
    const entities = await whileRunning(() => device.read(SCOPE));
    if (entities === undefined) return;
    const own = entities.filter((entity) => scope.has(ownerOf(entity)));
    this.#state.set(node.index, own);
    this.#planner.learn(node.index, own);
  }

  async #write(changes: readonly Change[], what: "added" | "removed"): Promise<void> {
    await Promise.all(
      changes.map(async (change) => {
        const updates = change[what];
        if (updates.length === 0 || !this.#state.has(change.node)) return;
        const { device } = this.context.switches.find(({ node }) => node.index === change.node)!;
        const done = await whileRunning(async () => {
          await device.write(updates);
          return true;
        });
        // The switch ended meanwhile: its state is read again when it runs again.
        if (done === undefined) this.#state.delete(change.node);
      }),
    );
  }
}

interface Change {
  readonly node: number;
  readonly desired: readonly Entity[];
  readonly added: readonly Update[];
  readonly removed: readonly Update[];
}

/** The table or profile of an entity: plans may remove entities only of those that they fill. */
function ownerOf(entity: Entity): string {
  switch (entity.kind) {
    case "tableEntry":
      return `table ${entity.table}`;
    case "member":
    case "group":
      return `profile ${entity.profile}`;
    default:
      return entityKey(entity);
  }
}

function linksText({ nodes, links, down = new Set() }: Topology): string {
  if (down.size === 0) return "any link down";
  const name = (end: { node: number }) => nodes[end.node]!.name;
  return [...down].map((index) => `${name(links[index]!.a)} - ${name(links[index]!.b)}`).join(", ");
}

// Plans the state of switches for a network whose links go down and come up, in steps that change little.

/** The state of one switch. */
interface PlannedSwitch {
  /** Node index. */
  readonly node: number;
  readonly updates: readonly Update[];
}

/**
 * An object that does not change has the same id in every plan; a new object gets an id that no object of the switch has. So
 * the difference between two plans adds and removes objects, but changes none that packets use.
 */
export interface RoutePlanner {
  /** Sets the state of a switch to `entities`, and drops the earlier one. */
  learn(node: number, entities: readonly Entity[]): void;
  /** The state of all switches for a topology of `withLinksDown`. */
  plan(topology: Topology): readonly PlannedSwitch[];
}

// Requests to a switch that may end at any time.

/** The answer; undefined: the switch does not run; `watchSwitches` reports when it does. */
export async function whileRunning<T>(request: () => Promise<T>): Promise<T | undefined> {
  try {
    return await request();
  } catch (error) {
    if ((error as { code?: unknown }).code === "UNAVAILABLE") return undefined;
    throw error;
  }
}
