/** What users do in a simulated lab: flows, steps, slow motion, undo, statements; by requests and events alone. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { Diagnostics, SourceFile } from "../../../src/base/index.js";
import {
  buildPacket,
  formatsOf,
  type LabPlan,
  type LabProject,
  ProjectFiles,
  planOf,
} from "../../../src/course/lab/index.js";
import { LabNetwork } from "../../../src/course/lab/network.js";
import { swapProgram } from "../../../src/course/lab/state/swap.js";
import type { Device } from "../../../src/toolchain/device/index.js";
import { compile } from "../../../src/toolchain/p4/index.js";
import { folderProject, ROOT, TestLab } from "./wall.js";

const RING = folderProject("examples/exercise");
const EXTERNS = readFileSync(join(ROOT, "test/golden/constructs/externs.p4"), "utf8");

/** Two hosts with a link of their own: h1 at port 1 of a switch without a program, too. */
const PAIR: LabPlan = {
  hosts: [
    {
      name: "h1",
      mac: "08:00:00:00:00:01",
      ipv4: "10.0.0.1",
      ipv6: "2001:db8::1",
      prefixLength: 24,
      commands: [],
    },
    { name: "h2", mac: "08:00:00:00:00:02", ipv4: "10.0.0.2", prefixLength: 24, commands: [] },
  ],
  switches: [{ name: "s1", runtime: "none.json", commands: "none.txt" }],
  links: [
    { a: { node: "h1", port: 0 }, b: { node: "h2", port: 0 } },
    { a: { node: "s1", port: 1 }, b: { node: "h2", port: 0 } },
  ],
};
const pair = () => TestLab.open({ title: "pair", files: {}, open: { kind: "plan", plan: PAIR } });
const oneSwitch = (text: string): LabProject => ({
  title: "one",
  files: { "a.p4": text },
  open: { kind: "program", path: "a.p4" },
});
const say = (lab: TestLab, line: string) => lab.ask({ op: "host.command", host: "h1", line });

describe("a flow", () => {
  it("has packets of its own number, from the ports above 40000", async () => {
    const lab = await pair();
    await lab.run();
    for (const line of ["udp h2 1Mbps 10ms", "tcp h2 1KB"]) await say(lab, line);
    await lab.wall.pass(300);
    const { packets } = await lab.ask({ op: "packet.list", limit: 500 });
    const ofFlow = (number: number) =>
      packets.filter(({ flow }) => flow === number).map(({ label }) => label);
    expect(ofFlow(1).length).toBeGreaterThan(0);
    for (const label of ofFlow(1)) expect(label).toMatch(/^UDP 10\.0\.0\.1:40001 → 10\.0\.0\.2:5001/);
    expect(ofFlow(2).length).toBeGreaterThan(3);
    for (const label of ofFlow(2)) expect(label).toMatch(/^TCP .*10\.0\.0\.1:40002/);
    expect(
      packets.filter(({ label }) => label.startsWith("ARP")).every(({ flow }) => flow === undefined),
    ).toBe(true);
  });

  it("stays in the list after its end, until there are more than 100", async () => {
    const lab = await pair();
    const start = () => lab.ask({ op: "traffic.start", traffic: { kind: "ping", from: "h1", to: "h2" } });
    await start();
    await lab.ask({ op: "traffic.stop" });
    for (let i = 2; i <= 100; i++) await start();
    const ids = async () => (await lab.ask({ op: "describe" })).flows.map(({ id }) => id);
    expect((await ids()).slice(0, 2)).toEqual([1, 2]);
    expect(await ids()).toHaveLength(100);
    await start();
    expect((await ids())[0], "the only one that has ended").toBe(2);
    expect(await ids()).toHaveLength(100);
  });

  it("to itself, to a host that is not there, or with an unknown control is refused", async () => {
    const lab = await pair();
    const codeOf = async (traffic: object) =>
      (await lab.reply({ op: "traffic.start", traffic: traffic as never })).diagnostics[0]!;
    expect(await codeOf({ kind: "ping", from: "h1", to: "h1" })).toMatchObject({ code: "P46002" });
    expect(await codeOf({ kind: "udp", from: "h1", to: "10.0.0.9", rateBps: 1e6 })).toMatchObject({
      message: "no host of the network has the address 10.0.0.9",
    });
    expect(await codeOf({ kind: "tcp", from: "h1", to: "h2", congestionControl: "toString" })).toMatchObject({
      ...{ code: "P46007", message: "there is no congestion control toString" },
      notes: [{ message: expect.stringMatching(/^there are: .*cubic/) }],
    });
  });

  it("of pings to nobody is refused by its own host, and all are lost", async () => {
    const lab = await pair();
    await lab.run();
    await say(lab, "ping 10.0.0.9 -c 1");
    await lab.wall.pass(8000);
    const text = lab.of("console").map((event) => event.text);
    expect(text[1]).toMatch(/^From 10\.0\.0\.1: icmp_seq=1 \w/);
    expect(text.at(-1)).toContain("1 packets transmitted, 0 received, +1 errors, 100% packet loss");
    expect((await lab.ask({ op: "describe" })).flows[0]).toMatchObject({ state: "failed" });
  });
});

