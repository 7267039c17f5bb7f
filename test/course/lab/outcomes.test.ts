/** Every outcome of a packet at a switch of a lab: asked for while the network runs, and without a trace left behind. */
import { expect, it } from "vitest";
import { storyLines } from "../../../src/toolchain/trace/index.js";
import { folderProject, TestLab } from "./wall.js";

/** Sends each frame by one of four ports, draws the port, counts, logs and reports a digest. */
const DRAWING = `#include <core.p4>
#include <v1model.p4>
header tag_t { bit<8> tag; }
struct headers { tag_t tag; }
struct metadata { }
struct seen_t { bit<8> tag; }
parser P(packet_in packet, out headers h, inout metadata m, inout standard_metadata_t s) {
    state start { packet.extract(h.tag); transition accept; }
}
control V(inout headers h, inout metadata m) { apply { } }
control I(inout headers h, inout metadata m, inout standard_metadata_t s) {
    counter(1, CounterType.packets) seen;
    register<bit<8>>(1) last;
    apply {
        bit<9> port;
        random(port, 0, 3);
        seen.count(0);
        last.write(0, h.tag.tag);
        log_msg("port {}", { port });
        digest<seen_t>(1, { h.tag.tag });
        s.egress_spec = port + 4;
    }
}
control E(inout headers h, inout metadata m, inout standard_metadata_t s) { apply { } }
control C(inout headers h, inout metadata m) { apply { } }
control D(packet_out packet, in headers h) { apply { packet.emit(h.tag); } }
V1Switch(P(), V(), I(), E(), C(), D()) main;
`;

const FRAME = `07${"00".repeat(19)}`;

async function drawn(): Promise<{ lab: TestLab; packet: number; name: string }> {
  const lab = await TestLab.open({
    title: "drawing",
    files: { "a.p4": DRAWING },
    open: { kind: "program", path: "a.p4" },
  });
  await lab.run();
  const { nodes } = await lab.ask({ op: "describe" });
  const name = nodes.find(({ kind }) => kind === "switch")!.name;
  const { packet } = await lab.ask({
    op: "packet.send",
    from: { switch: name, port: 1 },
    packet: { hex: FRAME },
  });
  await lab.wall.pass(500);
  return { lab, packet: packet!, name };
}

const switchHop = async (lab: TestLab, packet: number): Promise<number> => {
  const { hops } = await lab.ask({ op: "packet.story", packet });
  return hops.findIndex(({ kind }) => kind === "switch");
};

it("tells each random number that a packet can meet, and leaves the network as it was", async () => {
  const { lab, packet, name } = await drawn();
  const hop = await switchHop(lab, packet);
  const read = async () => ({
    story: await lab.ask({ op: "packet.story", packet }),
    state: await lab.ask({ op: "state.read", switch: name }),
    packets: await lab.ask({ op: "packet.list" }),
  });
  const before = await read();
  expect(JSON.stringify(before.state)).toContain("last");
  const events = lab.events.length;
  const { trace } = await lab.ask({ op: "packet.outcomes", packet, hop });
  expect(trace).toMatchObject({ device: name, outcomes: 4, input: { ingress_port: 1, bytes: FRAME } });
  const texts = storyLines(trace).map(({ text }) => text);
  for (const port of [4, 5, 6, 7])
    expect(texts.filter((text) => text.startsWith(`sent on port ${port}:`))).toHaveLength(1);
  expect(await read()).toEqual(before);
  expect(lab.events.slice(events)).toEqual([]);
  await lab.wall.pass(500);
  expect(lab.events.slice(events).filter(({ kind }) => kind !== "frame" && kind !== "clock")).toEqual([]);
  // The switch still runs and traces packets.
  const next = await lab.ask({ op: "packet.send", from: { switch: name, port: 1 }, packet: { hex: FRAME } });
  await lab.wall.pass(500);
  expect(await switchHop(lab, next.packet!)).toBeGreaterThanOrEqual(0);
});

it("refuses a packet without a story, and a hop that is no switch", async () => {
  const { lab, packet } = await drawn();
  const refused = async (asked: { packet: number; hop: number }) => {
    const reply = await lab.reply({ op: "packet.outcomes", ...asked });
    return reply.ok ? "answered" : `${reply.diagnostics[0]!.code}: ${reply.diagnostics[0]!.message}`;
  };
  expect(await refused({ packet: 99, hop: 0 })).toMatch(/^P46006: packet 99 was not followed/);
  expect(await refused({ packet, hop: 40 })).toMatch(/^P46006: hop 40 of packet \d+ is no switch/);
});

it("follows the tables as they are now, not as they were when the packet came", async () => {
  const lab = await TestLab.open(folderProject("examples/exercise"));
  await lab.ask({ op: "host.command", host: "h1", line: "ping h2 -c 1" });
  await lab.run();
  await lab.wall.pass(200);
  const { packets } = await lab.ask({ op: "packet.list" });
  const { id: packet } = packets.find(({ label }) => label.startsWith("ICMP echo request"))!;
  const hop = await switchHop(lab, packet);
  const ends = async () => {
    const { trace } = await lab.ask({ op: "packet.outcomes", packet, hop });
    return storyLines(trace)
      .map(({ text }) => text)
      .filter((text) => /^(sent|dropped)/.test(text));
  };
  expect((await ends()).join()).toMatch(/^sent on port 2/);
  const { tables } = await lab.ask({ op: "state.read", switch: "s1" });
  for (const { name, entries } of tables)
    if (entries.length > 0) await lab.ask({ op: "control.run", switch: "s1", text: `table_clear ${name}` });
  expect((await ends()).join()).toMatch(/^dropped/);
});
