/** The channel between the controllers and the policy of one host, in virtual time, like the control channel of a switch. */
import type { Json } from "../../../base/index.js";
import { DeviceError } from "../../../toolchain/device/index.js";
import type { ControlChannelOptions } from "./control-channel.js";
import { ControlDirection, type ControlFault } from "./control-direction.js";
import { MESSAGE_BYTES } from "./control-messages.js";
import type { Host } from "./host.js";
import type { Simulation } from "./simulation.js";

export class HostChannel {
  readonly #simulation: Simulation;
  readonly #host: Host;
  readonly #toHost: ControlDirection;
  readonly #fromHost: ControlDirection;
  readonly #listeners = new Set<(message: Json) => void>();

  constructor(simulation: Simulation, host: Host, { delay, rate = 0 }: ControlChannelOptions) {
    this.#simulation = simulation;
    this.#host = host;
    this.#toHost = new ControlDirection(simulation, delay, rate);
    this.#fromHost = new ControlDirection(simulation, delay, rate);
  }

  /** The answer of the host's policy. Rejects with DeviceError UNIMPLEMENTED where the policy takes no messages. */
  ask(message: Json): Promise<Json> {
    const { policy, name } = this.#host;
    return new Promise((resolve, reject) => {
      this.#toHost.send(bytesOf(message), () => {
        const answer = (bytes: number, settle: () => void) =>
          this.#fromHost.send(bytes, () => {
            this.#simulation.letPromisesRun();
            settle();
          });
        if (policy.onMessage === undefined) {
          const refusal = new DeviceError("UNIMPLEMENTED", `the policy of host ${name} takes no messages`);
          answer(MESSAGE_BYTES, () => reject(refusal));
          return;
        }
        const said = copyOf(policy.onMessage(copyOf(message)));
        answer(bytesOf(said), () => resolve(said));
      });
    });
  }

  /** Sends a message of the host's policy; it is lost if no controller is subscribed when it arrives. */
  tell(message: Json): void {
    const sent = copyOf(message);
    this.#fromHost.send(bytesOf(sent), () => {
      this.#simulation.letPromisesRun();
      for (const listener of [...this.#listeners]) listener(sent);
    });
  }

  watch(listener: (message: Json) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  beginFault(fault: ControlFault): void {
    this.#toHost.begin(fault);
    this.#fromHost.begin(fault);
  }

  endFault(fault: ControlFault): void {
    this.#toHost.end(fault);
    this.#fromHost.end(fault);
  }
}

/** A copy, so that later changes of a message by one side do not affect the other. */
function copyOf(message: Json): Json {
  return JSON.parse(JSON.stringify(message)) as Json;
}

function bytesOf(message: Json): number {
  return MESSAGE_BYTES + JSON.stringify(message).length;
}
