/** A lab on real switches, over a network that the test gives in place of real hosts, interfaces and processes. */
import { describe, expect, it } from "vitest";
import {
  type LabEvent,
  type LabPlan,
  type LabProject,
  type LabRequestInput,
  labRequestSchema,
  layOut,
} from "../../../src/course/lab/index.js";
import { LabNetwork } from "../../../src/course/lab/network.js";
import { TestbedSession } from "../../../src/course/lab-server/testbed/testbed-session.js";
import type { Testbed, TestbedSpec } from "../../../src/fabric/testbed/index.js";
import { folderProject, Wall } from "../lab/wall.js";

const RING = folderProject("examples/exercise");
type Options = Parameters<typeof TestbedSession.over>[1];
type Counters = { sentFrames: number; sentBytes: number; receivedFrames: number; receivedBytes: number };

/** A session of the ring, what it asked of its network, and its events. */
async function openRing(more: Partial<Options> = {}, project: LabProject = RING, fails = false) {
  const wall = new Wall();
  const asked: string[] = [];
  const lines: string[] = [];
  const counters = new Map<string, Counters>();
  const shells: {
    host: string;
    argv: readonly string[];
    say(line: string): void;
    exit(status: number): void;
  }[] = [];
  const specs: TestbedSpec[] = [];
  const start = async (spec: TestbedSpec): Promise<Testbed> => {
    specs.push(spec);
    const plan: LabPlan = {
      ...{ hosts: [], links: [] },
      switches: spec.switches.map(({ name }) => ({ name })),
    };
    const { switches } = new LabNetwork({
      plan,
      seed: 1,
      places: layOut(plan),
      log: () => {},
      tell: () => {},
    });
    const host = (name: string) => ({
      name,
      exec: async (argv: readonly string[]) => {
        asked.push(`${name}: ${argv.at(-1)}`);
        return { status: fails ? 2 : 0, stdout: "", stderr: fails && name === "h1" ? "no route\n" : "" };
      },
      spawn: (argv: readonly string[]) => {
        let say: (line: string) => void = () => {};
        let exit: (status: number) => void = () => {};
        const exited = new Promise<number>((resolve) => {
          exit = resolve;
        });
        shells.push({ host: name, argv, say: (line) => say(line), exit });
        const listen = (listener: (text: string) => void) => {
          say = listener;
          return () => {
            say = () => {};
          };
        };
        const kill = async () => {
          asked.push(`${name}: killed`);
          exit(143);
        };
        return {
          exited,
          onLine: listen,
          onText: listen,
          kill,
          writeText: (text: string) => void asked.push(text),
        };
      },
    });
    const lab = {
      id: "test",
      hosts: new Map(spec.hosts.map(({ name }) => [name, host(name)])),
      switches: new Map(
        [...switches].map(([name, { device }]) => [
          name,
          {
            ...{ name, device, traceSocket: undefined },
            share: () => void asked.push(`${name}: share`),
            kill: async () => void asked.push(`${name}: kill`),
            restart: async () => void asked.push(`${name}: restart`),
          },
        ]),
      ),
      counters: async () => new Map([...counters].map(([name, of]) => [name, { ...of }])),
      setLink: async (a: string, b: string, up: boolean) =>
        void asked.push(`${a} ${b} ${up ? "up" : "down"}`),
      close: async () => void asked.push("closed"),
    };
    return lab as unknown as Testbed;
  };
  const events: LabEvent[] = [];
  const options = { timers: wall, monotonicMs: 0, log: (line: string) => void lines.push(line), ...more };
  const session = await TestbedSession.over(project, options, start);
  const reply = (request: LabRequestInput) => session.apply(labRequestSchema.parse(request));
  const ask = async (request: LabRequestInput): Promise<Record<string, unknown>> => {
    const found = await reply(request);
    if (!found.ok)
      throw new Error(found.diagnostics.map(({ code, message }) => `${code}: ${message}`).join("\n"));
    return found.value as unknown as Record<string, unknown>;
  };
  const of = (kind: LabEvent["kind"]) =>
    events.filter((event) => event.kind === kind) as unknown as Record<string, unknown>[];
  const listen = () => session.subscribe((event) => events.push(event));
  return { session, wall, asked, lines, counters, shells, specs, events, reply, ask, of, listen };
}

