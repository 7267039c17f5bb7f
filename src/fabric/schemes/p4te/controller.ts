/**
 * The control plane of one P4TE switch, on the switch's own processor (section 4.2.2): an event of a port moves it to the routing
 * group of its queue depth or of its colour. A port without a carrier is in no group.
 *
 * Events may arrive faster than writes take effect. Then the last event of each port counts, because earlier ones are outdated.
 */
import type { ActionProfileGroup, Device, DeviceEvent, Update } from "../../../toolchain/device/index.js";
import type { Controller, ControllerContext } from "../../controllers/index.js";
import { call, exact, ingressName } from "../fabric.js";
import {
  colorOfGroup,
  type GroupLayout,
  groupOfColor,
  groupOfDepth,
  METRICS,
  type Metric,
  RoutingGroups,
} from "./routing-groups.js";

// The colour of a port as the choice of paths sees it, where the controller writes it (`feedback: controller`).

/** Below its committed rate. */
export const GREEN = 0;

export function statusEntry(port: number, color: number): Update["entity"] {
  return {
    kind: "tableEntry",
    table: ingressName("port_utilizations"),
    match: [exact("meta.first_port", port)],
    priority: 0,
    action: { kind: "action", ...call("set_status", { color }) },
  };
}

interface P4teControllerOptions {
  readonly layout: GroupLayout;
  /** Packets; see the parameter `delta`. */
  readonly delta: number;
  /** Whether the controller writes the colours of ports for the choice of paths; otherwise copies of packets carry them. */
  readonly writesStatus: boolean;
  /** Nanoseconds after which the colour that this controller writes is green unless it was reported again; absent: never. */
  readonly colourAge?: number | undefined;
}

/** Epochs of flowlets are 1 to this number. */
const LAST_EPOCH = 127;

export function p4teController(options: P4teControllerOptions): Controller {
  return { start: (context) => new PathPriorities(context, options).start() };
}

/** The state of one incarnation. */
class PathPriorities {
  readonly #context: ControllerContext;
  readonly #options: P4teControllerOptions;
  readonly #device: Device;
  #groups: RoutingGroups;
  /** The group of each port by its last events; a port that is down keeps it. */
  readonly #wanted: Record<Metric, Map<number, number>> = { queue: new Map(), rate: new Map() };
  readonly #down = new Set<number>();
  /** Colour of each port in the table of the switch, where this controller writes it; absent: not known. */
  readonly #status = new Map<number, number>();
  /** When the colour of a port was reported last, and the ports whose colour will be looked at when it is old. */
  readonly #reported = new Map<number, number>();
  readonly #ageing = new Set<number>();
  #epoch = 1;
  #epochChanged = false;
  #writing = false;
  /** Number of the switch's process: writes to an earlier one have no effect. */
  #process = 0;

  constructor(context: ControllerContext, options: P4teControllerOptions) {
    this.#context = context;
    this.#options = options;
    this.#device = context.switches[0]!.device;
    this.#groups = new RoutingGroups(options.layout);
  }

