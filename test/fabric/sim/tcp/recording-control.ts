/** A congestion control with a constant window that records its calls. */
import type { CongestionControl } from "../../../../src/fabric/sim/packet/index.js";
import type { AckSample } from "../../../../src/fabric/sim/packet/transport/congestion/congestion-control.js";

const MS = 1_000_000;

export interface Recording extends CongestionControl {
  readonly samples: AckSample[];
  /** Anything but acknowledgements: times in milliseconds, sizes in bytes. */
  readonly events: string[];
}

export function recordingControl(
  window: number,
  { pacingRate = Number.POSITIVE_INFINITY }: { pacingRate?: number } = {},
): Recording {
  const samples: AckSample[] = [];
  const events: string[] = [];
  return {
    name: "recording",
    window,
    pacingRate,
    samples,
    events,
    onAck: (sample) => samples.push({ ...sample }),
    onLoss: (now, flight, inFlight, lost) =>
      events.push(`${now / MS} loss: flight ${flight}, in flight ${inFlight}, lost ${lost}`),
    onRecovered: (now) => events.push(`${now / MS} recovered`),
    onTimeout: (now, flight, first) =>
      events.push(`${now / MS} ${first ? "first" : "further"} timeout: flight ${flight}`),
    onCongestion: (now, flight) => events.push(`${now / MS} congestion: flight ${flight}`),
    onUndo: (now) => events.push(`${now / MS} undo`),
    onIdle: (idle) => events.push(`idle for ${idle / MS}`),
  };
}
