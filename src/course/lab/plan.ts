/** Converts the files of a project to the network that they describe. */
import { type Diagnostics, given, nameOfPath, pathIn } from "../../base/index.js";
import { formatValue } from "../../toolchain/device/index.js";
import { type ExerciseSetup, openExercise, readTopologyFile, topologyPathIn } from "../exercises/index.js";
import type { ProjectFiles } from "./files.js";
import type { LabPlan, LabSource, PlannedHost, PlannedSwitch } from "./project.js";

const HOSTS_OF_ONE_SWITCH = 4;

/** Undefined after errors, each at its place in its file: those of `openExercise`, or P46001. */
export function planOf(
  source: LabSource,
  files: ProjectFiles,
  diagnostics: Diagnostics,
): LabPlan | undefined {
  if (source.kind === "plan") return source.plan;
  if (source.kind === "program") return singleSwitch(source.path, files);
  const path = source.topology ?? topologyPathIn(files, "");
  const topology = readTopologyFile(files.source(path), diagnostics);
  if (topology === undefined) return undefined;
  const options = source.program === undefined ? {} : { program: source.program };
  const setup = openExercise(topology, files, options, diagnostics);
  return diagnostics.hasErrors ? undefined : planOfExercise(setup);
}

function planOfExercise({ topology, switches, folder }: ExerciseSetup): LabPlan {
  return {
    hosts: topology.hosts.map(({ name, ipv4, prefixLength, mac, commands }) => ({
      name,
      mac: formatValue(mac, 48, "mac"),
      ipv4: formatValue(ipv4, 32, "ipv4"),
      prefixLength,
      commands,
    })),
    switches: switches.map(
      ({ name, runs, runtimeFile, commandFile, cpuPort, priorityQueues }): PlannedSwitch => {
        const compiled = runs !== undefined && runs.source === undefined;
        return {
          name,
          ...(runs === undefined ? {} : { program: runs.source ?? runs.json }),
          ...(compiled ? { p4info: runs.p4info } : {}),
          ...(runtimeFile === undefined ? {} : { runtime: pathIn(folder, runtimeFile) }),
          ...(commandFile === undefined ? {} : { commands: pathIn(folder, commandFile) }),
          ...given({ cpuPort, priorityQueues }),
        };
      },
    ),
    links: topology.links.map(({ a, b, delayNs, rateBps }) => ({
      a,
      b,
      ...given({ delayNs, rateBps }),
    })),
  };
}

/**
 * A switch s1 with the hosts h1 to h4 at its ports 1 to 4 and the addresses of the tutorials: hN is 10.0.N.N/24, its router
 * 10.0.N.254 has the MAC address 08:00:00:00:0N:00. Entries come from `s1-runtime.json` and `s1-commands.txt` in the
 * program's folder.
 */
function singleSwitch(path: string, files: ProjectFiles): LabPlan {
  files.read(path);
  const inFolder = (name: string): string | undefined => {
    const found = pathIn(path.includes("/") ? path.slice(0, path.lastIndexOf("/")) : "", name);
    return files.text(found) === undefined ? undefined : found;
  };
  const hosts = Array.from({ length: HOSTS_OF_ONE_SWITCH }, (_, i): PlannedHost => {
    const n = i + 1;
    return {
      name: `h${n}`,
      mac: `08:00:00:00:0${n}:${n}${n}`,
      ipv4: `10.0.${n}.${n}`,
      prefixLength: 24,
      commands: [
        `route add default gw 10.0.${n}.254 dev eth0`,
        `arp -i eth0 -s 10.0.${n}.254 08:00:00:00:0${n}:00`,
      ],
    };
  });
  const [runtime, commands] = [inFolder("s1-runtime.json"), inFolder("s1-commands.txt")];
  const p4info = inFolder(`${nameOfPath(path, ".json")}.p4.p4info.txtpb`);
  return {
    hosts,
    switches: [
      {
        name: "s1",
        program: path,
        ...(path.endsWith(".json") && p4info !== undefined ? { p4info } : {}),
        ...given({ runtime, commands }),
      },
    ],
    links: hosts.map(({ name }, i) => ({ a: { node: name, port: 0 }, b: { node: "s1", port: i + 1 } })),
  };
}
