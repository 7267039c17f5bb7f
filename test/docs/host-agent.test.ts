/** What docs/host-agent.md shows is run: the requests give the events, the traffic file reads. */
import { readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { describe, expect, it } from "vitest";
import { Diagnostics, SourceFile } from "../../src/base/index.js";
import { readTrafficFile } from "../../src/fabric/traffic/index.js";
import { agentCommand } from "../../src/toolchain/loading/index.js";
import { networkMissing, TestNetwork } from "../fabric/testbed/agent/networks.js";

const page = readFileSync(join(resolve(import.meta.dirname, "../.."), "docs/host-agent.md"), "utf8");
const blocks = (language: string) =>
  [...page.matchAll(new RegExp(`^\`\`\`${language}\n([^]*?)^\`\`\``, "gm"))].map((match) => match[1]!);

describe("docs/host-agent.md", () => {
  it("shows a traffic file", () => {
    const [text] = blocks("csv");
    const diagnostics = new Diagnostics();
    const hosts = new Set(["h1", "h2", "h3", "h4"]);
    const flows = readTrafficFile(new SourceFile("flows.csv", text!), hosts, diagnostics);
    expect(diagnostics.list).toEqual([]);
    expect(flows.map(({ startNs, port }) => [startNs, port])).toEqual([
      [0, 5201],
      [500_000, 5201],
      [1_500_000, 5202],
    ]);
  });

  const missing = networkMissing();
  it.skipIf(missing !== undefined)(`shows requests and events${missing ? ` (${missing})` : ""}`, async () => {
    const [requests, events] = blocks("json");
    const network = await TestNetwork.make("dscp");
    try {
      const { stdout, stderr } = await network.left.exec(agentCommand(), { input: requests! });
      expect(stderr).toBe("");
      const lines = (text: string) =>
        text
          .trim()
          .split("\n")
          .map((line) => JSON.parse(line) as { event: string; settings?: { name: string }[] });
      const said = lines(stdout);
      const shown = lines(events!);
      expect(said.map(({ event }) => event)).toEqual(shown.map(({ event }) => event));
      const [ready, ...rest] = shown;
      expect(said[0]!.settings).toEqual(expect.arrayContaining(ready!.settings!));
      // Frames that kernels send when a NIC comes up may or may not be among them, and time passes as it does.
      const varying = (event: object) => ({ rejected: 0, ...("cpuNs" in event ? { cpuNs: 0 } : {}) });
      for (const [i, event] of rest.entries())
        expect({ ...said[i + 1], ...varying(said[i + 1]!) }).toEqual({ ...event, ...varying(event) });
    } finally {
      await network.close();
    }
  });
});