describe("the start of a lab on real switches", () => {
  it("loads programs and entries, then lets other controllers in, and runs the commands of the hosts", async () => {
    const { asked, specs, ask, lines, session } = await openRing();
    expect(specs[0]!.switches.map(({ name }) => name)).toEqual(["s1", "s2", "s3"]);
    expect(asked.slice(0, 3)).toEqual(["s1: share", "s2: share", "s3: share"]);
    expect(asked.slice(3).filter((line) => line.startsWith("h1: ip "))).not.toEqual([]);
    const { tables } = (await ask({ op: "state.read", switch: "s1" })) as {
      tables: { entries: unknown[] }[];
    };
    expect(tables[0]!.entries).toHaveLength(3);
    expect(lines).toEqual([]);
    await session.close();
    expect(asked.at(-1)).toBe("closed");
  });

  it("tells each command of a host that failed, and goes on", async () => {
    const { lines } = await openRing({}, RING, true);
    expect(lines.length).toBeGreaterThan(3);
    expect(lines.filter((line) => line.startsWith("h1: ")).every((line) => line.endsWith(": no route"))).toBe(
      true,
    );
    expect(lines.filter((line) => line.startsWith("h2: ")).every((line) => line.endsWith(": status 2"))).toBe(
      true,
    );
  });

  it("describes what it can do: real time, shells, and no consoles of the simulator", async () => {
    const { ask, wall } = await openRing();
    await wall.pass(250);
    const view = (await ask({ op: "describe" })) as never as {
      engine: string;
      can: object;
      clock: object;
      nodes: { name: string; kind: string; up: boolean; ipv4?: string; program?: string }[];
      links: { up: boolean; id: number }[];
    };
    expect(view).toMatchObject({
      engine: "testbed",
      title: "examples/exercise",
      source: "exercise",
      flows: [],
      notes: [],
    });
    expect(view.can).toMatchObject({ clock: false, terminals: true, saving: true, tests: false });
    expect(view.clock).toEqual({ now: 250e6, running: true, speed: 1, skipIdle: false });
    expect(view.nodes.find(({ name }) => name === "h1")).toMatchObject({
      kind: "host",
      up: true,
      ipv4: "10.0.1.1/24",
    });
    expect(view.nodes.find(({ name }) => name === "s1")).toMatchObject({
      kind: "switch",
      up: true,
      program: "ring.p4",
    });
    expect(view.links.map(({ id, up }) => [id, up])).toEqual(view.links.map((_, id) => [id, true]));
  });

  it("closes a network over which no session begins", async () => {
    const broken: string[] = [];
    const start = async () =>
      ({
        hosts: new Map(),
        switches: new Map(),
        close: async () => void broken.push("closed"),
      }) as unknown as Testbed;
    const options = { timers: new Wall(), monotonicMs: 0, log: () => {} };
    await expect(TestbedSession.over(RING, options, start)).rejects.toThrow();
    expect(broken).toEqual(["closed"]);
    const wrong = { ...RING, files: { "topology.json": "{" } };
    await expect(TestbedSession.over(wrong, options, start)).rejects.toThrow(/P4/);
    expect(broken, "no network was started").toEqual(["closed"]);
  });
});

