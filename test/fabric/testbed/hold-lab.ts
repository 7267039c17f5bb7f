/** Starts a lab of two hosts and a switch, prints its id, and holds it: `hold-lab.ts NETWORK FOLDER P4LOOM...`. */
import { startLab } from "../../../src/fabric/testbed/index.js";
import type { NetworkKind } from "../../../src/fabric/testbed/lab.js";
import { twoHosts } from "./two-hosts.js";

const [network, folder, ...p4loom] = process.argv.slice(2);
const lab = await startLab(twoHosts("held"), {
  network: network as NetworkKind,
  engine: "switch",
  folder: folder!,
  p4loom,
  allowMissing: new Set(),
  log: () => {},
  stop: new AbortController().signal,
});
// continues when its starter has ended
lab.hosts.get("h1")!.spawn(["sleep", "1000"]);
process.stdout.write(`${lab.id}\n`);
setInterval(() => {}, 1000);
