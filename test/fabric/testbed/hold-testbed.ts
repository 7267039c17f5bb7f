/** Starts a testbed of two hosts and a switch, prints its id, and holds it: `hold-testbed.ts NETWORK FOLDER P4LOOM...`. */
import { startTestbed } from "../../../src/fabric/testbed/index.js";
import type { NetworkKind } from "../../../src/fabric/testbed/testbed.js";
import { twoHosts } from "./two-hosts.js";

const [network, folder, ...p4loom] = process.argv.slice(2);
const testbed = await startTestbed(twoHosts("held"), {
  network: network as NetworkKind,
  engine: "switch",
  folder: folder!,
  p4loom,
  allowMissing: new Set(),
  log: () => {},
  stop: new AbortController().signal,
});
// continues when its starter has ended
testbed.hosts.get("h1")!.spawn(["sleep", "1000"]);
process.stdout.write(`${testbed.id}\n`);
setInterval(() => {}, 1000);
