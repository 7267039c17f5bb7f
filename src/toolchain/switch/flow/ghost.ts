/**
 * The ghost threads of a Tofino 2: a control that runs when the length of a queue changes, beside the packets, and writes registers that
 * ingress reads. `ping_pong` says which half of a pair of registers it may write; each report is made for both halves, so that both have the
 * last length, and ingress always sees 0.
 */
import { defined } from "../../../base/index.js";
import type { bmv2 } from "../../program/index.js";
import type { Specialised } from "../codegen/specialised.js";
import type { OwnState } from "../state/own-state.js";
import { PacketState, standardFields } from "../state/packet-state.js";

/** Queues of a port in the numbers of queues of a pipe, which have 11 bits: 16 for each of its 128 ports. */
const QUEUES_OF_PORT = 16;
const PORTS_OF_PIPE = 128;

interface Thread {
  readonly run: (state: PacketState) => void;
  readonly half: number;
  readonly queue: number;
  readonly length: number;
  readonly pipe: number;
}

export class GhostThreads {
  readonly #threads: readonly (Thread | undefined)[];
  readonly #state: PacketState;
  readonly #clear: (pairs: Float64Array) => void;

  constructor({ program, layout, code, hashBytes }: Specialised, own: OwnState) {
    this.#state = new PacketState(layout.words, standardFields(layout), hashBytes, own);
    this.#clear = code.clearPairs;
    this.#threads = defined(program.architecture).pipes.map(({ ghost }, i) => {
      const run = code.ghosts[i];
      if (ghost === undefined || run === undefined) return undefined;
      const place = (name: string): number => {
        const field: bmv2.FieldRef | undefined = ghost.fields[name];
        return field === undefined ? -1 : (layout.field(field[0], field[1])?.at ?? -1);
      };
      const [half, queue, length, pipe] = ["ping_pong", "qid", "qlength", "pipe_id"].map(place);
      return { run, half: half!, queue: queue!, length: length!, pipe: pipe! };
    });
  }

  get any(): boolean {
    return this.#threads.some((one) => one !== undefined);
  }

  /** A queue of a port has another length, in cells of the buffer. */
  changed(port: number, queue: number, length: number): void {
    const pipe = Math.floor(port / PORTS_OF_PIPE);
    this.report(pipe, (port % PORTS_OF_PIPE) * QUEUES_OF_PORT + queue, length);
  }

  /** Runs the ghost thread of a pipe of the device for a queue of that pipe. */
  report(pipe: number, queue: number, length: number): void {
    const thread = this.#threads[pipe % this.#threads.length];
    if (thread === undefined) return;
    const state = this.#state;
    for (let half = 1; half >= 0; half--) {
      this.#clear(state.pairs);
      const put = (at: number, value: number): void => {
        if (at >= 0) state.main[at] = value;
      };
      put(thread.half, half);
      put(thread.queue, queue & 0x7ff);
      put(thread.length, Math.min(length, 0x3ffff));
      put(thread.pipe, pipe & 3);
      state.phv = state.main;
      thread.run(state);
      state.aborted = undefined;
    }
  }
}
