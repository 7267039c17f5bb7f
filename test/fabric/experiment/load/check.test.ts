/** Wrong files of the kind `load`: one error each, at its place. */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { Diagnostics, formatDiagnostic, SourceFile } from "../../../../src/base/index.js";
import { LOAD } from "../../../../src/fabric/experiment/kinds/load/index.js";
import { loadKind } from "../../../../src/fabric/experiment/read.js";
import { loadOf, play, read } from "./play.js";

const bad = join(import.meta.dirname, "../../../bad/load");

describe("a wrong load experiment", () => {
  it.each(readdirSync(bad))("%s", (name) => {
    const diagnostics = new Diagnostics();
    const source = new SourceFile(name, readFileSync(join(bad, name), "utf8"));
    expect(loadKind(LOAD, source, diagnostics)).toBeUndefined();
    const messages = diagnostics.list.map((one) => formatDiagnostic(one));
    expect(messages).toHaveLength(1);
    expect(messages[0]).toContain(`error[${name.slice(0, 6)}]`);
    // Lists of keys and schemes grow.
    const lasting = messages[0]!.replace(/(keys here|expected one of).*?(?=, got|\n|$)/g, "$1 ...");
    expect(lasting).toMatchSnapshot();
  });

  it("has an application that writes at a rate in a part of the mix, with a fixed window", () => {
    const messages = (parts: string) =>
      read(`topology: { kind: leaf_spine, tors: 2, leaves: 1, hosts_per_rack: 1, homing: single }
schemes: [ecmp]
load: 0.5
transport: { protocol: fixed }
traffic:
  flows: 9
  sizes: rpc
  mix:
${parts}`).messages.join("\n");
    const [paced, plain] = ["    - { share: 0.5, protocol: { tcp: 1Mbps } }\n", "    - { share: 0.5 }\n"];
    expect(messages(paced + plain)).toMatch(
      /^l\.yaml:10:\d+: error\[P\d+\]: an application that writes at a rate/,
    );
    expect(messages(plain + paced)).toMatch(
      /^l\.yaml:11:\d+: error\[P\d+\]: an application that writes at a rate/,
    );
    expect(messages(plain + plain)).toBe("");
  });

  it("has a single host", () => {
    const { messages } =
      read(`topology: { kind: leaf_spine, tors: 1, leaves: 1, hosts_per_rack: 1, homing: single }
schemes: [ecmp]
load: 0.5
traffic: { sizes: web_search, flows: 3 }
`);
    expect(messages.join("\n")).toContain("the topology has one host, and traffic needs two");
  });

  it("has a warm-up that is longer than the traffic lasts, which shows when it runs", async () => {
    const load = loadOf(`topology: { kind: leaf_spine, tors: 2, leaves: 1, hosts_per_rack: 1, homing: single }
schemes: [none]
traffic: { sizes: { fixed: 1KB }, interval: 10us, flows: 3 }
warm_up: 1s
`);
    await expect(play(load)).rejects.toMatchObject({
      diagnostics: [
        {
          code: "P43060",
          message: "no flow starts after warm_up, 1000 ms: there is nothing to measure",
          notes: [{ message: expect.stringMatching(/^3 flows start, the last one at 0\.\d+ ms/) }],
        },
      ],
    });
  });
});