describe("links and switches that break", () => {
  it("are real: a link by its interfaces, at both ends", async () => {
    const { ask, asked, listen, of, reply } = await openRing();
    listen();
    const { links } = (await ask({ op: "describe" })) as {
      links: { id: number; a: { node: string }; b: { node: string } }[];
    };
    const between = (a: string, b: string) =>
      links.find((one) => [one.a.node, one.b.node].sort().join() === [a, b].sort().join())!.id;
    const [inner, outer] = [between("s1", "s2"), between("h1", "s1")];
    asked.length = 0;
    expect(await ask({ op: "link.set", link: inner, up: false })).toMatchObject({ id: inner, up: false });
    expect(asked[0]).toMatch(/^s[12]-eth\d s[12]-eth\d down$/);
    await ask({ op: "link.set", link: outer, up: false });
    expect(asked[1]).toMatch(/^(h1 s1-eth1|s1-eth1 h1) down$/);
    expect(of("link").map(({ link }) => (link as { up: boolean }).up)).toEqual([false, false]);
    const down = (await ask({ op: "describe" }))["links"] as { id: number; up: boolean }[];
    expect(
      down
        .filter(({ up }) => !up)
        .map(({ id }) => id)
        .sort(),
    ).toEqual([inner, outer].sort());
    await ask({ op: "link.set", link: inner, up: true });
    expect(asked.at(-1)).toMatch(/ up$/);
    expect((await reply({ op: "link.set", link: 99, up: false })).diagnostics[0]).toMatchObject({
      ...{ code: "P46002", message: "there is no link 99" },
      notes: [{ message: "there are 0 to 5" }],
    });
    expect((await reply({ op: "link.set", link: 0, up: false, signalled: false })).diagnostics[0]!.code).toBe(
      "P46003",
    );
  });

  it("are repaired by a restart, which loads programs and entries again", async () => {
    const { ask, asked, listen, of } = await openRing();
    listen();
    await ask({ op: "control.run", switch: "s1", text: "insert routes 10.7.7.7/32 => drop" });
    asked.length = 0;
    expect(await ask({ op: "switch.set", switch: "s2", up: false })).toMatchObject({ name: "s2", up: false });
    await ask({ op: "link.set", link: 0, up: false });
    expect(asked[0]).toBe("s2: kill");
    const view = (await ask({ op: "restart" })) as { nodes: { up: boolean }[]; links: { up: boolean }[] };
    expect(asked.slice(2, 4)).toEqual(["s2: restart", "s2: share"]);
    expect(asked.slice(4)).toEqual([asked[1]!.replace(/ down$/, " up")]);
    expect([...view.nodes, ...view.links].every(({ up }) => up)).toBe(true);
    expect(of("node").map(({ node }) => (node as { up: boolean }).up)).toEqual([false, true]);
    expect(of("restarted")).toHaveLength(1);
    const { tables } = (await ask({ op: "state.read", switch: "s1" })) as {
      tables: { entries: unknown[] }[];
    };
    expect(tables[0]!.entries).toHaveLength(3);
  });

  it("get no new program while they are down", async () => {
    const { ask } = await openRing();
    await ask({ op: "switch.set", switch: "s2", up: false });
    const text = `${RING.files["ring.p4"]}\n`;
    const { swaps } = (await ask({ op: "files.save", path: "ring.p4", text })) as {
      swaps: { switch: string }[];
    };
    expect(swaps.map((one) => one.switch)).toEqual(["s1", "s3"]);
  });
});

