/** A controller and the hosts talk: the same module on the simulator, on our switch and on BMv2. */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import type { RunOptions } from "../../../src/fabric/experiment/index.js";
import { whyNot } from "../testbed/machine.js";
import { runOwn } from "./run-own.js";

const folder = mkdtempSync(join(tmpdir(), "p4loom-messages-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const file = `
name: version
topology:
  { kind: leaf_spine, tors: 2, leaves: 2, homing: single, hosts_per_rack: 1, host_link: { rate: 1Gbps, delay: 0s }, fabric_link: { rate: 1Gbps, delay: 0s } }
schemes: [{ scheme: ${resolve(import.meta.dirname, "version/scheme.mjs")} }]
flows: [{ from: host0-0-0, to: host0-1-0 }]
faults:
  - { at: 800ms, kind: kill, controller: mover }
  - { at: 900ms, kind: restart, controller: mover }
commands:
  - { at: 850ms, scheme: version, command: move, version: 0 }
  - { at: 1200ms, scheme: version, command: move, version: 0 }
duration: 1500ms
transport: { segment_bytes: 200, window_segments: 1, rto_margin: 200ms }
`;

/** The lines of the controller, and the row of the flow. */
async function run(name: string, options: RunOptions) {
  const path = join(folder, `${name}.yaml`);
  writeFileSync(path, file);
  const { lines, rows } = await runOwn(path, join(folder, name), options);
  return { lines: lines.map((line) => line.replace("mover: ", "")), row: rows[0]! };
}

/** The hosts' messages arrive in the order in which the hosts get the version. */
function expectMoved(lines: readonly string[]): void {
  const told = lines.filter((line) => line.startsWith("host")).sort();
  expect(told).toEqual(
    ["host0-0-0", "host0-1-0"].flatMap((host) =>
      [0, 1].map((version) => `${host} tells {"uses":${version}}`),
    ),
  );
  expect(lines.filter((line) => !line.startsWith("host"))).toEqual([
    "started",
    "versions: 0 0",
    "moved: 1 1",
    "killed",
    "started again (2)",
    // The new incarnation learns from the hosts what they use.
    "versions: 1 1",
    // A command that comes while the controller is dead is lost; the next one is carried out.
    "move: 0 0",
    "stopped",
  ]);
}

describe("a controller that moves a version bit of all hosts", () => {
  it("reaches the hosts of the simulator over the control channel", async () => {
    const { lines } = await run("sim", { engine: "sim" });
    expectMoved(lines);
  });

  it("waits for the answer of a host whose control channel is cut", async () => {
    const path = join(folder, "cut.yaml");
    writeFileSync(
      path,
      file.replace("faults:", "faults:\n  - { at: 50ms, until: 400ms, kind: silent, control: host0-1-0 }"),
    );
    const { lines, times } = await runOwn(path, join(folder, "cut"), { engine: "sim" });
    // Asked after 102 ms: the question leaves at the end of the cut, and takes 1 ms, as the answer does.
    expect(times[lines.indexOf("mover: moved: 1 1")]).toBe(0.402);
    expect(times[lines.indexOf('mover: host0-0-0 tells {"uses":1}')]).toBe(0.104);
  });

  describe.each(["switch", "bmv2"] as const)("on engine %s", (engine) => {
    const reason = whyNot("netns", engine, ["tun", "packet_sockets"]);
    it.skipIf(reason !== undefined)(
      `reaches the agents of a testbed${reason === undefined ? "" : ` (${reason})`}`,
      async () => {
        const { lines, row } = await run(engine, {
          engine,
          testbed: { allowMissing: new Set(["rate", "delay"]) },
        });
        expectMoved(lines);
        expect(row).toMatchObject({ scheme: "version", timeouts: 0 });
      },
      120_000,
    );
  });
});

describe("commands of a file", () => {
  const messages = async (command: string) => {
    const path = join(folder, "wrong.yaml");
    writeFileSync(path, file.replace(/commands:\n(?: {2}-.*\n)+/, `commands: [{ ${command} }]\n`));
    const error = await runOwn(path, join(folder, "wrong"), { engine: "sim" }).catch(
      (thrown: unknown) => thrown,
    );
    return String(error).replaceAll(`${folder}/`, "");
  };

  it.each([
    [
      "at: 1s, scheme: versoin, command: move",
      /wrong\.yaml:\d+:30: error\[P43014\]: no scheme .* did you mean "version"\?/,
    ],
    [
      "at: 1s, scheme: version, command: mve",
      /wrong\.yaml:\d+:48: error\[P43071\]: .* did you mean "move"\?/,
    ],
    [
      "at: 1s, scheme: version, command: move, version: 2",
      /:\d+:63: error\[P43071\]: command move of scheme version: version: /,
    ],
    [
      "at: 1s, scheme: version, command: move, version: 0, hsots: 1",
      /:\d+:66: error\[P43071\]: .*unknown key "hsots"/,
    ],
    ["at: 1s, scheme: version, command: move", /error\[P43071\]: .*missing key "version"/],
    [
      "at: 2s, scheme: version, command: move, version: 0",
      /error\[P43022\]: the command comes after the end/,
    ],
  ])("are checked: %s", async (command, message) => {
    expect(await messages(command)).toMatch(message);
  });
});
