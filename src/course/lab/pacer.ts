/**
 * Advances simulated time with real time: at a given speed, paused, or step by step. It works in short slices, so that events
 * of a lab are spread evenly and a network that is too large for the speed does not block its page.
 */
import { given } from "../../base/index.js";
import { NS_PER_MS, NS_PER_S, type Simulation } from "../../fabric/sim/packet/index.js";
import type { ClockView } from "./protocol.js";

/** The real clock and its timers, in milliseconds; a session gets them from its caller. */
export interface LabTimers {
  now(): number;
  /** Calls `fn` once, after at least this time; returns a function that cancels the call. */
  later(milliseconds: number, fn: () => void): () => void;
}

/** Time between two frames, in milliseconds. */
const FRAME_MS = 1000 / 30;
/** Maximum time of a frame that the simulation may use, in milliseconds. */
const WORK_MS = 25;
/** Real time of a slice, approximately; then the real clock is read again. */
const SLICE_MS = 4;
const FIRST_SLICE_NS = 100_000;
/** Limits of a step: how much simulated time it searches for an arrival, and how much real time it may take. */
const STEP_NS = 100 * NS_PER_S;
const STEP_WORK_MS = 2000;
/** The actual speed is reported when it is below this share of the requested speed. */
const BEHIND = 0.9;

interface PacerOptions {
  readonly simulation: Simulation;
  readonly timers: LabTimers;
  /** Whether controllers run in the network: their promises are resolved between events. */
  readonly controlled: boolean;
  /** Whether packets are on wires or in queues. */
  isBusy(): boolean;
  /** Called after each frame, even if simulated time has not advanced. */
  onFrame(): void;
}

export class Pacer {
  readonly #options: PacerOptions;
  #running = false;
  #speed = 1;
  #skipIdle = true;
  #reached: number | undefined;
  #lastMs: number;
  #cancel: () => void = () => {};
  /** Simulated nanoseconds that take {@link SLICE_MS} of real time, by the last measurement. */
  #sliceNs = FIRST_SLICE_NS;
  /** No packet is on a wire; the next frame on a wire ends this. */
  #isIdle = false;
  #isWoken = false;
  #stopped = false;
  /** The task that advances time now; the next task waits for its end. */
  #work: Promise<unknown> = Promise.resolve();

  constructor(options: PacerOptions) {
    this.#options = options;
    this.#lastMs = options.timers.now();
  }

  get view(): ClockView {
    return {
      now: this.#options.simulation.now,
      running: this.#running,
      speed: this.#speed,
      skipIdle: this.#skipIdle,
      ...given({ reached: this.#reached }),
    };
  }

  start(): void {
    this.#lastMs = this.#options.timers.now();
    this.#plan();
  }

  stop(): void {
    this.#stopped = true;
    this.#cancel();
  }

  set({ running, speed, skipIdle }: { running?: boolean; speed?: number; skipIdle?: boolean }): void {
    this.#running = running ?? this.#running;
    this.#speed = speed ?? this.#speed;
    this.#skipIdle = skipIdle ?? this.#skipIdle;
    this.#reached = undefined;
    this.#lastMs = this.#options.timers.now();
  }

  /** To be called when a frame is sent: it ends a period without packets. */
  wake(): void {
    if (!this.#isIdle) return;
    this.#isWoken = true;
    this.#options.simulation.stop();
  }

  #plan(): void {
    this.#cancel = this.#options.timers.later(FRAME_MS, () => {
      void this.#alone(() => this.#frame()).then(() => {
        if (!this.#stopped) this.#plan();
      });
    });
  }

  #alone<T>(work: () => Promise<T>): Promise<T> {
    const next = this.#work.then(work);
    this.#work = next.catch(() => undefined);
    return next;
  }

  async #frame(): Promise<void> {
    const { timers, onFrame } = this.#options;
    const nowMs = timers.now();
    const passed = Math.min(nowMs - this.#lastMs, 4 * FRAME_MS);
    this.#lastMs = nowMs;
    if (this.#running && passed > 0) await this.#run(passed, nowMs + WORK_MS);
    if (!this.#stopped) onFrame();
  }

  /** Advances simulated time by `milliseconds` of real time, or as far as possible until `deadline`. */
  async #run(milliseconds: number, deadline: number): Promise<void> {
    const { simulation, isBusy } = this.#options;
    let left = milliseconds;
    let lagNs = 0;
    while (left > 1e-9) {
      const idle = this.#skipIdle && this.#speed < 1 && !isBusy();
      const speed = idle ? 1 : this.#speed;
      const from = simulation.now;
      const until = from + Math.max(1, Math.round(left * NS_PER_MS * speed));
      this.#isIdle = idle;
      this.#isWoken = false;
      const isDone = await this.#slices(until, deadline, () => this.#isWoken);
      this.#isIdle = false;
      left -= (simulation.now - from) / (NS_PER_MS * speed);
      if (!isDone) {
        lagNs = until - simulation.now;
        break;
      }
      if (simulation.now >= until) break;
    }
    const wanted = milliseconds * NS_PER_MS * this.#speed;
    const share = 1 - lagNs / wanted;
    this.#reached = lagNs > 0 && share < BEHIND ? Number((this.#speed * share).toPrecision(2)) : undefined;
  }

  /**
   * Runs until a simulated time, or until the simulation was stopped and `isOver` returns true. Returns false when the real clock
   * has reached the deadline before.
   */
  async #slices(until: number, deadline: number, isOver: () => boolean): Promise<boolean> {
    const { simulation, timers, controlled } = this.#options;
    while (simulation.now < until && !this.#stopped) {
      const target = Math.min(until, simulation.now + this.#sliceNs);
      const before = timers.now();
      if (controlled) await simulation.runAsync(target);
      else simulation.run(target);
      const after = timers.now();
      if (after - before > 2 * SLICE_MS) this.#sliceNs = Math.max(1000, this.#sliceNs / 2);
      else if (after - before < SLICE_MS / 2) this.#sliceNs = Math.min(NS_PER_S, this.#sliceNs * 2);
      // stopped; an event at the very end of the slice stops it there
      if (simulation.now < target || isOver()) return true;
      if (after >= deadline) return false;
    }
    return true;
  }

  /**
   * Runs without pauses until `isThere` returns true (it is called after each frame that arrives; see `LabSession`), or until a
   * simulated time. Resolves to whether `isThere` returned true.
   */
  step(until: number | undefined, isThere: () => boolean): Promise<boolean> {
    return this.#alone(() => this.#stepAlone(until, isThere));
  }

  async #stepAlone(until: number | undefined, isThere: () => boolean): Promise<boolean> {
    const { simulation, timers, controlled } = this.#options;
    const end = until ?? simulation.now + STEP_NS;
    const deadline = timers.now() + STEP_WORK_MS;
    while (simulation.now < end && !isThere()) {
      if (simulation.pending === 0) {
        if (until === undefined) break;
        if (controlled) await simulation.runAsync(end);
        else simulation.run(end);
        break;
      }
      if (!(await this.#slices(end, deadline, isThere))) break;
    }
    this.#lastMs = timers.now();
    return isThere();
  }
}