it("a host tells the addresses that it has", async () => {
  const lab = await pair();
  await say(lab, "ip");
  await lab.ask({ op: "host.command", host: "h2", line: "ip" });
  expect(lab.of("console").map(({ text }) => text)).toEqual([
    "eth0 08:00:00:00:00:01 inet 10.0.0.1",
    "eth0 inet6 2001:db8::1",
    "eth0 08:00:00:00:00:02 inet 10.0.0.2",
  ]);
});

describe("a step", () => {
  it("pauses a running clock", async () => {
    const lab = await pair();
    await lab.run();
    const { running } = await lab.ask({ op: "clock.step", until: { kind: "time", ns: 1000 } });
    expect(running).toBe(false);
    await lab.wall.pass(100);
    expect((await lab.ask({ op: "clock.set" })).now).toBe(1000);
  });

  it("ends where a packet arrives at the node that was named, or where the packet that was named arrives", async () => {
    const lab = await TestLab.open(RING);
    await say(lab, "ping h3 -c 1");
    const at = await lab.ask({ op: "clock.step", until: { kind: "arrival", node: "s3" } });
    const { packets } = await lab.ask({ op: "packet.list" });
    const request = packets.find(({ label }) => label.startsWith("ICMP echo request"))!;
    const story = await lab.ask({ op: "packet.story", packet: request.id });
    expect(story.hops).toContainEqual(expect.objectContaining({ to: "s3", arrives: at.now }));
    expect(story.end).toEqual({ kind: "moving" });
    const packet = request.id;
    const next = await lab.ask({ op: "clock.step", until: { kind: "arrival", packet } });
    expect((await lab.ask({ op: "packet.story", packet })).end).toEqual({
      ...{ kind: "delivered", node: "h3", at: next.now },
    });
    const unknown = await lab.reply({ op: "clock.step", until: { kind: "arrival", node: "s9" } });
    expect(unknown.diagnostics[0]).toMatchObject({ code: "P46002" });
  });
});

it("slow motion begins when the first packet leaves, not a frame later", async () => {
  const lab = await TestLab.open(RING);
  await say(lab, "ping h2 -c 2 -i 1");
  await lab.run(0.001);
  await lab.wall.pass(2000);
  const frames = lab
    .of("frame")
    .filter(({ packets }) => packets.some(({ label }) => label.startsWith("ICMP echo request 2")));
  expect(frames).toHaveLength(1);
  const [{ clock, packets }] = frames as [(typeof frames)[0]];
  // 33 ms of real time are 33 us of slow motion.
  expect(clock.now - packets[0]!.at).toBeLessThan(100_000);
});

it("a broken switch is told with all its links", async () => {
  const lab = await TestLab.open(RING);
  await lab.ask({ op: "switch.set", switch: "s2", up: false });
  expect(lab.of("node")).toMatchObject([{ node: { name: "s2", up: false } }]);
  expect(lab.of("link").map(({ link }) => link.up)).toEqual([false, false, false]);
});

it("a lab on the simulator has a clock and consoles, and no terminals", async () => {
  const view = await (await pair()).ask({ op: "describe" });
  expect(view.can).toEqual({
    clock: true,
    consoles: true,
    terminals: false,
    tests: false,
    saving: true,
    outcomes: true,
  });
  expect([view.engine, view.source, view.notes]).toEqual(["sim", "experiment", []]);
});

