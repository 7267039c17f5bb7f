/**
 * Experiment files in a lab: what a scheme does beside programs and entries runs there as in a run, and the lab says
 * what does not.
 */
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { LabScheme } from "../../../src/course/lab/index.js";
import { readLabProject } from "../../../src/course/lab-server/index.js";
import { ROOT, TestLab } from "../lab/wall.js";

async function open(file: string, scheme: string, runs: boolean) {
  const read = await readLabProject(join(ROOT, "examples", file), { scheme });
  const lab = await TestLab.open(read.project, runs ? { scheme: read.scheme! } : {});
  return { lab, scheme: read.scheme as LabScheme, view: await lab.ask({ op: "describe" }) };
}

/** A TCP flow of 3 MB over a link that fails silently; whether it completes in 3 s of the network. */
async function outlivesSilentFailure(scheme: string, runs: boolean): Promise<boolean> {
  const { lab, view } = await open("pecmp-failover-small.yaml", scheme, runs);
  const hosts = view.nodes.filter(({ kind }) => kind === "host").map(({ name }) => name);
  const traffic = { kind: "tcp", from: hosts[0]!, to: hosts.at(-1)!, bytes: 3_000_000 } as const;
  await lab.ask({ op: "traffic.start", traffic });
  await lab.ask({ op: "clock.step", until: { kind: "time", ns: 5e6 } });
  const isHost = (name: string) => hosts.includes(name);
  const used = new Set(
    (await lab.ask({ op: "packet.list" })).packets.flatMap(({ id, label }) =>
      label.startsWith("TCP") ? [id] : [],
    ),
  );
  const story = await lab.ask({ op: "packet.story", packet: Math.min(...used) });
  const way = story.hops.flatMap((hop) =>
    hop.kind === "link" && !isHost(hop.from) && !isHost(hop.to) ? [hop.link] : [],
  );
  expect(way.length).toBeGreaterThan(0);
  await lab.ask({ op: "link.set", link: way[0]!, up: false, signalled: false });
  await lab.ask({ op: "clock.step", until: { kind: "time", ns: 3e9 } });
  const { flows } = await lab.ask({ op: "describe" });
  await lab.session.close();
  return flows[0]!.state === "completed";
}

describe("an experiment file in a lab", () => {
  it("has hosts that leave a failed path as their scheme does, where it runs", async () => {
    expect(await outlivesSilentFailure("pecmp", true)).toBe(true);
    expect(await outlivesSilentFailure("pecmp", false)).toBe(false);
    expect(await outlivesSilentFailure("none", true)).toBe(false);
  });

  it("has controllers, which are notified of links and of switches that end and restart", async () => {
    const { lab, view } = await open("repac/failover.yaml", "repac", true);
    const link = view.links.find(({ a, b }) => a.node.startsWith("tor") && b.node.startsWith("leaf"))!;
    const pass = () => lab.ask({ op: "clock.step", until: { kind: "time", ns: 1e9 } });
    await lab.ask({ op: "link.set", link: link.id, up: false });
    await pass();
    const lines = () => lab.of("notice").map(({ text }) => text);
    expect(lines().join("\n")).toMatch(`buckets: ${link.a.node}: 1 buckets remapped, down: ${link.a.port}`);
    const before = lines().length;
    await lab.ask({ op: "switch.set", switch: link.b.node, up: false });
    await pass();
    await lab.ask({ op: "switch.set", switch: link.b.node, up: true });
    await lab.ask({ op: "link.set", link: link.id, up: true });
    await pass();
    expect(lines().slice(before).join("\n")).toMatch(`buckets: ${link.a.node}: `);
    expect((await lab.ask({ op: "restart" })).clock.now).toBe(0);
    await lab.session.close();
  });

  it("has packet generators: probes are on the wires when no host has sent anything", async () => {
    const probes = async (runs: boolean) => {
      const { lab } = await open("p4te/incast.yaml", "hula", runs);
      await lab.ask({ op: "clock.step", until: { kind: "time", ns: 5e9 } });
      await lab.wall.pass(100);
      const frames = lab.of("frame");
      await lab.session.close();
      return frames.reduce(
        (sum, { links }) => sum + links.reduce((all, one) => all + one.packets[0] + one.packets[1], 0),
        0,
      );
    };
    expect(await probes(true)).toBeGreaterThan(10);
    expect(await probes(false)).toBe(0);
  });

  it("lists the keys of the file that it does not use, and the parts of a scheme that do not run", async () => {
    const { view } = await open("p4te/incast.yaml", "p4te", true);
    expect(view.notes).toEqual([
      expect.stringMatching(/does not use the keys "traffic", "drain", "sizes"/),
      expect.stringMatching(/IPv6/),
    ]);
    const { view: page } = await open("p4te/incast.yaml", "p4te", false);
    expect(page.notes[0]).toMatch(
      /These parts of the scheme p4te do not run here: the controllers \(p4te-tor0-0,/,
    );
    expect(page.notes[0]).toMatch(
      /the path choice of its hosts; settings of hashes and queues, and packet generators\. They run in a lab/,
    );
    expect(page.notes.slice(1)).toEqual(view.notes);
  });
});
