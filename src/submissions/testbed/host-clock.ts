/** The clock of simulated hosts whose frames leave by real interfaces: it follows the time of the machine. */
import type { Simulation } from "../../sim/packet/index.js";

/** A pause between two frames that is longer than this is as long on the wire, however late this process was. */
const MAX_GAP_NS = 5e6;
const SLICE_NS = 100_000;
/** Frames that may wait in switches: half of a queue of BMv2. */
const MAX_BURST = 32;
/** From one look at the switches to the next. */
const LOOK_NS = 500_000;
/** A switch that works for longer than this has other work than these frames. */
const MAX_WAIT_NS = 20e6;

export class HostClock {
  /** How far the hosts' time is behind the machine's for good. */
  #offset: number;
  /** Frames that have left since the switches were without work. */
  #burst = 0;
  /** By the machine's time: since when frames are held back, and when the switches were last looked at. */
  #held: { readonly since: number; looked: number } | undefined;
  /** When the last frame left, by both clocks. */
  #sent: { readonly hosts: number; readonly machine: number };

  /**
   * @param machine nanoseconds of this machine
   * @param switchesWork whether a switch has work at the moment
   */
  constructor(
    readonly simulation: Simulation,
    readonly machine: () => number,
    readonly switchesWork: () => boolean,
  ) {
    const now = machine();
    this.#offset = now - simulation.now;
    this.#sent = { hosts: simulation.now, machine: now };
  }

  /**
   * Brings the hosts' time towards the present. Where this process was late, it makes up for that while hosts send frame after
   * frame; but no more of them than switches take. A pause between frames is not made shorter.
   */
  advance(): void {
    const { simulation } = this;
    const machine = this.machine();
    for (;;) {
      let goal = machine - this.#offset;
      if (simulation.now - this.#sent.hosts >= MAX_GAP_NS) {
        const real = this.#sent.hosts + Math.max(MAX_GAP_NS, machine - this.#sent.machine);
        if (goal > real) {
          this.#offset += goal - real;
          goal = real;
        }
      }
      if (goal <= simulation.now) return;
      if (this.#burst >= MAX_BURST && this.#holdsBack(machine)) return;
      simulation.run(Math.min(goal, simulation.now + SLICE_NS));
    }
  }

  /** Whether frames still wait in switches. */
  #holdsBack(machine: number): boolean {
    this.#held ??= { since: machine, looked: Number.NEGATIVE_INFINITY };
    if (machine - this.#held.since < MAX_WAIT_NS) {
      if (machine - this.#held.looked < LOOK_NS) return true;
      this.#held.looked = machine;
      if (this.switchesWork()) return true;
    }
    this.#held = undefined;
    this.#burst = 0;
    return false;
  }

  /** A host sends a frame now. */
  frameSent(): void {
    this.#burst++;
    this.#sent = { hosts: this.simulation.now, machine: this.machine() };
  }
}