describe("packets that users build", () => {
  it("go to the router of their sender, or to a neighbour whose address is known", async () => {
    const lab = await TestLab.open(RING);
    const layers = [{ header: "ethernet" }, { header: "ipv4", fields: { dst: "10.0.2.2" } }];
    const built = await lab.ask({ op: "packet.build", packet: { layers }, from: { host: "h1" } });
    expect(built.layers[0]!.fields).toMatchObject({ src: "08:00:00:00:01:11", dst: "08:00:00:00:01:00" });
    const two = await pair();
    const direct = async () => {
      const packet = { layers: [{ header: "ethernet" }, { header: "ipv4", fields: { dst: "10.0.0.2" } }] };
      return (await two.ask({ op: "packet.build", packet, from: { host: "h1" } })).layers[0]!.fields["dst"];
    };
    const before = await direct();
    await say(two, "ping h2 -c 1");
    await two.run();
    await two.wall.pass(100);
    expect([before === "08:00:00:00:00:02", await direct()]).toEqual([false, "08:00:00:00:00:02"]);
  });

  it("of IPv6 are read to their last header", async () => {
    const lab = await pair();
    const layers = [
      { header: "ethernet" },
      { header: "ipv6", fields: { src: "::1", dst: "::2" } },
      { header: "udp" },
    ];
    const from = { host: "h1" };
    const { hex } = await lab.ask({ op: "packet.build", packet: { layers }, from });
    const read = await lab.ask({ op: "packet.build", packet: { hex }, from });
    expect(read.layers.map(({ header, at }) => [header, at])).toEqual([
      ["ethernet", 0],
      ["ipv6", 14],
      ["udp", 54],
    ]);
  });

  it("have the headers of programs, which do not replace those that are known", () => {
    const fields = [{ name: "a", bits: 8 }];
    const formats = formatsOf([
      {
        headers: [
          { name: "mine", fields },
          { name: "udp", fields },
        ],
      },
    ]);
    expect(formats.get("mine")).toEqual(new Map([["a", 8]]));
    expect(formats.get("udp")!.has("checksum")).toBe(true);
  });

  it("have fields of any length where a program's header has one", () => {
    const fields = [
      { name: "kind", bits: 8 },
      { name: "options", bits: 0 },
      { name: "last", bits: 16 },
    ];
    const formats = formatsOf([{ headers: [{ name: "mine", fields }] }]);
    const mine = { header: "mine", fields: { kind: 7, options: "0x010203", last: 9 } };
    const layers = [{ header: "ethernet", fields: {} }, mine, { header: "udp", fields: { src: 5 } }];
    const { built } = buildPacket({ layers }, formats, {});
    expect(built.layers[1]).toEqual({
      ...{ header: "mine", at: 14 },
      fields: { kind: "7", options: "010203", last: "9" },
    });
    expect(built.layers[2]).toMatchObject({ at: 20, fields: { src: "5" } });
    expect(built.hex.slice(28, 40)).toBe("070102030009");
  });
});

it("a wrong topology gives no plan, and its errors", () => {
  const found = new Diagnostics();
  const files = new ProjectFiles({ title: "", files: { "topology.json": "{" }, open: { kind: "exercise" } });
  expect(planOf({ kind: "exercise" }, files, found)).toBeUndefined();
  expect(found.hasErrors).toBe(true);
});

it("the files of a lab are listed, read and refused by their paths", async () => {
  const lab = await TestLab.open({ ...oneSwitch(EXTERNS), readOnly: ["a.p4"] });
  const { files } = await lab.ask({ op: "files.list" });
  expect(files).toEqual([{ path: "a.p4", kind: "program", bytes: EXTERNS.length, readOnly: true }]);
  expect(await lab.ask({ op: "files.read", path: "a.p4" })).toEqual({ text: EXTERNS, readOnly: true });
  await lab.ask({ op: "files.save", path: "b.md", text: "x" });
  expect(await lab.ask({ op: "files.read", path: "b.md" })).toEqual({ text: "x" });
  const refused = await lab.reply({ op: "files.save", path: "a.p4", text: "x" });
  expect(refused.diagnostics[0]!.code).toBe("P46010");
});

