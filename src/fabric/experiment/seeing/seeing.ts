/** Observes one fabric while it runs, and writes files of it. */
import { join } from "node:path";
import type { BootedFabric } from "../boot.js";
import type { FabricExperiment, SeeingRequest } from "../experiment.js";
import { capturePoints } from "./capture-points.js";
import { FlowTrace } from "./flow-trace.js";
import { LinkCapture } from "./link-capture.js";
import { FabricRecorder } from "./timeline/fabric-recorder.js";
import { writeTimeline } from "./timeline/write.js";

/** What is observed of a run, and where the files go. */
export interface SeeingOrder {
  readonly request: SeeingRequest;
  /** Folder for results. */
  readonly folder: string;
}

/** As {@link SeeingOrder}, before the key `see` of a file was read. */
export interface SeeingFolder {
  readonly request: Partial<SeeingRequest>;
  readonly folder: string;
}

export interface Seeing {
  /** Completes and closes the files. */
  close(): void;
}

/** The run that is observed. */
export interface SeenRun {
  /** Name of its files. */
  readonly name: string;
  /** Title of its scheme. */
  readonly scheme: string;
  readonly seed: number;
}

/**
 * Begins to observe a booted fabric. `name` distinguishes its files from those of other fabrics of the run: `captures/NAME.pcapng`,
 * `traces/NAME-flow-N.jsonl`, `timelines/NAME.html`. Throws DiagnosticError: P43080, and P43011 for files that cannot be written.
 */
export function watchFabric(
  { topology, locate, settings }: FabricExperiment,
  { fabric, channels }: BootedFabric,
  { request, folder }: SeeingOrder,
  { name, scheme, seed }: SeenRun,
): Seeing {
  const watching: Seeing[] = [];
  if (request.pcap.length > 0) {
    const points = capturePoints(request.pcap, topology, locate);
    watching.push(new LinkCapture(fabric, points, join(folder, "captures", `${name}.pcapng`)));
  }
  if (request.flows.length > 0)
    watching.push(
      new FlowTrace(fabric, request.flows, (flow) => join(folder, "traces", `${name}-flow-${flow}.jsonl`)),
    );
  if (request.timeline) {
    const title = settings.title ?? settings.name;
    const recorder = new FabricRecorder(fabric, { title, scheme, seed, channels });
    watching.push({ close: () => writeTimeline(recorder.close(), folder, name) });
  }
  return {
    close() {
      for (const one of watching) one.close();
    },
  };
}
