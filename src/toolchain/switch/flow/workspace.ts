/**
 * Memory that a switch needs while it runs a packet; nothing in it outlives the packet. Switches of one program may share
 * workspaces: a thousand switches that run one after the other then need only one, which stays in the processor's cache.
 */
import type { Specialised } from "../codegen/specialised.js";
import type { OwnState } from "../state/own-state.js";
import { PacketState, standardFields } from "../state/packet-state.js";
import { Fifo, type PacketCopy, PacketPool } from "./packet-copy.js";

export class Workspace {
  readonly state: PacketState;
  readonly pool: PacketPool;
  /** Packets that wait for egress, and for another pass of ingress: both are empty when the switch has done its work. */
  readonly egress = new Fifo<PacketCopy>();
  readonly again = new Fifo<PacketCopy>();

  constructor({ layout, hashBytes }: Specialised, own: OwnState, pool: PacketPool) {
    this.state = new PacketState(layout.words, standardFields(layout), hashBytes, own);
    this.pool = pool;
  }
}

/** Those of one program: the free ones, and the pool that all of them take copies of packets from. */
export interface ProgramWorkspaces {
  readonly free: Workspace[];
  readonly pool: PacketPool;
}

/** The workspaces of switches that share them. A switch that runs while another one does gets a workspace of its own. */
export class Workspaces {
  readonly #byProgram = new WeakMap<Specialised, ProgramWorkspaces>();

  of(specialised: Specialised): ProgramWorkspaces {
    let found = this.#byProgram.get(specialised);
    if (found === undefined) {
      found = { free: [], pool: new PacketPool(specialised.copyWords) };
      this.#byProgram.set(specialised, found);
    }
    return found;
  }
}
