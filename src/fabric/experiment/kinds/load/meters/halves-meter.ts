/**
 * Measures the two halves of the window apart. The length of the window is not known when it begins, so that the meter keeps marks at about
 * equal distances: whenever there are too many, every second one goes. The mark nearest to the middle divides the window.
 */
import { given } from "../../../../../base/index.js";
import { Moments } from "../../../../statistics/index.js";
import type { MeteredFlow } from "./flow-meter.js";

/** One half of the window, as JSON. */
export interface HalfFigures {
  readonly ns: number;
  /** Flows that started in it, and their payload. */
  readonly flows: number;
  readonly startedBytes: number;
  /** Payload of all flows that receivers got in order in it. */
  readonly deliveredBytes: number;
  /** Of the flows that started in it and are complete at the end of the run: see {@link Moments}. */
  readonly fctNs: readonly [count: number, mean: number, squares: number];
  readonly slowdown: readonly [count: number, mean: number, squares: number];
  /** Mean utilisation of the uplinks; absent where there are none. */
  readonly utilisation?: number;
}

export type Halves = readonly [first: HalfFigures, second: HalfFigures];

/** What has passed since the start of the traffic. */
export interface Passed {
  /** Payload that receivers got in order. */
  readonly delivered: number;
  /** Nanoseconds for which an uplink was busy, as a mean over all; undefined where there are none. */
  readonly busyNs: number | undefined;
}

interface Part {
  readonly begin: number;
  readonly passed: Passed;
  flows: number;
  bytes: number;
  readonly fct: Moments;
  readonly slowdown: Moments;
}

const FIRST_STEP_NS = 10_000;
const MOST_PARTS = 128;

export class HalvesMeter {
  /** In the order of their begins; the last one is open until the window ends. */
  #parts: Part[] = [];
  #stepNs = FIRST_STEP_NS;
  #end: (Passed & { readonly now: number }) | undefined;
  /** Flows that start at the instant `#startNs`: they count once the window lasts longer than this instant. */
  #startNs = -1;
  #startFlows = 0;
  #startBytes = 0;

  /** `read` is called at the marks. */
  constructor(readonly read: () => Passed) {}

  /** The window begins; all times are nanoseconds since the start of the traffic. */
  begin(now: number): void {
    this.#mark(now);
  }

  /** A flow arrives; those of the warm-up do not count. */
  started({ arrival: { startNs, bytes }, measured }: MeteredFlow): void {
    if (!measured || this.#parts.length === 0 || this.#end !== undefined) return;
    if (startNs > this.#startNs) this.#settle();
    this.#pass(startNs);
    this.#startNs = startNs;
    this.#startFlows++;
    this.#startBytes += bytes;
  }

  /** A flow is complete, in the window or after it. */
  completed({ arrival: { startNs }, measured, ideal }: MeteredFlow, now: number): void {
    if (this.#end === undefined) this.#pass(now);
    else if (startNs >= this.#end.now) return;
    const part = measured ? this.#partAt(startNs) : undefined;
    if (part === undefined) return;
    part.fct.add(now - startNs);
    if (ideal !== undefined) part.slowdown.add((now - startNs) / ideal);
  }

  /** The window ends before what starts at `now`. */
  end(now: number): void {
    if (this.#startNs < now) this.#settle();
    this.#end = { ...this.read(), now };
  }

  /** Undefined for a window without length, and for one in which nothing happened before its end. */
  figures(): Halves | undefined {
    const [first] = this.#parts;
    const end = this.#end;
    if (first === undefined || end === undefined || this.#parts.length < 2 || end.now <= first.begin)
      return undefined;
    const middle = (first.begin + end.now) / 2;
    let cut = 1;
    for (let i = 2; i < this.#parts.length; i++)
      if (Math.abs(this.#parts[i]!.begin - middle) < Math.abs(this.#parts[cut]!.begin - middle)) cut = i;
    const at = this.#parts[cut]!;
    return [half(this.#parts.slice(0, cut), at.begin, at.passed), half(this.#parts.slice(cut), end.now, end)];
  }

  /** Begins a new part where the last one is long enough. */
  #pass(now: number): void {
    const last = this.#parts.at(-1);
    if (last === undefined || now - last.begin < this.#stepNs) return;
    this.#settle();
    this.#mark(now);
    if (this.#parts.length < MOST_PARTS) return;
    this.#stepNs *= 2;
    this.#parts = this.#parts.flatMap((part, i) => {
      if (i % 2 === 1) return [];
      const next = this.#parts[i + 1];
      if (next === undefined) return [part];
      part.flows += next.flows;
      part.bytes += next.bytes;
      part.fct.merge(next.fct);
      part.slowdown.merge(next.slowdown);
      return [part];
    });
  }

  #mark(begin: number): void {
    const [fct, slowdown] = [new Moments(), new Moments()];
    this.#parts.push({ begin, passed: this.read(), flows: 0, bytes: 0, fct, slowdown });
  }

  #settle(): void {
    const part = this.#partAt(this.#startNs);
    if (part !== undefined) {
      part.flows += this.#startFlows;
      part.bytes += this.#startBytes;
    }
    this.#startFlows = 0;
    this.#startBytes = 0;
  }

  /** The part in which this time lies; undefined before the window. */
  #partAt(time: number): Part | undefined {
    let [low, high] = [0, this.#parts.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.#parts[middle]!.begin <= time) low = middle + 1;
      else high = middle;
    }
    return this.#parts[low - 1];
  }
}

function half(parts: readonly Part[], end: number, { delivered, busyNs }: Passed): HalfFigures {
  const [{ begin, passed }] = parts as [Part, ...Part[]];
  const [fct, slowdown] = [new Moments(), new Moments()];
  for (const part of parts) {
    fct.merge(part.fct);
    slowdown.merge(part.slowdown);
  }
  const ns = end - begin;
  return {
    ns,
    flows: parts.reduce((sum, part) => sum + part.flows, 0),
    startedBytes: parts.reduce((sum, part) => sum + part.bytes, 0),
    deliveredBytes: delivered - passed.delivered,
    fctNs: fct.toJson(),
    slowdown: slowdown.toJson(),
    ...given({
      utilisation: busyNs === undefined ? undefined : Number(((busyNs - passed.busyNs!) / ns).toFixed(6)),
    }),
  };
}
