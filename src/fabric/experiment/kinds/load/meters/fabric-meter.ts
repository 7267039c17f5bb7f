/** Measures the network itself in one window: queues, links and lost packets. */
import { given } from "../../../../../base/index.js";
import type { Fabric } from "../../../../sim/packet/index.js";
import type { LoadFigures } from "../load-figures.js";
import { DropMeter } from "./drop-meter.js";
import { LinkMeter, type LinkUse } from "./link-meter.js";
import { type QueueFigures, QueueMeter } from "./queue-meter.js";

export class FabricMeter {
  readonly #queues: QueueMeter | undefined;
  readonly #links: LinkMeter;
  readonly #drops: DropMeter;
  #queueFigures: (() => QueueFigures) | undefined;
  #linkUse: readonly LinkUse[] = [];

  constructor(fabric: Fabric) {
    this.#queues = QueueMeter.on(fabric);
    this.#links = new LinkMeter(fabric);
    this.#drops = new DropMeter(fabric);
  }

  /** Begins the window of queues and links. Lost packets are counted from now to the end of the run. */
  begin(): void {
    this.#queues?.begin();
    this.#links.begin();
    this.#drops.begin();
  }

  /** Ends the window. */
  end(): void {
    this.#queueFigures = this.#queues?.end();
    this.#linkUse = this.#links.end();
  }

  /** The figures; to be called at the end of the run. */
  figures(): Pick<LoadFigures, "queues" | "links" | "drops"> {
    const queues = this.#queueFigures?.();
    return {
      ...given({ queues }),
      ...(this.#linkUse.length === 0 ? {} : { links: this.#linkUse }),
      drops: this.#drops.end(),
    };
  }
}
