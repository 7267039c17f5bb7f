/** Writes a state to switches, repeatedly if necessary: a switch that does not run gets it when it runs again. */

import { difference, type Entity, type ReadQuery } from "../../../../toolchain/device/index.js";
import type { ControlledSwitch, ControllerContext } from "../../../controllers/index.js";
import { ingressName } from "../../fabric.js";
import type { SwitchStates } from "./switch-states.js";

/** The kinds of entities that plans insert. */
const SCOPE: readonly ReadQuery[] = [{ kind: "tableEntry" }, { kind: "member" }, { kind: "group" }];
const TABLES: ReadonlySet<string> = new Set(
  ["ipv4_routes", "ipv6_routes", "row_of_selector", "up_matrix", "down_matrix"].map(ingressName),
);

export class SwitchWriter {
  readonly #context: ControllerContext;
  /** The intended state of all switches; none before the first {@link bring}. */
  #states: SwitchStates | undefined;
  /** By node: settles when the last request for this switch is done. */
  readonly #busy = new Map<number, Promise<unknown>>();
  readonly #lost = new Set<number>();
  /** By node: called when it runs again. */
  readonly #waiting = new Map<number, () => void>();

  constructor(context: ControllerContext) {
    this.#context = context;
    context.watchSwitches(({ switch: { index, name }, running }) => {
      if (!running) {
        this.#lost.add(index);
        return;
      }
      this.#lost.delete(index);
      this.#waiting.get(index)?.();
      this.#waiting.delete(index);
      const own = context.switches.find(({ node }) => node.index === index);
      if (own === undefined || this.#states === undefined) return;
      context.log(`${name} runs again and gets its state`);
      return this.#order(own).then(() => {});
    });
  }

  /** Writes these states to all switches at the same time. Returns the number of updates. */
  async bring(states: SwitchStates): Promise<number> {
    this.#states = states;
    const counts = await Promise.all(this.#context.switches.map((own) => this.#order(own)));
    return counts.reduce((sum, count) => sum + count, 0);
  }

  /** Writes these states to one switch after the other. */
  async bringOneByOne(states: SwitchStates): Promise<number> {
    this.#states = states;
    let sum = 0;
    for (const own of this.#context.switches) sum += await this.#order(own);
    return sum;
  }

  /** Requests to one switch follow each other. */
  #order(own: ControlledSwitch): Promise<number> {
    const { index } = own.node;
    const before = this.#busy.get(index) ?? Promise.resolve();
    const order = before.then(() => this.#bring(own));
    this.#busy.set(index, order);
    return order;
  }

  async #bring(own: ControlledSwitch): Promise<number> {
    const { device, node } = own;
    for (;;) {
      try {
        const actual = (await device.read(SCOPE)).filter(isOwn);
        const changes = difference(actual, this.#states!.of(node.index, actual));
        // New entities are written before old ones are removed: no packet meets an incomplete state.
        const added = changes.filter(({ type }) => type !== "delete");
        const removed = changes.filter(({ type }) => type === "delete");
        if (added.length > 0) await device.write(added);
        if (removed.length > 0) await device.write(removed);
        return changes.length;
      } catch (error) {
        if ((error as { code?: unknown }).code !== "UNAVAILABLE") throw error;
        this.#context.log(`${node.name} does not answer: waiting for it`);
        await this.#runs(node.index);
      }
    }
  }

  async #runs(index: number): Promise<void> {
    if (!this.#lost.has(index)) {
      // The event of its end has not arrived yet, or it already runs again.
      await this.#context.clock.sleep(1_000_000);
      return;
    }
    await new Promise<void>((resolve) => {
      this.#waiting.set(index, resolve);
    });
  }
}

function isOwn(entity: Entity): boolean {
  if (entity.kind === "tableEntry") return TABLES.has(entity.table) && entity.isDefault !== true;
  return entity.kind === "member" || entity.kind === "group";
}
