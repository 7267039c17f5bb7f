/** An embedded switch as a node of the network: frames in and out by its ports, time from the simulation. */
import { Switch } from "../../switch/index.js";
import type { Channel } from "./channel.js";
import type { Node } from "./network.js";
import { microsecondClock, type Simulation } from "./simulation.js";

export class SwitchNode implements Node {
  readonly device: Switch;
  readonly #outputs: (Channel | undefined)[] = [];
  /** Frames that the switch sent to a port without a link. */
  strayed = 0;

  constructor(
    simulation: Simulation,
    readonly name: string,
    /** For what the switch draws at random. */
    seed: number,
  ) {
    this.device = new Switch(undefined, {
      name,
      clock: microsecondClock(simulation),
      seed,
      transmit: (port, frame) => {
        const output = this.#outputs[port];
        if (output === undefined) this.strayed++;
        else output.send(frame);
      },
    });
  }

  attach(port: number, output: Channel): void {
    this.#outputs[port] = output;
  }

  receive(port: number, frame: Uint8Array): void {
    this.device.receive(port, frame);
  }

  portState(port: number, up: boolean): void {
    this.device.setPortState(port, up);
  }
}
