/** The key `trace`: flows of a traffic file. The whole file is checked before anything runs, and read again in each run. */
import { Diagnostics } from "../../../../base/index.js";
import { hostsOf } from "../../../topology/index.js";
import { openTrace, streamTrafficFile, type TrafficFlow } from "../../../traffic/index.js";
import { CODES } from "../../codes.js";
import { carriedBy } from "./check-part.js";
import type { FlowPlan, TrafficContext } from "./traffic-context.js";
import { piecesOf, type TrafficFiles, textOf } from "./traffic-files.js";

/** Undefined after errors: see `planTraffic`. */
export function planTrace(context: TrafficContext, files: TrafficFiles): FlowPlan | undefined {
  const { settings, topology, locate, diagnostics } = context;
  const { trace, ip: _ip, replay: _replay, flows, duration, protocol = "tcp", ...others } = settings;
  const { file, time_scale: timeScale } = trace!;
  const before = diagnostics.errorCount;
  for (const key of Object.keys(others)) {
    const message = `${key} has no effect on the flows of a trace`;
    diagnostics.error(CODES.trafficKeys, locate(["traffic", key]), message, `remove \`${key}\` or \`trace\``);
  }
  if (context.load !== undefined) {
    const message = "load has no effect on the flows of a trace; `time_scale` stretches their times";
    diagnostics.error(CODES.trafficKeys, locate(["load"]), message);
  }
  const path = files.pathOf(file);
  const names = new Set(hostsOf(topology).map(({ name }) => name));
  const span = locate(["traffic", "trace", "file"]);
  let count = 0;
  let last = 0;
  files.readPieces(
    file,
    (pieces) => {
      for (const { startNs } of streamTrafficFile(path, textOf(pieces), names, diagnostics)) {
        count++;
        last = Math.floor(startNs * timeScale);
      }
    },
    span,
  );
  if (diagnostics.errorCount > before) return undefined;
  if (count === 0) {
    diagnostics.error(CODES.trafficKeys, span, `${path} has no flows`);
    return undefined;
  }
  return {
    workload: () =>
      openTrace(
        {
          trace: flowsOf(path, names),
          timeScale,
          protocol: carriedBy(protocol),
          flows,
          durationNs: duration,
        },
        topology,
      ),
    flows: Math.min(flows ?? count, count),
    durationNs: Math.min(duration ?? last + 1, last + 1),
  };
}

/** Throws where the file differs from the one that was checked. */
function* flowsOf(path: string, names: ReadonlySet<string>): Generator<TrafficFlow> {
  const diagnostics = new Diagnostics();
  yield* streamTrafficFile(path, textOf(piecesOf(path)), names, diagnostics);
  diagnostics.throwIfErrors();
}
