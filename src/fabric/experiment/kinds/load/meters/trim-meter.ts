/** Measures packet trimming at each port of a switch, from the beginning of the window to the end of the run, as drops are. */
import type { Fabric, TrimmedPort } from "../../../../sim/packet/index.js";

export class TrimMeter {
  readonly #ports: () => readonly TrimmedPort[];
  #before: readonly TrimmedPort[];

  private constructor(ports: () => readonly TrimmedPort[]) {
    this.#ports = ports;
    this.#before = ports();
  }

  /** Undefined for a fabric that trims nothing. */
  static on(fabric: Fabric): TrimMeter | undefined {
    return fabric.trimmedPorts() && new TrimMeter(() => fabric.trimmedPorts()!);
  }

  begin(): void {
    this.#before = this.#ports();
  }

  /** Ports with any count; the most bytes are those of the whole run. */
  figures(): TrimmedPort[] {
    return this.#ports()
      .map((after, i) => {
        const before = this.#before[i]!;
        return {
          ...after,
          trimmed: after.trimmed - before.trimmed,
          lost: after.lost - before.lost,
          refused: after.refused - before.refused,
        };
      })
      .filter(({ trimmed, refused, most }) => trimmed + refused + most > 0);
  }
}
