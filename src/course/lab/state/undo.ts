/** A device whose writes can be undone: before each write, it reads the entities that the write will change. */
import {
  type Device,
  DeviceError,
  difference,
  type Entity,
  entityKey,
  type ReadQuery,
  type Update,
} from "../../../toolchain/device/index.js";

/** Maximum number of steps that are kept. */
const MAX_STEPS = 100;

/** The query that reads one entity. */
function queryOf(entity: Entity): ReadQuery {
  switch (entity.kind) {
    case "tableEntry": {
      const { table, match, priority, isDefault } = entity;
      return isDefault
        ? { kind: "tableEntry", table, isDefault: true }
        : { kind: "tableEntry", table, match, priority };
    }
    case "directCounter":
    case "directMeter": {
      const { table, match, priority } = entity.entry;
      return { kind: entity.kind, table, match, priority };
    }
    case "member":
      return { kind: "member", profile: entity.profile, memberId: entity.memberId };
    case "group":
      return { kind: "group", profile: entity.profile, groupId: entity.groupId };
    case "counter":
      return { kind: "counter", counter: entity.counter, index: entity.index };
    case "meter":
      return { kind: "meter", meter: entity.meter, index: entity.index };
    case "register":
      return { kind: "register", register: entity.register, index: entity.index };
    case "multicastGroup":
      return { kind: "multicastGroup", groupId: entity.groupId };
    case "cloneSession":
      return { kind: "cloneSession", sessionId: entity.sessionId };
    case "digest":
      return { kind: "digest", digest: entity.digest };
    case "valueSet":
      return { kind: "valueSet", valueSet: entity.valueSet };
  }
}

/** One request: the entities that it changed, by their keys, with their former contents. */
class Step {
  readonly queries = new Map<string, ReadQuery>();
  readonly before = new Map<string, Entity>();
}

export class UndoableDevice {
  readonly #steps: Step[] = [];
  #current: Step | undefined;
  /** The device for callers that write: its writes can be undone. */
  readonly device: Device;

  constructor(readonly target: Device) {
    const write = (...args: Parameters<Device["write"]>) => this.#write(...args);
    this.device = new Proxy(target, {
      get(object, name) {
        if (name === "write") return write;
        const value: unknown = Reflect.get(object, name, object);
        return typeof value === "function" ? value.bind(object) : value;
      },
    });
  }

  /** Number of steps that can be undone. */
  get depth(): number {
    return this.#steps.length;
  }

  /** All writes of `work` become one step. */
  async step<T>(work: () => Promise<T>): Promise<T> {
    const step = new Step();
    this.#current = step;
    try {
      return await work();
    } finally {
      this.#current = undefined;
      if (step.queries.size > 0) this.#steps.push(step);
      if (this.#steps.length > MAX_STEPS) this.#steps.shift();
    }
  }

  /** Deletes all steps: another program runs, so former writes cannot be undone. */
  forget(): void {
    this.#steps.length = 0;
  }

  async #write(...[updates, atomicity, pace]: Parameters<Device["write"]>): Promise<void> {
    const step = this.#current;
    if (step !== undefined) await this.#remember(step, updates);
    await this.target.write(updates, atomicity, pace);
  }

  async #remember(step: Step, updates: readonly Update[]): Promise<void> {
    for (const { entity } of updates) {
      const key = entityKey(entity);
      if (step.queries.has(key)) continue;
      const query = queryOf(entity);
      const found = await this.#read([query], key);
      step.queries.set(key, query);
      if (found !== undefined) step.before.set(key, found);
    }
  }

  /** Reads one entity; undefined if it does not exist, or if the program has no entities of this kind. */
  async #read(queries: readonly ReadQuery[], key: string): Promise<Entity | undefined> {
    try {
      return (await this.target.read(queries)).find((entity) => entityKey(entity) === key);
    } catch (error) {
      if (error instanceof DeviceError) return undefined;
      throw error;
    }
  }

  /** Undoes the last step. Returns the updates that were written for this, or undefined if there is no step. */
  async undo(): Promise<readonly Update[] | undefined> {
    const step = this.#steps.pop();
    if (step === undefined) return undefined;
    const now: Entity[] = [];
    for (const [key, query] of step.queries) {
      const found = await this.#read([query], key);
      if (found !== undefined) now.push(found);
    }
    const updates = difference(now, [...step.before.values()]);
    if (updates.length > 0) await this.target.write(updates);
    return updates;
  }
}
