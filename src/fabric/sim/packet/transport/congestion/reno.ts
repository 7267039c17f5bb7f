/** The congestion control of RFC 5681, counted in bytes (RFC 3465). */
import { AdditiveIncrease } from "./additive-increase.js";

export class Reno extends AdditiveIncrease {
  readonly name = "reno";

  onCongestion(_nowNs: number, flightSize: number): void {
    this.reduceForMark(flightSize);
  }
}
