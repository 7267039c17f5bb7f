/**
 * The part of a switch's own control plane that remaps buckets when its ports go down (RePaC, section 3.2). It runs on the switch,
 * and knows only its own ports. Its delay is the time until a failure is detected: by the link scan, BFD or LACP.
 */
import { type Controller, type ControllerContext, whileRunning } from "../../controllers/index.js";
import { type BucketGroup, groupUpdates } from "./groups.js";

interface BucketControllerOptions {
  /** By node. */
  readonly groups: ReadonlyMap<number, readonly BucketGroup[]>;
  readonly buckets: number;
  readonly detectionNs: number;
}

/** Its name in logs and faults. */
export const BUCKET_CONTROLLER = "buckets";

export function bucketController(options: BucketControllerOptions): Controller {
  return { start: (context) => new BucketKeeper(options, context).watch() };
}

class BucketKeeper {
  /** Ports that are down, by node, as the switch reports. */
  readonly #down = new Map<number, Set<number>>();
  /** By node: the ports that were down at the last write of the buckets. */
  readonly #written = new Map<number, ReadonlySet<number>>();
  readonly #writing = new Map<number, Promise<void>>();

  constructor(
    readonly options: BucketControllerOptions,
    readonly context: ControllerContext,
  ) {}

  watch(): void {
    const { context, options } = this;
    context.watchLinks(({ switch: { index }, port, up }) => {
      const own = this.#down.get(index) ?? new Set();
      if (up) own.delete(port);
      else own.add(port);
      this.#down.set(index, own);
      context.clock.at(context.clock.now() + options.detectionNs, () => this.#update(index));
    });
    context.watchSwitches(({ switch: { index } }) => {
      // A switch that has restarted has the state of its plan.
      this.#written.delete(index);
      return this.#update(index);
    });
  }

  /** Updates of a switch follow each other. */
  #update(node: number): Promise<void> {
    const next = (this.#writing.get(node) ?? Promise.resolve()).then(() => this.#write(node));
    this.#writing.set(node, next);
    return next;
  }

  async #write(index: number): Promise<void> {
    const { context, options } = this;
    const { node, device } = context.switches.find((own) => own.node.index === index)!;
    const down = new Set(this.#down.get(index));
    const before = this.#written.get(index) ?? new Set();
    const changed = new Set([...down, ...before].filter((port) => down.has(port) !== before.has(port)));
    const groups = options.groups.get(index)!.filter(({ ports }) => ports.some((port) => changed.has(port)));
    if (groups.length === 0) return;
    const updates = groups.flatMap((group) => {
      const old = groupUpdates(group, options.buckets, before, "modify");
      return groupUpdates(group, options.buckets, down, "modify").filter(
        (update, i) => JSON.stringify(update.entity) !== JSON.stringify(old[i]!.entity),
      );
    });
    // A switch that does not run gets its buckets when it runs again.
    if ((await whileRunning(() => device.write(updates).then(() => true))) !== true) return;
    this.#written.set(index, down);
    const ports = [...down].sort((a, b) => a - b).join(", ");
    context.log(
      `${node.name}: ${updates.length} buckets remapped, ${ports === "" ? "all ports up" : `down: ${ports}`}`,
    );
  }
}
