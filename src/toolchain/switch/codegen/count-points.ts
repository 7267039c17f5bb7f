/**
 * Places of a program that its counting code counts: the same places as those that traced code reports, each with counts of its own
 * in `s.own.hits`. Nothing but these counts differs from the plain code.
 */
import type { Bmv2Program } from "../../program/index.js";
import { type TracePoint, TracePoints } from "./trace-points.js";

/** A place, and where its counts begin. */
export interface CountedPoint {
  readonly point: TracePoint;
  /**
   * First count of the place. A branch has two: taken, not taken. A checksum that is verified has two: right, wrong. A table has three
   * and one for each name of an action in the order of `Specialised.actionNumbers`: hits, misses, lookups that ran no action. Every
   * other place has one.
   */
  readonly at: number;
}

/** Counts of a table in front of those of its actions; the last of them is at the place of action -1. */
export const TABLE_COUNTS = 3;

export class CountPoints extends TracePoints {
  readonly counted: CountedPoint[] = [];
  #size = 0;
  readonly #actions: number;

  constructor(program: Bmv2Program) {
    super();
    this.#actions = new Set(program.actions.map(({ name }) => name)).size;
  }

  /** Number of counts. */
  get size(): number {
    return this.#size;
  }

  override call(_method: string, point: TracePoint, ...more: readonly string[]): string {
    const at = this.#size;
    this.counted.push({ point, at });
    const count = (place: number | string) => `s.own.hits[${place}]++`;
    switch (point.kind) {
      case "branch":
        this.#size += 2;
        return `((${more[0]}) ? (${count(at)}, true) : (${count(at + 1)}, false))`;
      case "checksum":
        this.#size += 2;
        return `((${more[1]}) ? (${count(at)}, true) : (${count(at + 1)}, false))`;
      case "table": {
        const [entry, , action] = more;
        this.#size += TABLE_COUNTS + this.#actions;
        return `${count(`${entry} >= 0 ? ${at} : ${at + 1}`)}, ${count(`${at + TABLE_COUNTS} + ${action}`)}`;
      }
      default:
        this.#size += 1;
        return count(at);
    }
  }

  override message(format: string, values: string): string {
    return `s.log(${format}, ${values})`;
  }

  override get messagesForLogOnly(): boolean {
    return true;
  }

  override hashed(hash: string): string {
    return hash;
  }

  override member(): string {
    return "";
  }

  override before(): string {
    return "";
  }

  override get draw(): string {
    return "s.randomBetween";
  }

  override reduced(rest: string): string {
    return rest;
  }
}
