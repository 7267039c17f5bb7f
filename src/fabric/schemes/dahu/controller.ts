/**
 * The software of one switch, on the switch's own processor (Dahu, section 4): in each epoch it reads the counters, allows further ports
 * where the shortest paths are full, and balances its port groups. It is notified of the state of all links of the network, as by a routing
 * protocol, and writes to no switch except its own.
 */

import type { Device, DeviceEvent, Update } from "../../../toolchain/device/index.js";
import {
  type Controller,
  type ControllerContext,
  type LinkEvent,
  whileRunning,
} from "../../controllers/index.js";
import { nodeAt } from "../../topology/index.js";
import type { PortTraffic } from "./policy/allocation.js";
import type { Rebalancing } from "./policy/epoch.js";
import { PortClasses } from "./port-classes.js";
import { type OwnSwitch, type SoftwareSettings, SwitchSoftware } from "./switch-software.js";
import { GROUP_TRAFFIC, PORT_TRAFFIC, REPORT } from "./tables.js";

interface DahuControllerOptions {
  readonly own: OwnSwitch;
  /** Port classes of the plan's network. */
  readonly classes: PortClasses;
  readonly settings: SoftwareSettings;
  readonly unit: "bytes" | "packets";
  readonly epochNs: number;
  readonly propagationNs: number;
  /** Makes a new one for each incarnation; undefined: virtual ports do not change. */
  readonly rebalancing: () => Rebalancing | undefined;
  readonly feedback: boolean;
}

/** `context.switches[0]` is the switch itself; the others are those whose links it watches. */
export function dahuController(options: DahuControllerOptions): Controller {
  return { start: (context) => new SwitchKeeper(context, options).start() };
}

/** EtherType of feedback, as in the template. */
const TYPE_FEEDBACK = 0x88b6;
const SECOND = 1e9;

/** One incarnation. */
class SwitchKeeper {
  readonly #device: Device;
  readonly #rebalancing: Rebalancing | undefined;
  #software: SwitchSoftware;
  /** Links that are down: as their switches have reported, and as the routes have it. */
  readonly #down = new Set<number>();
  #routesAreLate = false;
  /** Counters at the end of the last epoch, and its time. */
  #counted: PortTraffic | undefined;
  #countedAt = 0;
  /** Serialises reads and writes. */
  #work: Promise<void> = Promise.resolve();

  constructor(
    private readonly context: ControllerContext,
    private readonly options: DahuControllerOptions,
  ) {
    this.#device = context.switches[0]!.device;
    this.#rebalancing = options.rebalancing();
    this.#software = this.#planned();
  }