describe("statements at a switch", () => {
  it("are undone, whatever they wrote", async () => {
    const lab = await TestLab.open(oneSwitch(EXTERNS));
    const run = (text: string) => lab.reply({ op: "control.run", switch: "s1", text });
    const state = async () => ({ ...(await lab.ask({ op: "state.read", switch: "s1" })), undo: 0 });
    expect((await run("insert macs 08:00:00:00:00:01 => seen")).diagnostics).toEqual([]);
    const statements = [
      "write counter I.ports[3] => packets=5 bytes=320",
      "write meter I.limits[3] => cir=1 cburst=2 pir=3 pburst=4",
      "write register I.last[2]=77",
      "write counter hits 08:00:00:00:00:01 => packets=3",
      "write meter rate 08:00:00:00:00:01 => cir=1 cburst=2 pir=3 pburst=4",
      "insert multicast 1 => 1 2 3/1",
      "insert clone 5 => 3",
      "insert digest learn_t",
      "insert macs 08:00:00:00:00:02 => seen",
      "delete macs 08:00:00:00:00:01",
    ];
    for (const text of statements) {
      const before = await state();
      expect((await run(text)).diagnostics, text).toEqual([]);
      expect(await state(), text).not.toEqual(before);
      await lab.ask({ op: "control.undo", switch: "s1" });
      expect(await state(), text).toEqual(before);
    }
  });

  it("give lines and data; errors have the name of the switch as their file", async () => {
    const lab = await TestLab.open(oneSwitch(EXTERNS));
    const run = (text: string) => lab.ask({ op: "control.run", switch: "s1", text });
    await run("write register I.last[2]=77");
    const { lines, data } = await run("read register I.last[2]");
    expect(lines.join("\n")).toContain("77");
    expect(data).toHaveLength(1);
    expect(JSON.stringify(data)).toContain("77");
    const wrong = await lab.reply({ op: "control.run", switch: "s1", text: "\nread nothing" });
    expect(wrong.diagnostics[0]).toMatchObject({ severity: "error", file: "s1:", start: { line: 2 } });
  });

  it("show large arrays by their first cells and those that are not as at the start", async () => {
    const text = EXTERNS.replace(/(meter[^;]*?)\b32\b([^;]*limits;)/, "$1320$2").replace(
      /(register<[^;]*?)\b64\b([^;]*last;)/,
      "$1640$2",
    );
    const lab = await TestLab.open(oneSwitch(text));
    for (const line of [
      "write meter I.limits[90] => cir=1 cburst=2 pir=3 pburst=4",
      "write register I.last[91]=1",
    ])
      await lab.ask({ op: "control.run", switch: "s1", text: line });
    const { arrays } = await lab.ask({ op: "state.read", switch: "s1" });
    const cells = (name: string) => arrays.find((array) => array.name === name)!;
    expect([cells("I.limits").size, cells("I.last").size]).toEqual([320, 640]);
    expect(cells("I.limits").cells.map(({ index }) => index)).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 90]);
    expect(cells("I.last").cells.map(({ index }) => index)).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 91]);
  });
});

describe("a change of program at a switch that shows only what it runs", () => {
  const programOf = (text: string) =>
    compile({ file: new SourceFile("a.p4", text), resolveInclude: () => undefined }, new Diagnostics())!
      .program;
  const before = programOf(RING.files["ring.p4"]!);
  const after = programOf(RING.files["ring.p4"]!.replaceAll("forward", "send_on"));
  const deviceOf = async (change: Partial<Device> = {}) => {
    const { device } = new LabNetwork({
      ...{ plan: PAIR, seed: 1, places: new Map(), log: () => {}, tell: () => {} },
    }).switch("s1");
    await device.load(before);
    const entry = (value: bigint, action: string, params: Record<string, bigint>) => ({
      ...{ kind: "tableEntry" as const, table: "RingIngress.routes", priority: 0 },
      match: [{ kind: "lpm" as const, field: "hdr.ipv4.dst_addr", value, prefixLength: 32 }],
      action: { kind: "action" as const, action: `RingIngress.${action}`, params },
    });
    const entities = [entry(1n, "drop", {}), entry(2n, "forward", { mac: 1n, port: 1n })];
    await device.write(entities.map((entity) => ({ type: "insert" as const, entity })));
    return new Proxy(device as Device, {
      get: (target, name) => {
        if (name in change) return change[name as keyof Device];
        const value: unknown = Reflect.get(target, name, target);
        return typeof value === "function" ? value.bind(target) : value;
      },
    });
  };

  it("loads the new one, and the state that fits", async () => {
    const device = await deviceOf({ prepare: undefined as never });
    expect(await swapProgram(device, after)).toEqual({
      ...{ switch: "s1", kept: 1 },
      lost: [
        {
          statement: expect.stringContaining("RingIngress.forward"),
          reason: expect.stringContaining("forward"),
        },
      ],
    });
    expect(device.program).toBe(after);
  });

  it("passes on what is no refusal of the switch", async () => {
    const broken = new TypeError("the connection is a bug");
    const device = await deviceOf({
      read: async () => {
        throw broken;
      },
    });
    await expect(swapProgram(device, after)).rejects.toBe(broken);
  });
});