  async start(): Promise<void> {
    const { layout } = this.#options;
    if (this.#context.incarnation > 1) await this.#learn();
    for (const metric of METRICS)
      for (const port of layout.ports)
        this.#wanted[metric].set(port, this.#groups.groupOf(metric, port) || 1);
    if (this.#context.incarnation === 1) for (const port of layout.ports) this.#status.set(port, GREEN);
    for (const port of layout.ports) this.#noteColour(port);
    this.#device.watch((event) => this.#onDeviceEvent(event));
    this.#context.watchSwitches(async ({ running }) => {
      if (!running) return;
      // The switch has the state of its plan again.
      this.#process++;
      this.#groups = new RoutingGroups(layout);
      this.#epoch = 1;
      for (const port of layout.ports) this.#status.set(port, GREEN);
      for (const metric of METRICS) for (const port of layout.ports) this.#wanted[metric].set(port, 1);
      await this.#write();
    });
    this.#context.watchLinks(async ({ port, up }) => {
      if (!layout.ports.includes(port)) return;
      if (up) this.#down.delete(port);
      else this.#down.add(port);
      // The known queue depth and rate of the port are outdated.
      for (const metric of METRICS) this.#wanted[metric].set(port, 1);
      this.#epochChanged = true;
      this.#context.log(`port ${port} is ${up ? "up" : "down"}`);
      await this.#write();
    });
  }

  /** Reads what an earlier incarnation has written to the switch. */
  async #learn(): Promise<void> {
    const found = await this.#device.read([{ kind: "group" }]);
    const known = found.filter((entity): entity is ActionProfileGroup => entity.kind === "group");
    this.#groups = new RoutingGroups(this.#options.layout, known);
    const [epoch] = await this.#device.read([
      { kind: "tableEntry", table: ingressName("flowlet_epoch"), isDefault: true },
    ]);
    if (epoch?.kind === "tableEntry" && epoch.action?.kind === "action")
      this.#epoch = Number(epoch.action.params["number"] ?? 1n);
  }

  async #onDeviceEvent(event: DeviceEvent): Promise<void> {
    if (event.kind !== "packetIn") return;
    const { metadata } = event.packet;
    const of = (name: string) => Number(metadata[name] ?? 0n);
    const port = of("port");
    if (!this.#options.layout.ports.includes(port)) return;
    const { delta, layout } = this.#options;
    if (of("queue_event") !== 0)
      this.#wanted.queue.set(port, groupOfDepth(of("queue_depth"), delta, layout.groups.queue));
    if (of("rate_event") !== 0) this.#wanted.rate.set(port, groupOfColor(of("color")));
    this.#noteColour(port);
    await this.#write();
  }

  #updates(): Update[] {
    const moves = METRICS.flatMap((metric) =>
      this.#options.layout.ports.flatMap((port) =>
        this.#groups.move(metric, port, this.#down.has(port) ? 0 : this.#wanted[metric].get(port)!),
      ),
    );
    if (this.#options.writesStatus) moves.push(...this.#statusUpdates());
    if (!this.#epochChanged) return moves;
    this.#epochChanged = false;
    this.#epoch = this.#epoch === LAST_EPOCH ? 1 : this.#epoch + 1;
    return [
      ...moves,
      {
        type: "modify",
        entity: {
          kind: "tableEntry",
          table: ingressName("flowlet_epoch"),
          match: [],
          priority: 0,
          isDefault: true,
          action: { kind: "action", ...call("set_epoch", { number: this.#epoch }) },
        },
      },
    ];
  }

  /** A packet has just crossed the port. */
  #noteColour(port: number): void {
    const { colourAge, writesStatus } = this.#options;
    if (colourAge === undefined || !writesStatus) return;
    this.#reported.set(port, this.#context.clock.now());
    if (this.#wanted.rate.get(port) === groupOfColor(GREEN) || this.#ageing.has(port)) return;
    this.#ageing.add(port);
    this.#waitForAge(port, colourAge);
  }

  #waitForAge(port: number, age: number): void {
    this.#context.clock.at(this.#reported.get(port)! + age, async () => {
      if (!this.#isOld(port)) return this.#waitForAge(port, age);
      this.#ageing.delete(port);
      await this.#write();
    });
  }

  #isOld(port: number): boolean {
    const at = this.#reported.get(port);
    const { colourAge } = this.#options;
    return colourAge !== undefined && at !== undefined && this.#context.clock.now() - at >= colourAge;
  }

  #statusUpdates(): Update[] {
    const changed: Update[] = [];
    for (const port of this.#options.layout.ports) {
      const color = this.#isOld(port) ? GREEN : colorOfGroup(this.#wanted.rate.get(port)!);
      if (this.#status.get(port) === color) continue;
      this.#status.set(port, color);
      changed.push({ type: "modify", entity: statusEntry(port, color) });
    }
    return changed;
  }

  /** Writes all changes, including those that occur meanwhile. */
  async #write(): Promise<void> {
    if (this.#writing) return;
    this.#writing = true;
    try {
      for (let updates = this.#updates(); updates.length > 0; updates = this.#updates()) {
        const process = this.#process;
        try {
          await this.#device.write(updates);
        } catch (error) {
          // The switch has ended meanwhile: the watcher above is notified of its restart.
          if ((error as { code?: unknown }).code === "UNAVAILABLE") return;
          if (process === this.#process) throw error;
        }
      }
    } finally {
      this.#writing = false;
    }
  }
}
