/** A lab on the simulator, from its requests and events alone: the ring of three switches of examples/exercise. */
import { describe, expect, it } from "vitest";
import { folderProject, TestLab } from "./wall.js";

const RING = folderProject("examples/exercise");

describe("a lab of an exercise folder", () => {
  it("describes the network, paused at 0, with programs and entries in place", async () => {
    const lab = await TestLab.open(RING);
    const view = await lab.ask({ op: "describe" });
    expect(view.diagnostics).toEqual([]);
    expect(view.nodes.map(({ name, kind }) => `${name} ${kind}`)).toEqual([
      "h1 host",
      "h2 host",
      "h3 host",
      "s1 switch",
      "s2 switch",
      "s3 switch",
    ]);
    expect(view.links).toHaveLength(6);
    expect(view.programs).toMatchObject([{ path: "ring.p4", switches: ["s1", "s2", "s3"], current: true }]);
    expect([view.clock.now, view.clock.running]).toEqual([0, false]);
    const entries = await Promise.all(
      ["s1", "s2", "s3"].map(async (name) => {
        const state = await lab.ask({ op: "state.read", switch: name });
        return state.tables.find((table) => table.name.endsWith("routes"))!.entries.length;
      }),
    );
    expect(entries).toEqual([3, 3, 3]);
  });

  it("pings over two switches, and shows the story of a packet with tables, entries and P4 lines", async () => {
    const lab = await TestLab.open(RING);
    await lab.ask({ op: "host.command", host: "h1", line: "ping h2 -c 2 -i 0.01" });
    await lab.run();
    await lab.wall.pass(200);
    const text = lab.of("console").map((event) => event.text);
    expect(text[0]).toContain("PING h2 (10.0.2.2)");
    expect(text.at(-1)).toContain("2 packets transmitted, 2 received, 0% packet loss");
    const { packets } = await lab.ask({ op: "packet.list" });
    const request = packets.find(({ label }) => label.startsWith("ICMP echo request 1 "))!;
    expect(request).toMatchObject({ from: "h1", flow: 1, end: { kind: "delivered", node: "h2" } });
    const story = await lab.ask({ op: "packet.story", packet: request.id });
    expect(
      story.hops.map((hop) => ("node" in hop ? `${hop.kind} ${hop.node}` : `${hop.from}-${hop.to}`)),
    ).toEqual(["send h1", "h1-s1", "switch s1", "s1-s2", "switch s2", "s2-h2", "receive h2"]);
    const hop = story.hops[2]!;
    if (hop.kind !== "switch") throw new Error("no switch");
    const lookup = hop.trace!.root.events.find((event) => event.kind === "table_lookup");
    expect(lookup).toMatchObject({
      table_name: "RingIngress.routes",
      hit: true,
      action_name: "RingIngress.forward",
    });
    expect(lookup!.source_info).toMatchObject({ filename: "ring.p4" });
    expect(hop.text!.join("\n")).toContain("ring.p4:");
    // each motion takes the serialisation and the delay of its link: 98 bytes at 100 Mbit/s, 50 us
    const motions = lab
      .of("frame")
      .flatMap((frame) => frame.motions.filter((one) => one.packet === request.id));
    expect(motions.map(({ arrives, departs }) => arrives - departs)).toEqual([57_840, 57_840, 57_840]);
  });

  it("steps from arrival to arrival, and by time", async () => {
    const lab = await TestLab.open(RING);
    const { packet } = await lab.ask({
      op: "packet.send",
      from: { host: "h1" },
      packet: {
        layers: [{ header: "ethernet" }, { header: "ipv4", fields: { dst: "10.0.3.3" } }, { header: "udp" }],
      },
    });
    const arrivals: number[] = [];
    for (let i = 0; i < 3; i++) arrivals.push((await lab.ask({ op: "clock.step" })).now);
    expect(arrivals).toEqual([...new Set(arrivals)].sort((a, b) => a - b));
    const story = await lab.ask({ op: "packet.story", packet: packet! });
    expect(story.end).toMatchObject({
      kind: "dropped",
      node: "h3",
      reason: "its UDP port is closed",
    });
    const back = await lab.ask({ op: "clock.step", until: { kind: "arrival", node: "h1" } });
    expect(back.now).toBeGreaterThan(arrivals[2]!);
    const later = await lab.ask({ op: "clock.step", until: { kind: "time", ns: 5000 } });
    expect(later.now).toBe(back.now + 5000);
    expect((await lab.ask({ op: "clock.set" })).running).toBe(false);
  });

  it("drops with the reason and the P4 line where the program drops", async () => {
    const lab = await TestLab.open(RING);
    await lab.run();
    const { packet } = await lab.ask({
      op: "packet.send",
      from: { host: "h1" },
      packet: { layers: [{ header: "ethernet" }, { header: "ipv4", fields: { dst: "10.9.9.9" } }] },
    });
    await lab.wall.pass(100);
    const { end } = await lab.ask({ op: "packet.story", packet: packet! });
    expect(end).toMatchObject({ kind: "dropped", node: "s1", place: { file: "ring.p4" } });
    const drops = lab.of("frame").flatMap((frame) => frame.drops);
    expect(drops).toEqual([{ node: "s1", reason: "dropped by the program in ingress", packets: 1 }]);
  });

  it("breaks and repairs links and switches", async () => {
    const lab = await TestLab.open(RING);
    await lab.run();
    const { links } = await lab.ask({ op: "describe" });
    const link = links.find(({ a, b }) => a.node === "s1" && b.node === "s2")!.id;
    const ping = async (): Promise<number> => {
      const flow = await lab.ask({
        op: "traffic.start",
        traffic: { kind: "ping", from: "h1", to: "h2", count: 1 },
      });
      await lab.wall.pass(300);
      await lab.ask({ op: "traffic.stop", flow: flow.id }).catch(() => undefined);
      return (await lab.ask({ op: "describe" })).flows.find(({ id }) => id === flow.id)!.receivedPackets;
    };
    expect(await ping()).toBe(1);
    expect(await lab.ask({ op: "link.set", link, up: false, signalled: false })).toMatchObject({
      silent: true,
    });
    expect(await ping()).toBe(0);
    expect(lab.of("frame").flatMap((frame) => frame.drops)).toContainEqual({
      link,
      reason: "the link is broken",
      packets: 1,
    });
    await lab.ask({ op: "link.set", link, up: true });
    expect(await ping()).toBe(1);
    await lab.ask({ op: "switch.set", switch: "s2", up: false });
    expect((await lab.ask({ op: "describe" })).links.filter(({ up }) => !up)).toHaveLength(3);
    expect(await ping()).toBe(0);
    await lab.ask({ op: "switch.set", switch: "s2", up: true });
    expect(await ping()).toBe(1);
  });

  it("undoes the last 100 changes, the 101st too", async () => {
    const lab = await TestLab.open(RING);
    const run = (text: string) => lab.ask({ op: "control.run", switch: "s1", text });
    let depth = 0;
    for (let i = 0; i < 103; i++)
      ({ undo: depth } = await run(`default routes => forward 08:00:00:00:09:99 ${1 + (i % 5)}`));
    expect(depth).toBe(100);
    const defaultOf = async () =>
      (await lab.ask({ op: "state.read", switch: "s1" })).tables[0]!.defaultEntry!.statement;
    expect(await defaultOf()).toMatch(/port=3$/);
    await lab.ask({ op: "control.undo", switch: "s1" });
    expect(await defaultOf()).toMatch(/port=2$/);
  });

  it("runs statements, and undoes them in reverse order", async () => {
    const lab = await TestLab.open(RING);
    const routes = async (): Promise<string[]> => {
      const state = await lab.ask({ op: "state.read", switch: "s1" });
      const table = state.tables[0]!;
      return [...table.entries, table.defaultEntry!].map(({ statement }) => statement);
    };
    const before = await routes();
    const run = (text: string) => lab.ask({ op: "control.run", switch: "s1", text });
    await run(before[0]!.replace("insert", "delete").replace(/ => .*/, ""));
    await run("insert routes 10.7.7.7/32 => forward 08:00:00:00:07:77 2\ninsert routes 10.8.8.8/32 => drop");
    const { undo } = await run("default routes => forward 08:00:00:00:09:99 3");
    expect(undo).toBe(3);
    expect(await routes()).toHaveLength(5);
    expect((await lab.ask({ op: "control.undo", switch: "s1" })).undo).toBe(2);
    await lab.ask({ op: "control.undo", switch: "s1" });
    await lab.ask({ op: "control.undo", switch: "s1" });
    expect((await routes()).sort()).toEqual([...before].sort());
    await expect(lab.ask({ op: "control.undo", switch: "s1" })).rejects.toThrow("P46009");
    const wrong = await lab.reply({ op: "control.run", switch: "s1", text: "insert routs 1 => drop" });
    expect(wrong).toMatchObject({
      ok: true,
      diagnostics: [{ severity: "error", start: { line: 1, column: 8 } }],
    });
  });

  it("loads a saved program, with the entries that still fit", async () => {
    const saved: string[] = [];
    const lab = await TestLab.open(RING, {
      save: async (path) => {
        saved.push(path);
      },
    });
    const { text } = await lab.ask({ op: "files.read", path: "ring.p4" });
    const broken = await lab.reply({
      op: "files.save",
      path: "ring.p4",
      text: text.replace("apply", "aply"),
    });
    expect(broken.diagnostics.map(({ severity, file }) => [severity, file])).toContainEqual([
      "error",
      "ring.p4",
    ]);
    expect((await lab.ask({ op: "describe" })).programs[0]!.current).toBe(false);
    const { swaps } = await lab.ask({ op: "files.save", path: "ring.p4", text: `${text}\n// the same` });
    // three routes; the default action comes from the program
    expect(swaps).toEqual(["s1", "s2", "s3"].map((name) => ({ switch: name, kept: 3, lost: [] })));
    const renamed = await lab.ask({
      op: "files.save",
      path: "ring.p4",
      text: text.replaceAll("forward", "send_on"),
    });
    expect(renamed.swaps[0]).toMatchObject({
      kept: 0,
      lost: [{ reason: expect.stringContaining("forward") }, {}, {}],
    });
    expect(saved).toEqual(["ring.p4", "ring.p4", "ring.p4"]);
    const state = await lab.ask({ op: "state.read", switch: "s2" });
    expect(state.tables[0]!.entries).toEqual([]);
    await lab.ask({ op: "restart" });
    expect((await lab.ask({ op: "describe" })).diagnostics.length).toBeGreaterThan(0);
  });

  it("moves TCP and UDP flows with figures", async () => {
    const lab = await TestLab.open(RING);
    await lab.ask({ op: "traffic.start", traffic: { kind: "tcp", from: "h1", to: "h3", bytes: 1_000_000 } });
    await lab.ask({
      op: "traffic.start",
      traffic: { kind: "udp", from: "h2", to: "h3", rateBps: 8e6, durationNs: 1e8 },
    });
    await lab.run();
    await lab.wall.pass(1500);
    const { flows } = await lab.ask({ op: "describe" });
    expect(flows).toMatchObject([
      { kind: "tcp", state: "completed", receivedBytes: 1_000_000 },
      { kind: "udp", state: "completed", sentPackets: 100, receivedPackets: 100, receivedBytes: 100_000 },
    ]);
    // 1 MB at 100 Mbit/s takes 80 ms, and the headers take longer
    expect(flows[0]!.fctNs).toBeGreaterThan(80e6);
    expect(flows[0]!.fctNs).toBeLessThan(110e6);
    const loads = lab.of("frame").flatMap((frame) => frame.links.map(({ share }) => Math.max(...share)));
    expect(Math.max(...loads)).toBeGreaterThan(0.9);
    expect(lab.of("flow").some(({ flow }) => flow.points.length === 1)).toBe(true);
  });

  it("reports watched state when it changes, and only then", async () => {
    const lab = await TestLab.open(RING);
    await lab.ask({ op: "state.watch", switch: "s3", on: true });
    await lab.wall.pass(1000);
    expect(lab.of("state")).toHaveLength(1);
    await lab.ask({ op: "control.run", switch: "s3", text: "default routes => forward 08:00:00:00:09:99 3" });
    await lab.wall.pass(1000);
    expect(lab.of("state")).toHaveLength(2);
    expect(lab.of("state")[1]!.state.tables[0]!.defaultEntry!.action).toContain("forward");
  });

  it("runs slowly while packets are in flight, and skips time without packets", async () => {
    const lab = await TestLab.open(RING);
    await lab.ask({ op: "host.command", host: "h1", line: "ping h2 -c 2 -i 1" });
    await lab.run(0.001);
    // two round trips of about 350 us take 350 ms each at a thousandth; the second between them takes 1 s
    await lab.wall.pass(2500);
    expect(lab.of("console").at(-1)!.text).toContain("2 received");
    const slow = await TestLab.open(RING);
    await slow.ask({ op: "host.command", host: "h1", line: "ping h2 -c 2 -i 1" });
    await slow.ask({ op: "clock.set", running: true, speed: 0.001, skipIdle: false });
    await slow.wall.pass(2500);
    expect((await slow.ask({ op: "clock.set" })).now).toBeCloseTo(2.5e6, -5);
  });

  it("rejects unknown names, wrong values and unsupported requests, each with its code", async () => {
    const lab = await TestLab.open(RING);
    const refusals = await Promise.all([
      lab.reply({ op: "state.read", switch: "s9" }),
      lab.reply({ op: "link.set", link: 17, up: false }),
      lab.reply({ op: "files.read", path: "nothing.p4" }),
      lab.reply({ op: "files.save", path: "../out.p4", text: "" }),
      lab.reply({ op: "packet.story", packet: 99 }),
      lab.reply({ op: "host.command", host: "h1", line: "pong h2" }),
      lab.reply({ op: "host.command", host: "h1", line: "ping h2 -c many" }),
      lab.reply({ op: "traffic.stop", flow: 3 }),
      lab.reply({ op: "terminal.open", host: "h1" }),
      lab.reply({ op: "exercise.read" }),
      lab.reply({ op: "packet.send", from: { host: "h1" }, packet: { layers: [{ header: "ipv5" }] } }),
      lab.reply({ op: "packet.build", from: { host: "h1" }, packet: { hex: "00" } }),
    ]);
    expect(refusals.map(({ ok, diagnostics }) => `${ok} ${diagnostics[0]!.code}`)).toEqual([
      "false P46002",
      "false P46002",
      "false P46001",
      "false P46001",
      "false P46006",
      "false P46007",
      "false P46007",
      "false P46008",
      "false P46003",
      "false P46003",
      "false P46004",
      "false P46005",
    ]);
  });
});
