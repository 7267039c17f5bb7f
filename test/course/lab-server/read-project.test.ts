/** What `p4loom lab` opens: folders, topology files, programs, experiment files; and what it refuses. */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { readLabProject } from "../../../src/course/lab-server/index.js";
import { ROOT, TestLab } from "../lab/wall.js";

let folder = "";
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "p4loom-project-"));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe("a project of a lab", () => {
  it("is an exercise folder, also by its topology file", async () => {
    const byFolder = await readLabProject(join(ROOT, "examples/exercise"));
    const byFile = await readLabProject(join(ROOT, "examples/exercise/topo/topology.json"));
    expect(byFile.folder).toBe(byFolder.folder);
    expect(byFile.project.open).toEqual({ kind: "exercise", topology: "topo/topology.json" });
    expect(byFolder.project.files["ring.p4"]).toContain("RingIngress");
  });

  it("is a program with four hosts, whose packets it forwards by entries beside it", async () => {
    const { project } = await readLabProject(join(ROOT, "examples/exercise/ring.p4"));
    const lab = await TestLab.open(project);
    expect((await lab.ask({ op: "describe" })).nodes.map(({ name }) => name)).toEqual([
      "h1",
      "h2",
      "h3",
      "h4",
      "s1",
    ]);
    const text =
      "insert routes 10.0.2.2/32 => forward 08:00:00:00:02:22 2\ninsert routes 10.0.1.1/32 => forward 08:00:00:00:01:11 1";
    await lab.ask({ op: "control.run", switch: "s1", text });
    await lab.ask({ op: "host.command", host: "h1", line: "ping h2 -c 1" });
    await lab.run();
    await lab.wall.pass(100);
    expect(lab.of("console").at(-1)!.text).toContain("1 received");
  });

  it("is an experiment's topology with the programs and entries of a scheme", async () => {
    const path = join(ROOT, "examples/compare/incast.yaml");
    const { project, folder: none } = await readLabProject(path);
    expect(none).toBeUndefined();
    const lab = await TestLab.open(project);
    const view = await lab.ask({ op: "describe" });
    expect(view.diagnostics.filter(({ severity }) => severity === "error")).toEqual([]);
    const hosts = view.nodes.filter(({ kind }) => kind === "host");
    await lab.ask({ op: "host.command", host: hosts[0]!.name, line: `ping ${hosts.at(-1)!.name} -c 1` });
    await lab.run();
    await lab.wall.pass(100);
    expect(lab.of("console").at(-1)!.text).toContain("1 received");
    await expect(readLabProject(path, { scheme: "nothing" })).rejects.toThrow("P46057");
  });

  it("is no folder without a topology, whose name the message has", async () => {
    const error: unknown = await readLabProject(folder).catch((thrown: unknown) => thrown);
    expect(String(error)).toContain(`the folder ${folder} has no file topology.json`);
  });

  it("is nothing else", async () => {
    await expect(readLabProject(join(folder, "none"))).rejects.toThrow("P46051");
    writeFileSync(join(folder, "a.txt"), "");
    await expect(readLabProject(join(folder, "a.txt"))).rejects.toThrow("P46051");
    writeFileSync(join(folder, "a.yaml"), "topology: 3");
    await expect(readLabProject(join(folder, "a.yaml"))).rejects.toThrow(/P4300/);
    writeFileSync(join(folder, "b.yaml"), JSON.stringify({ topology: { kind: "fat_tree", k: 16 } }));
    await expect(readLabProject(join(folder, "b.yaml"))).rejects.toThrow("P46056");
    for (let i = 0; i < 501; i++) writeFileSync(join(folder, `f${i}.p4`), "");
    await expect(readLabProject(folder)).rejects.toThrow("P46052");
  });
});
