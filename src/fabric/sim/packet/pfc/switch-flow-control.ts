/**
 * Priority flow control at a switch: asks the senders at its ports to stop and to go on, by frames on the wire, and obeys those that come in. A PAUSE
 * goes before all that waits at its port, also where the port itself is paused, after the frame that is on the wire.
 */
import { MacControl } from "../../../../base/packets/index.js";
import type { BufferAccount, Switch } from "../../../../toolchain/switch/index.js";
import type { Channel } from "../channel.js";
import { NS_PER_US, type Simulation } from "../simulation.js";
import { HEADERS_ONLY } from "../wire-model.js";
import { IngressBuffer } from "./ingress-buffer.js";
import { PauseClock } from "./pause-clock.js";
import { headroomBytes, type PfcOptions, PRIORITY, pauseNs } from "./pfc-options.js";

interface FlowPort {
  readonly output: Channel;
  /** Of what the switch sends by the port. */
  readonly clock: PauseClock;
  /** Pauses that the switch has asked for here, and all frames of flow control that it has sent. */
  pauses: number;
  frames: number;
  /** Ends the repetition of a PAUSE. */
  stop: (() => void) | undefined;
}

export class SwitchFlowControl implements BufferAccount {
  readonly buffer: IngressBuffer;
  readonly #ports: (FlowPort | undefined)[] = [];
  /** Called when the switch begins to ask one of its senders to stop. */
  onAsk: () => void = () => {};

  /** @param mac the source address of its frames */
  constructor(
    readonly simulation: Simulation,
    readonly options: PfcOptions,
    readonly device: () => Switch,
    readonly mac: bigint,
  ) {
    this.buffer = new IngressBuffer(options, (port, asks) =>
      asks ? this.#ask(port) : this.#endAsking(port),
    );
  }

  attach(port: number, output: Channel): void {
    const { rate, delay, wire = HEADERS_ONLY } = output.options;
    const { options } = this;
    this.#ports[port] = { output, clock: new PauseClock(), pauses: 0, frames: 0, stop: undefined };
    this.buffer.add(
      port,
      options.headroom ?? headroomBytes({ rateBps: rate, delayNs: delay, wire }, options),
    );
  }

  counts(ingressPort: number): boolean {
    return this.buffer.counts(ingressPort);
  }

  charge(ingressPort: number, egressPort: number, bytes: number): boolean {
    return this.buffer.charge(ingressPort, egressPort, bytes);
  }

  release(ingressPort: number, egressPort: number, bytes: number): void {
    this.buffer.release(ingressPort, egressPort, bytes);
  }

  closed(): void {
    const { now } = this.simulation;
    for (const port of this.#ports) port?.clock.resume(now);
  }

  #ask(number: number): void {
    const port = this.#ports[number]!;
    port.pauses++;
    this.#sendPause(number, port);
    this.onAsk();
  }

  #sendPause(number: number, port: FlowPort): void {
    const { simulation, options } = this;
    this.#send(number, port, options.quanta);
    const again = simulation.now + Math.ceil(pauseNs(options.quanta, port.output.rate) / 2);
    port.stop = simulation.at(again, () => this.#sendPause(number, port));
  }

  #endAsking(number: number): void {
    const port = this.#ports[number]!;
    port.stop?.();
    port.stop = undefined;
    this.#send(number, port, 0);
  }

  #send(number: number, port: FlowPort, quanta: number): void {
    port.frames++;
    port.output.send(MacControl.frameOf(this.mac, PRIORITY, quanta));
    this.device().queues.occupy(number, MacControl.LENGTH);
  }

  /** A frame has come in by a port; true: it was one of flow control, and the program does not see it. */
  takes(number: number, frame: Uint8Array): boolean {
    if (!MacControl.check(frame)) return false;
    const quanta = MacControl.quanta(frame, PRIORITY);
    const port = this.#ports[number];
    if (quanta === undefined || port === undefined) return true;
    const { simulation } = this;
    const { reaction } = this.options;
    if (reaction === 0) this.#obey(number, port, quanta);
    else simulation.at(simulation.now + reaction, () => this.#obey(number, port, quanta));
    return true;
  }

  #obey(number: number, { clock, output }: FlowPort, quanta: number): void {
    const { now } = this.simulation;
    const { queues } = this.device();
    if (quanta === 0) {
      clock.resume(now);
      queues.resume(number);
      return;
    }
    const until = now + pauseNs(quanta, output.rate);
    clock.pause(now, until);
    queues.pause(number, until / NS_PER_US);
  }

  /** A link that has lost its carrier ends both pauses: what the switch has asked for, and what it was asked for. */
  portDown(number: number): void {
    const port = this.#ports[number];
    if (port === undefined) return;
    port.stop?.();
    port.stop = undefined;
    this.buffer.forget(number);
    port.clock.resume(this.simulation.now);
    this.device().queues.resume(number);
  }

  isPaused(number: number): boolean {
    return this.#ports[number]?.clock.isPaused(this.simulation.now) === true;
  }

  /** Of a port with a link: pauses and frames that the switch has sent by it, and for how long its own frames were paused. */
  statsOf(number: number): { readonly pauses: number; readonly frames: number; readonly pausedNs: number } {
    const { pauses, frames, clock } = this.#ports[number]!;
    return { pauses, frames, pausedNs: clock.total(this.simulation.now) };
  }
}
