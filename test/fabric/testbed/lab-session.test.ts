/** A lab on real switches and hosts, by the same words as on the simulator. */
import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import type {
  LabEvent,
  LabReply,
  LabRequestInput,
  LabService,
  StoryView,
} from "../../../src/course/lab/index.js";
import { labRequestSchema } from "../../../src/course/lab/index.js";
import { type OpenLab, openTestbedLab } from "../../../src/course/lab-server/index.js";
import { folderProject } from "../../course/lab/wall.js";
import { whyNot } from "./machine.js";

const reason = whyNot("netns", "switch", ["ping"]);

describe.skipIf(reason !== undefined)(
  `a lab on the testbed${reason === undefined ? "" : ` (not here: ${reason})`}`,
  () => {
    let lab: OpenLab;
    let service: LabService;
    const events: LabEvent[] = [];

    const ask = async (request: LabRequestInput): Promise<unknown> => {
      const reply: LabReply = await service.apply(labRequestSchema.parse(request));
      if (reply.ok) return reply.value;
      throw new Error(reply.diagnostics.map(({ code, message }) => `${code}: ${message}`).join("\n"));
    };
    const said = (): string =>
      events.flatMap((event) => (event.kind === "console" ? [event.text] : [])).join("\n");
    const shown = (): string =>
      events.flatMap((event) => (event.kind === "terminal" ? [event.data] : [])).join("");
    /** Whether one of three pings from h1 to h2 is answered. */
    const reaches = async (): Promise<boolean> => {
      events.length = 0;
      await ask({ op: "host.command", host: "h1", line: "ping -n -c 3 -i 0.1 -W 1 h2" });
      await vi.waitFor(() => expect(said()).toContain("packet loss"), { timeout: 60_000 });
      return !said().includes("100% packet loss");
    };

    beforeAll(async () => {
      const folder = mkdtempSync(join(tmpdir(), "p4loom-bed-"));
      const project = folderProject("examples/exercise");
      lab = await openTestbedLab({ project, folder }, { log: () => {}, stop: new AbortController().signal });
      ({ service } = lab);
      service.subscribe((event) => events.push(event));
    });

    afterAll(() => lab?.close());

    it("runs the exercise, and says what it cannot do", async () => {
      const view = await ask({ op: "describe" });
      expect(view).toMatchObject({
        engine: "testbed",
        diagnostics: [],
        can: { terminals: true, clock: false },
      });
      expect(await reaches()).toBe(true);
      await expect(ask({ op: "clock.set", running: false })).rejects.toThrow("P46003");
      await expect(ask({ op: "host.command", host: "h9", line: "ls" })).rejects.toThrow("P46002");
      await expect(ask({ op: "link.set", link: 99, up: false })).rejects.toThrow("P46002");
      const loads = (): unknown[] => events.flatMap((event) => (event.kind === "frame" ? event.links : []));
      await vi.waitFor(() => expect(loads().length).toBeGreaterThan(0), { timeout: 10_000 });
    });

    const packet: Extract<LabRequestInput, { op: "packet.build" }>["packet"] & { layers: object[] } = {
      layers: [
        { header: "ethernet" },
        { header: "ipv4", fields: { dst: "10.0.2.2", ttl: "9" } },
        { header: "udp", fields: { dst: "4000" } },
      ],
      payload: { text: "story" },
    };

    it("sends a built packet, and shows its story over all switches", async () => {
      const sent = await ask({ op: "packet.send", packet, from: { host: "h1" } });
      const { packet: id, hex } = sent as { packet: number; hex: string };
      expect(id).toBeGreaterThan(0);
      let story: StoryView | undefined;
      await vi.waitFor(
        async () => {
          story = (await ask({ op: "packet.story", packet: id })) as StoryView;
          expect(story.end.kind).toBe("delivered");
        },
        { timeout: 60_000 },
      );
      expect(story).toMatchObject({ from: "h1", protocol: "udp", end: { node: "h2" } });
      expect(story!.hops[0]).toMatchObject({ kind: "send", bytes: hex });
      const switches = story!.hops.filter((hop) => hop.kind === "switch");
      expect(switches.map(({ node, program }) => `${node} ${program}`)).toEqual(["s1 ring.p4", "s2 ring.p4"]);
      for (const { text } of switches) expect(text!.join("\n")).toMatch(/table .*routes: hit/);
      // two hops less: the program counts the TTL down
      const last = story!.hops.at(-1)!;
      expect(last.kind === "receive" && last.bytes.slice(44, 46)).toBe("07");
      const seen = () =>
        events.flatMap((event) => (event.kind === "frame" ? event.packets : [])).map((one) => one.id);
      await vi.waitFor(() => expect(seen()).toContain(id), { timeout: 60_000 });
    });

    it("sends into a port of a switch, and shows why the switch drops the packet", async () => {
      const layers = [packet.layers[0]!, { header: "ipv4", fields: { dst: "10.9.9.9" } }];
      const from = { switch: "s1", port: 1 };
      const sent = await ask({ op: "packet.send", packet: { layers }, from, count: 3 });
      const { packet: id } = sent as { packet: number };
      const story = (await ask({ op: "packet.story", packet: id })) as StoryView;
      expect(story.end).toMatchObject({ kind: "dropped", node: "s1", place: { file: "ring.p4" } });
      const dropped = () =>
        events
          .flatMap((event) => (event.kind === "frame" ? event.drops : []))
          .filter(({ node }) => node === "s1");
      await vi.waitFor(() => expect(dropped().reduce((sum, { packets }) => sum + packets, 0)).toBe(3), {
        timeout: 60_000,
      });
    });

    it("refuses what cannot be sent", async () => {
      const send = (from: object, more = {}) =>
        ask({ op: "packet.send", packet, from, ...more } as unknown as LabRequestInput);
      await expect(send({ host: "h9" })).rejects.toThrow("P46002: there is no host h9");
      await expect(send({ switch: "s1", port: 77 })).rejects.toThrow("P46002: port 77 of s1 has no link");
      const long = { hex: "00".repeat(2000) };
      await expect(send({ host: "h1" }, { packet: long })).rejects.toThrow("P46005");
      await expect(ask({ op: "packet.story", packet: 99_999 })).rejects.toThrow("P46006");
    });

    it("breaks and mends a link, and a switch", async () => {
      const { links } = (await ask({ op: "describe" })) as { links: { id: number; a: { node: string } }[] };
      const link = links.find(({ a }) => a.node === "h2")!.id;
      await ask({ op: "link.set", link, up: false });
      expect(await reaches()).toBe(false);
      await ask({ op: "link.set", link, up: true });
      expect(await reaches()).toBe(true);
      await ask({ op: "switch.set", switch: "s2", up: false });
      expect(await reaches()).toBe(false);
      await ask({ op: "switch.set", switch: "s2", up: true });
      await vi.waitFor(async () => expect(await reaches()).toBe(true), { timeout: 30_000 });
    });

    it("writes entries with undo, and swaps a saved program in", async () => {
      const state = (await ask({ op: "state.read", switch: "s1" })) as { tables: { entries: unknown[] }[] };
      expect(state.tables[0]!.entries).toHaveLength(3);
      await ask({ op: "control.run", switch: "s1", text: "insert routes 10.7.7.7/32 => drop" });
      expect(await ask({ op: "control.undo", switch: "s1" })).toMatchObject({ undo: 0 });
      const { text } = (await ask({ op: "files.read", path: "ring.p4" })) as { text: string };
      await ask({ op: "files.save", path: "ring.p4", text: `${text}\n// again` });
      expect(await reaches()).toBe(true);
    });

    it("has a terminal on a host: a shell that knows its size, and programs that can be interrupted", async () => {
      events.length = 0;
      const opened = await ask({ op: "terminal.open", host: "h3", columns: 100, rows: 30 });
      const { terminal } = opened as { terminal: number };
      const type = (data: string) => ask({ op: "terminal.input", terminal, data });
      await vi.waitFor(() => expect(shown()).toContain("h3$"), { timeout: 60_000 });
      await type("stty size; hostname -I; ip -br addr show eth0 | cat\r");
      await vi.waitFor(() => expect(shown()).toMatch(/30 100[\s\S]*10\.0\.3\.3/), { timeout: 60_000 });
      await ask({ op: "terminal.resize", terminal, columns: 120, rows: 40 });
      await type("stty size\r");
      await vi.waitFor(() => expect(shown()).toContain("40 120"), { timeout: 60_000 });
      await type("sleep 100; echo status=$?\r");
      await new Promise((resolve) => setTimeout(resolve, 500));
      await type("\u0003");
      await type("echo go$((1+1))on\r");
      await vi.waitFor(() => expect(shown()).toContain("go2on"), { timeout: 60_000 });
      await ask({ op: "terminal.close", terminal });
      await expect.poll(() => events.some(({ kind }) => kind === "terminalEnd")).toBe(true);
      await expect(type("x")).rejects.toThrow("P46058");
    });
  },
);
