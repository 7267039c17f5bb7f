/** Samples the congestion windows and round trips of certain flows at equal intervals while they are open. */
import { given } from "../../../../../base/index.js";
import type { Simulation, Stream } from "../../../../sim/packet/index.js";
import { TcpConnection } from "../../../../sim/packet/index.js";

/** One look at a flow's sender. Times in nanoseconds, sizes in bytes. */
export interface WindowSample {
  readonly flow: number;
  /** From the start of the traffic. */
  readonly at: number;
  readonly window: number;
  readonly inFlight: number;
  /** RFC 6298; absent before the first round trip. */
  readonly smoothedRtt?: number;
  /** Bytes that are acknowledged. */
  readonly acknowledged: number;
}

/** Maximum number of samples of a run: more are a mistake, such as an interval of 1 ns. */
const MAX_SAMPLES = 1_000_000;

export class WindowTrace {
  readonly #flows: ReadonlySet<number>;
  readonly #samples: WindowSample[] = [];
  #leftOut = 0;

  constructor(
    readonly simulation: Simulation,
    flows: readonly number[],
    readonly intervalNs: number,
  ) {
    this.#flows = new Set(flows);
  }

  /** A flow begins to send; `start`: of the traffic. Looks at it until it is closed. */
  follow(flow: number, client: Stream, start: number): void {
    if (!this.#flows.has(flow) || !(client instanceof TcpConnection)) return;
    const look = () => {
      if (client.state === "CLOSED") return;
      this.#add(flow, client, start);
      this.simulation.at(this.simulation.now + this.intervalNs, look);
    };
    look();
  }

  samples(): { readonly windows: readonly WindowSample[]; readonly windowsLeftOut?: number } {
    return {
      windows: this.#samples,
      ...(this.#leftOut === 0 ? {} : { windowsLeftOut: this.#leftOut }),
    };
  }

  #add(flow: number, client: TcpConnection, start: number): void {
    if (this.#samples.length >= MAX_SAMPLES) {
      this.#leftOut++;
      return;
    }
    const { smoothedRtt } = client.timeout;
    this.#samples.push({
      flow,
      at: this.simulation.now - start,
      window: client.congestionControl.window,
      inFlight: client.bytesInFlight,
      ...given({ smoothedRtt }),
      acknowledged: client.bytesAcknowledged,
    });
  }
}