  start(): Promise<void> {
    const { context, options } = this;
    const { own } = options;
    const first = context.incarnation > 1 ? this.#turn(() => this.#learn()) : Promise.resolve();
    context.watchSwitches(({ switch: { index }, running }) => {
      if (!running || index !== own.node.index) return;
      // The switch has the state of its plan again.
      return this.#turn(async () => {
        this.#software = this.#planned();
        this.#counted = undefined;
        await this.#write(this.#ownPortsDown());
        await this.#write(this.#software.routesChanged(this.#classes(), context.clock.now()));
      });
    });
    context.watchLinks((event) => this.#onLinkEvent(event));
    if (options.feedback) this.#device.watch((event) => this.#onDeviceEvent(event));
    context.clock.every(options.epochNs, () => this.#turn(() => this.#endEpoch()));
    return first;
  }

  #planned(): SwitchSoftware {
    const { own, classes, settings } = this.options;
    return new SwitchSoftware(own, classes, settings);
  }

  /** Learns what an earlier incarnation has written: the map is read from the switch, and the rest is written again. */
  async #learn(): Promise<void> {
    const found = await whileRunning(() => this.#device.read([this.#software.map.query]));
    if (found === undefined) return;
    this.#software.learn(found);
    await this.#write(this.#software.rewrite());
  }

  #turn(work: () => Promise<void>): Promise<void> {
    const next = this.#work.then(work);
    this.#work = next.catch(() => {});
    return next;
  }

  async #write(updates: readonly Update[]): Promise<void> {
    // A switch that does not run gets its state when it runs again.
    if (updates.length > 0) await whileRunning(() => this.#device.write(updates).then(() => true));
  }

  /** An event of an own port has an effect at once, one of another link when the routing protocol has spread it. */
  #onLinkEvent({ switch: { index }, port, link, up }: LinkEvent): Promise<void> | undefined {
    const { context, options } = this;
    const { topology } = context;
    const isFabric = [link.a, link.b].every(({ node }) => nodeAt(topology, node).role !== "host");
    if (!isFabric) return undefined;
    if (up) this.#down.delete(link.index);
    else this.#down.add(link.index);
    if (!this.#routesAreLate) {
      this.#routesAreLate = true;
      context.clock.at(context.clock.now() + options.propagationNs, () => {
        this.#routesAreLate = false;
        return this.#turn(() =>
          this.#write(this.#software.routesChanged(this.#classes(), context.clock.now())),
        );
      });
    }
    if (index !== options.own.node.index) return undefined;
    context.log(`port ${port} is ${up ? "up" : "down"}`);
    return this.#turn(() => this.#write(this.#software.portChanged(port - 1, up)));
  }

  #ownPortsDown(): Update[] {
    return this.options.own.node.ports
      .filter(({ link }) => this.#down.has(link))
      .flatMap(({ number }) => this.#software.portChanged(number - 1, false));
  }

  #classes(): PortClasses {
    const { classes } = this.options;
    return this.#down.size === 0
      ? classes
      : new PortClasses(classes.topology, new Set([...classes.down, ...this.#down]));
  }

  async #endEpoch(): Promise<void> {
    const now = this.context.clock.now();
    const counted = await whileRunning(() => this.#count());
    if (counted === undefined) return;
    const before = this.#counted;
    const seconds = (now - this.#countedAt) / SECOND;
    this.#counted = counted;
    this.#countedAt = now;
    if (before === undefined) return;
    const measured: PortTraffic = {
      byPort: counted.byPort.map((value, at) => value - before.byPort[at]!),
      byGroup: counted.byGroup.map((value, at) => value - before.byGroup[at]!),
    };
    await this.#write(this.#software.endEpoch(measured, seconds, now, this.#rebalancing));
  }

  /** The present counters; ports to hosts are left out, since no group moves their traffic (section 4.4). */
  async #count(): Promise<PortTraffic> {
    const { own, unit } = this.options;
    const { width, node, layout } = own;
    const { topology } = this.context;
    const byPort = new Float64Array(width);
    const byGroup = new Float64Array(layout.members.length * width);
    const entries = await this.#device.read([
      { kind: "counter", counter: PORT_TRAFFIC },
      { kind: "counter", counter: GROUP_TRAFFIC },
    ]);
    for (const entity of entries) {
      if (entity.kind !== "counter") continue;
      const value = Number(entity.data[unit]);
      if (entity.counter === GROUP_TRAFFIC) {
        if (entity.index < byGroup.length) byGroup[entity.index] = value;
        continue;
      }
      const port = node.ports[entity.index - 1];
      if (port !== undefined && nodeAt(topology, port.peer).role !== "host") byPort[port.number - 1] = value;
    }
    return { byPort, byGroup };
  }

  /** Handles reports of the data plane (section 7): of packets that a neighbour derouted, and of received feedback. */
  #onDeviceEvent(event: DeviceEvent): Promise<void> | undefined {
    if (event.kind !== "digest" || event.list.digest !== REPORT) return undefined;
    const { list } = event;
    return this.#turn(async () => {
      for (const [isFeedback, port, destination] of list.data) {
        if (isFeedback === 1n) await this.#heedFeedback(Number(port), Number(destination));
        else if (this.#software.feedsBack(Number(destination)))
          await whileRunning(() =>
            this.#device.packetOut({ payload: feedbackFrame(port!, destination!), metadata: {} }),
          );
      }
      await whileRunning(() => this.#device.acknowledgeDigest(list.digest, list.listId));
    });
  }

  async #heedFeedback(port: number, destination: number): Promise<void> {
    const { context, options } = this;
    const now = context.clock.now();
    await this.#write(this.#software.onFeedback(destination, port - 1, now));
    context.clock.at(now + options.settings.holdNs, () =>
      this.#turn(() => this.#write(this.#software.endHolds(context.clock.now()))),
    );
  }
}

/** An Ethernet frame without addresses, then the port to send it by and the destination. */
function feedbackFrame(port: bigint, destination: bigint): Uint8Array {
  const frame = new Uint8Array(18);
  const view = new DataView(frame.buffer);
  view.setUint16(12, TYPE_FEEDBACK);
  view.setUint16(14, Number(port));
  view.setUint16(16, Number(destination));
  return frame;
}