describe("frames of the page", () => {
  const none = { sentFrames: 0, sentBytes: 0, receivedFrames: 0, receivedBytes: 0 };

  it("have the load of each link in both directions, as its switch counts it", async () => {
    const { counters, wall, listen, of, ask } = await openRing();
    listen();
    const { links } = (await ask({ op: "describe" })) as {
      links: {
        id: number;
        rateBps: number;
        a: { node: string; port: number };
        b: { node: string; port: number };
      }[];
    };
    for (const { a, b } of links)
      for (const { node, port } of [a, b])
        if (node.startsWith("s")) counters.set(`${node}-eth${port}`, { ...none });
    await wall.pass(100);
    const host = links.find(({ a, b }) => [a, b].some(({ node }) => node === "h1"))!;
    const near = [host.a, host.b].find(({ node }) => node === "s1")!;
    const inner = links.find(({ a, b }) => a.node.startsWith("s") && b.node.startsWith("s"))!;
    // From the host to its switch a quarter of the rate, back one packet.
    const passed = 0.5;
    Object.assign(counters.get(`s1-eth${near.port}`)!, {
      ...{ receivedFrames: 100, receivedBytes: (host.rateBps * passed) / 8 / 4, sentFrames: 1, sentBytes: 0 },
    });
    Object.assign(counters.get(`${inner.a.node}-eth${inner.a.port}`)!, { sentFrames: 7, sentBytes: 1e12 });
    await wall.pass(500);
    const found = of("frame").flatMap(
      (frame) => frame["links"] as { link: number; share: number[]; packets: number[] }[],
    );
    const isFirst = host.a.node === "h1";
    const both = <T>(there: T, back: T) => (isFirst ? [there, back] : [back, there]);
    expect(found.find(({ link }) => link === host.id)).toEqual({
      ...{ link: host.id, share: both(0.25, 0), packets: both(100, 1) },
    });
    expect(found.find(({ link }) => link === inner.id)).toEqual({
      ...{ link: inner.id, share: [1, 0], packets: [7, 0] },
    });
    expect(new Set(found.map(({ link }) => link)).size, "links without packets are left out").toBe(2);
  });

  it("come every half second without packets, with the time, and none when nobody listens", async () => {
    const { wall, listen, of, session } = await openRing();
    await wall.pass(1000);
    const stop = listen();
    await wall.pass(2000);
    const times = of("frame").map(({ clock }) => (clock as { now: number }).now);
    expect(times.map((at, i) => at - (times[i - 1] ?? at - 500e6))).toEqual(new Array(4).fill(500e6));
    stop();
    await wall.pass(2000);
    expect(of("frame")).toHaveLength(4);
    await session.close();
    listen();
    await wall.pass(2000);
    expect(of("frame"), "after its end").toHaveLength(4);
  });

  it("bring a watched state when it changes, of switches that run", async () => {
    const { wall, listen, of, ask } = await openRing();
    listen();
    expect(await ask({ op: "state.watch", switch: "s1", on: true })).toEqual({ watched: ["s1"] });
    await wall.pass(2000);
    expect(of("state")).toMatchObject([{ state: { switch: "s1" } }]);
    await ask({ op: "control.run", switch: "s1", text: "insert routes 10.7.7.7/32 => drop" });
    await wall.pass(600);
    expect(of("state")).toHaveLength(2);
    await ask({ op: "switch.set", switch: "s1", up: false });
    await ask({ op: "state.watch", switch: "s1", on: true });
    await wall.pass(600);
    expect(of("state")).toHaveLength(2);
    expect(await ask({ op: "state.watch", switch: "s1", on: false })).toEqual({ watched: [] });
  });
});

describe("hosts", () => {
  it("run a line with the addresses of the hosts that it names; its output and its status are told", async () => {
    const { ask, shells, listen, of, wall, asked } = await openRing();
    listen();
    expect(await ask({ op: "host.command", host: "h1", line: "ping -c 1 h2 h2x" })).toEqual({});
    const [shell] = shells;
    expect([shell!.host, shell!.argv]).toEqual(["h1", ["sh", "-c", "ping -c 1 10.0.2.2 h2x 2>&1"]]);
    shell!.say("one line");
    shell!.exit(1);
    await wall.pass(1);
    await new Promise((resolve) => setImmediate(resolve));
    shell!.say("too late");
    expect(of("console").map(({ host, text }) => [host, text])).toEqual([
      ["h1", "one line"],
      ["h1", "(status 1)"],
    ]);
    await wall.pass(61_000);
    expect(asked).not.toContain("h1: killed");
    await ask({ op: "host.command", host: "h2", line: "sleep 100" });
    shells[1]!.exit(0);
    await ask({ op: "host.command", host: "h3", line: "sleep 100" });
    await wall.pass(59_000);
    expect(asked).not.toContain("h3: killed");
    await wall.pass(2000);
    expect(asked).toContain("h3: killed");
    expect(of("console").filter(({ host }) => host === "h2")).toEqual([]);
  });

  it("have shells, whose text and end are told", async () => {
    const { ask, shells, listen, of, asked, reply } = await openRing();
    listen();
    expect(await ask({ op: "terminal.open", host: "h1" })).toEqual({ terminal: 1 });
    shells[0]!.say("\ue0d2/dev/pts/7\ue0d3\r\nhello");
    await ask({ op: "terminal.input", terminal: 1, data: "ls\n" });
    await ask({ op: "terminal.resize", terminal: 1, columns: 50, rows: 10 });
    expect(asked).toContain("ls\n");
    expect(asked.at(-1)).toBe("h1: 50");
    await ask({ op: "terminal.close", terminal: 1 });
    await new Promise((resolve) => setImmediate(resolve));
    expect(of("terminal")).toEqual([{ kind: "terminal", terminal: 1, data: "hello" }]);
    expect(of("terminalEnd")).toEqual([{ kind: "terminalEnd", terminal: 1, status: 143 }]);
    expect((await reply({ op: "terminal.open", host: "s1" })).diagnostics[0]).toMatchObject({
      ...{ code: "P46002", message: "there is no host s1", notes: [{ message: "there are: h1, h2, h3" }] },
    });
  });
});

