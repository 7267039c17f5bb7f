/** A constant window: no congestion control. */
import type { CongestionControl, CongestionControlOptions } from "./congestion-control.js";

export class FixedWindow implements CongestionControl {
  readonly name = "fixed";
  readonly window: number;
  readonly pacingRate = Number.POSITIVE_INFINITY;

  constructor({ initialWindow }: CongestionControlOptions) {
    this.window = initialWindow;
  }

  onAck(): void {}
  onLoss(): void {}
  onRecovered(): void {}
  onTimeout(): void {}
}
