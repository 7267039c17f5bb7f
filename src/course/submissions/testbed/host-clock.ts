/** The clock of simulated hosts that send frames on real interfaces: it follows the time of the machine. */
import type { Simulation } from "../../../fabric/sim/packet/index.js";

/** A pause between two frames that is longer than this is not shortened on the wire, even if this process was late. */
const MAX_GAP_NS = 5e6;
const SLICE_NS = 100_000;
/** Maximum number of frames that wait in switches: half of a queue of BMv2. */
const MAX_BURST = 32;
/** Time between two checks of the switches. */
const LOOK_NS = 500_000;
/** A switch that works longer than this has other work than these frames. */
const MAX_WAIT_NS = 20e6;

export class HostClock {
  /** Permanent delay of the hosts' time after the machine's time. */
  #offset: number;
  /** Number of frames sent since the switches were last idle. */
  #burst = 0;
  /** In the machine's time: when frames began to be held back, and when the switches were last checked. */
  #held: { readonly since: number; looked: number } | undefined;
  /** When the last frame was sent, by both clocks. */
  #sent: { readonly hosts: number; readonly machine: number };

  /**
   * @param machine returns the machine's time in nanoseconds
   * @param switchesWork returns whether a switch has work now
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
   * Advances the hosts' time towards the machine's time. If this process was late, it catches up while hosts send consecutive
   * frames, with no more frames than switches can queue. A pause between frames is not shortened.
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

  /** Whether the next frames must be held back because frames still wait in switches. */
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

  /** To be called when a host sends a frame. */
  frameSent(): void {
    this.#burst++;
    this.#sent = { hosts: this.simulation.now, machine: this.machine() };
  }
}