describe("requests", () => {
  it.each<LabRequestInput>([
    { op: "clock.set", running: false },
    { op: "clock.step" },
    { op: "traffic.start", traffic: { kind: "ping", from: "h1", to: "h2" } },
    { op: "exercise.read" },
    { op: "exercise.test" },
  ])("that real machines cannot carry out are refused: $op", async (request) => {
    const { reply } = await openRing();
    expect((await reply(request)).diagnostics[0]).toMatchObject({ code: "P46003" });
  });

  it("about packets build them from the addresses of the sender", async () => {
    const { ask, reply } = await openRing();
    const layers = [{ header: "ethernet" }, { header: "ipv4", fields: { dst: "10.0.2.2" } }];
    const built = (await ask({ op: "packet.build", packet: { layers }, from: { host: "h1" } })) as {
      layers: { fields: object }[];
    };
    expect(built.layers[0]!.fields).toMatchObject({ src: "08:00:00:00:01:11", dst: "08:00:00:00:01:00" });
    expect(built.layers[1]!.fields).toMatchObject({ src: "10.0.1.1" });
    expect(await ask({ op: "packet.list" })).toEqual({ packets: [] });
    expect(await ask({ op: "traffic.stop" })).toEqual({ flows: [] });
    const refused = async (from: { host: string } | { switch: string; port: number }) =>
      (await reply({ op: "packet.build", packet: { layers }, from })).diagnostics[0]!.message;
    expect(await refused({ host: "h9" })).toBe("there is no host h9");
    expect(await refused({ switch: "s9", port: 1 })).toBe("there is no switch s9");
    expect(await refused({ switch: "s1", port: 9 })).toBe("port 9 of s1 has no link");
    expect((await reply({ op: "packet.story", packet: 4 })).diagnostics[0]!.code).toBe("P46006");
  });

  it("about files are stored where the caller stores them; other changes are told to the pages", async () => {
    const saved: string[] = [];
    const { ask, session, of, listen } = await openRing({
      save: async (path) => {
        saved.push(path);
      },
    });
    listen();
    await ask({ op: "files.save", path: "notes.md", text: "x" });
    expect(saved).toEqual(["notes.md"]);
    await session.fileChanged("notes.md", "y");
    expect(saved).toEqual(["notes.md"]);
    expect(of("file").map(({ path }) => path)).toEqual(["notes.md", "notes.md"]);
  });

  it("about tests run those of the caller, with their results as events", async () => {
    const result = { name: "a", state: "passed", points: 1, of: 1, text: [] } as const;
    const tests = {
      has: () => true,
      read: () => ({ title: "t", text: "", tests: [] }),
      run: async (_files: unknown, names: unknown, tell: (of: typeof result) => void) => {
        expect(names).toEqual(["a"]);
        tell(result);
        return [result];
      },
    };
    const { ask, of, listen } = await openRing({ tests: tests as never });
    listen();
    expect((await ask({ op: "describe" }))["can"]).toMatchObject({ tests: true });
    expect(await ask({ op: "exercise.read" })).toMatchObject({ title: "t" });
    expect(await ask({ op: "exercise.test", tests: ["a"] })).toEqual({ results: [result] });
    expect(of("test")).toEqual([{ kind: "test", result }]);
  });
});
