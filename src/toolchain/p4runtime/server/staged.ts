/**
 * A device that only stores entities. Between VERIFY_AND_SAVE and COMMIT (P4Runtime spec 14) controllers write to and
 * read from the saved program, which does not run yet: they use this device, which also keeps the updates for the
 * commit.
 */
import {
  type Atomicity,
  type Device,
  DeviceError,
  type Entity,
  entityKey,
  matchesKey,
  type Pace,
  type ReadQuery,
  type Update,
  type UpdateStatus,
} from "../../device/index.js";
import type { Program } from "../../program/index.js";
import { OK, updateStatusOf } from "../status.js";

/** Kinds that exist from the start: MODIFY creates the memory of them. */
const ALWAYS_THERE = new Set<Entity["kind"]>([
  "counter",
  "meter",
  "register",
  "directCounter",
  "directMeter",
  "valueSet",
]);

export class StagedDevice implements Device {
  readonly name = "staged";
  #entities = new Map<string, Entity>();
  #updates: Update[] = [];

  constructor(public program: Program) {}

  /** All updates that took effect, in order. */
  get updates(): readonly Update[] {
    return this.#updates;
  }

  async load(program: Program): Promise<void> {
    this.program = program;
    this.#entities.clear();
    this.#updates = [];
  }

  async write(
    updates: readonly Update[],
    atomicity: Atomicity = "continueOnError",
    pace?: Pace,
  ): Promise<void> {
    const before = atomicity === "continueOnError" ? undefined : new Map(this.#entities);
    const count = this.#updates.length;
    const statuses: UpdateStatus[] = [];
    for (const update of updates) {
      try {
        this.#apply(update);
        this.#updates.push(update);
        statuses.push(OK);
      } catch (error) {
        statuses.push(updateStatusOf(error));
      }
      const turn = pace?.();
      if (turn !== undefined) await turn;
    }
    if (statuses.every((status) => status.code === "OK")) return;
    if (before !== undefined) {
      this.#entities = before;
      this.#updates.length = count;
    }
    throw new DeviceError("UNKNOWN", "some updates failed", statuses);
  }

  #apply({ type, entity }: Update): void {
    const key = entityKey(entity);
    const there = this.#entities.has(key);
    const always = ALWAYS_THERE.has(entity.kind) || (entity.kind === "tableEntry" && entity.isDefault);
    if (type === "insert" && there) throw new DeviceError("ALREADY_EXISTS", `${key} exists already`);
    if (type !== "insert" && !there && !always) throw new DeviceError("NOT_FOUND", `${key} does not exist`);
    if (type === "delete") this.#entities.delete(key);
    else this.#entities.set(key, entity);
  }

  async read(queries: readonly ReadQuery[], pace?: Pace): Promise<Entity[]> {
    const found: Entity[] = [];
    for (const query of queries) {
      this.#checkOwner(query);
      for (const entity of this.#entities.values()) {
        if (answers(query, entity)) found.push(entity);
        const turn = pace?.();
        if (turn !== undefined) await turn;
      }
    }
    return found;
  }

  /** A direct resource that is read by its key needs its entry. */
  #checkOwner(query: ReadQuery): void {
    if (query.kind !== "directCounter" && query.kind !== "directMeter") return;
    const { table, match = [], priority = 0 } = query;
    if (table === undefined || match.length === 0) return;
    if (this.#entities.has(entityKey({ kind: "tableEntry", table, match, priority }))) return;
    throw new DeviceError("NOT_FOUND", `table ${table} has no entry with this key`);
  }

  async packetOut(): Promise<void> {
    throw new DeviceError("FAILED_PRECONDITION", "the saved program does not run yet");
  }

  async acknowledgeDigest(): Promise<void> {}

  watch(): () => void {
    return () => {};
  }

  async close(): Promise<void> {}
}

/** Whether a query selects an entity. */
function answers(query: ReadQuery, entity: Entity): boolean {
  if (query.kind !== entity.kind) return false;
  const same = (asked: unknown, has: unknown): boolean => asked === undefined || asked === has;
  switch (query.kind) {
    case "tableEntry":
    case "directCounter":
    case "directMeter": {
      const entry =
        entity.kind === "tableEntry" ? entity : (entity as Extract<Entity, { entry: unknown }>).entry;
      const isDefault = query.kind === "tableEntry" && (query.isDefault ?? false);
      return (
        same(query.table, entry.table) &&
        (query.kind !== "tableEntry" || isDefault === (entry.isDefault ?? false)) &&
        same(query.priority, entry.priority) &&
        (query.match === undefined || matchesKey(query.match) === matchesKey(entry.match))
      );
    }
    default: {
      const has = entity as unknown as Record<string, unknown>;
      return Object.entries(query).every(([name, asked]) => same(asked, has[name]));
    }
  }
}
