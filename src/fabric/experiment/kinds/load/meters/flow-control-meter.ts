/** Measures priority flow control in the window: pauses and their times by direction of each link, the headroom, deadlocks. */
import type { Deadlock, DirectionStats, Fabric, FabricFlowControl } from "../../../../sim/packet/index.js";

/** Of a direction of a link: frames from `from` to `to`, which the far end may pause. */
interface PausedLink {
  readonly from: string;
  readonly to: string;
  /** Pauses that the far end asked for in the window; and its frames of flow control, with repetitions and ends. */
  readonly pauses: number;
  readonly frames: number;
  /** Share of the window in which the near end was paused, 0 to 1. */
  readonly paused: number;
  /** Bytes of the far end's headroom, and the most that were in use in the whole run. */
  readonly headroom: number;
  readonly headroomMost: number;
  /** Frames that found no room, from the beginning of the window to the end of the run. */
  readonly drops: number;
}

export interface FlowControlFigures {
  /** Directions with any pause or drop, or whose headroom was in use, in the order of the topology. */
  readonly links: readonly PausedLink[];
  /** Number of all directions that can be paused. */
  readonly directions: number;
  /** In the whole run; times in nanoseconds since the traffic began. */
  readonly deadlocks: readonly Deadlock[];
}

export class FlowControlMeter {
  readonly #flowControl: FabricFlowControl;
  readonly #now: () => number;
  readonly #start: number;
  #begin = 0;
  #before: readonly DirectionStats[] = [];
  #ended: readonly DirectionStats[] = [];
  #end = 0;

  private constructor(flowControl: FabricFlowControl, now: () => number) {
    this.#flowControl = flowControl;
    this.#now = now;
    this.#start = now();
  }

  /** Undefined for a fabric without flow control. The traffic begins now. */
  static on({ flowControl, network }: Fabric): FlowControlMeter | undefined {
    return flowControl && new FlowControlMeter(flowControl, () => network.simulation.now);
  }

  begin(): void {
    this.#begin = this.#now();
    this.#before = this.#flowControl.directions();
  }

  end(): void {
    this.#end = this.#now();
    this.#ended = this.#flowControl.directions();
  }

  /** To be called at the end of the run. */
  figures(): FlowControlFigures {
    const window = this.#end - this.#begin;
    const after = this.#flowControl.directions();
    const links = this.#ended.map((ended, i): PausedLink => {
      const before = this.#before[i]!;
      const { from, to, headroom } = ended;
      return {
        from,
        to,
        pauses: ended.pauses - before.pauses,
        frames: ended.frames - before.frames,
        paused: window > 0 ? Number(((ended.pausedNs - before.pausedNs) / window).toFixed(6)) : 0,
        headroom,
        headroomMost: after[i]!.headroomMost,
        drops: after[i]!.drops - before.drops,
      };
    });
    return {
      links: links.filter(
        ({ pauses, paused, headroomMost, drops }) => pauses + headroomMost + drops > 0 || paused > 0,
      ),
      directions: links.length,
      deadlocks: this.#flowControl.deadlocks
        .filter(({ since, until }) => since >= this.#start || until === undefined)
        .map(({ since, until, ...rest }) => ({
          since: Math.max(0, since - this.#start),
          ...(until === undefined ? {} : { until: until - this.#start }),
          ...rest,
        })),
    };
  }
}
