/** The experiment files of P4TE's evaluation: each is read, each point of its sweep fits, and a short piece of one is played. */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { Diagnostics, formatDiagnostic, SourceFile } from "../../../../src/base/index.js";
import { LOAD } from "../../../../src/fabric/experiment/kinds/load/index.js";
import { loadKind } from "../../../../src/fabric/experiment/read.js";
import { play } from "./play.js";

const folder = join(import.meta.dirname, "../../../../examples/p4te");
const files = readdirSync(folder).filter((name) => name.endsWith(".yaml"));

/** The file without the schemes that are modules, which are loaded by name elsewhere. */
function read(name: string, edit = (text: string) => text) {
  const path = join(folder, name);
  const text = edit(readFileSync(path, "utf8").replace(/^ {2}- \{ scheme: \.\.?\/.*\n/gm, ""));
  const diagnostics = new Diagnostics();
  const load = loadKind(LOAD, new SourceFile(path, text), diagnostics);
  // One experiment is loaded, and `sweep` says its points: the warning of that is no mistake of the file.
  const others = diagnostics.list.filter(
    ({ message }) => !message.startsWith("the key `sweep` has no effect here"),
  );
  return { load, messages: others.map(formatDiagnostic) };
}

describe("examples/p4te", () => {
  it.each(files)("%s has no error, and is called like its results", (name) => {
    const { load, messages } = read(name);
    expect(messages).toEqual([]);
    expect(load?.settings.sweep).toBeDefined();
    expect(load?.settings.name).toBe(`p4te-${name.replace(".yaml", "")}`);
  });

  it("has an incast of 24 flows of 512 KiB and 8 of 1 MiB from 12 hosts to one", () => {
    const [, ...rows] = readFileSync(join(folder, "incast.csv"), "utf8").trim().split("\n");
    const flows = rows.map((row) => row.split(","));
    expect(flows.filter(([, , , bytes]) => bytes === "524288").length).toBe(24);
    expect(flows.filter(([, , , bytes]) => bytes === "1048576").length).toBe(8);
    expect(new Set(flows.map(([, src]) => src)).size).toBe(12);
    expect(new Set(flows.map(([, , dst]) => dst))).toEqual(new Set(["host0-0-0"]));
  });

  it("plays the first 15 seconds of its web search under the schemes of the package", async () => {
    const { load, messages } = read("websearch.yaml", (text) =>
      text.replace("duration: 500s", "duration: 10s").replace("drain: 3000s", "drain: 5s"),
    );
    expect(messages).toEqual([]);
    for (const outcome of await play(load!, 3)) {
      const { flows, links } = outcome;
      expect(flows.small.flows + flows.large.flows, outcome.scheme.label).toBeGreaterThan(2);
      expect(flows.small.delivered).toBeGreaterThan(10_000);
      // No link between switches carries more packets than its rate allows.
      for (const { utilisation, from } of links!)
        if (!from.startsWith("host")) expect(utilisation).toBeLessThan(1.11);
    }
  });
});
