/** Parts of the lab's server without a socket: who is let in, which files are read and written, what an experiment file gives. */
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { readFolder, writeInFolder } from "../../../src/course/lab-server/folder.js";
import { Guard, newToken } from "../../../src/course/lab-server/guard.js";
import { readLabProject } from "../../../src/course/lab-server/index.js";
import { ROOT } from "../lab/wall.js";

const folder = mkdtempSync(join(tmpdir(), "p4loom-lab-parts-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

let made = 0;
function folderOf(files: Readonly<Record<string, string>>): string {
  const root = join(folder, `f${made++}`);
  mkdirSync(root);
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
  }
  return root;
}

describe("who is let in", () => {
  const guard = new Guard(["secret", "another"], 8080);
  const refusal = (headers: Record<string, string>) => guard.refusal({ headers } as never);

  it.each([{ host: "127.0.0.1:8080" }, { host: "localhost:8080" }, { host: "[::1]:8080" }])(
    "is %j",
    (headers) => {
      expect(refusal(headers)).toBeUndefined();
      expect(refusal({ ...headers, origin: `http://${headers.host}` })).toBeUndefined();
      for (const site of ["same-origin", "none"])
        expect(refusal({ ...headers, "sec-fetch-site": site })).toBeUndefined();
    },
  );

  it.each<[Record<string, string>, string]>([
    [{}, "the request names another host"],
    [{ host: "127.0.0.1" }, "the request names another host"],
    [{ host: "127.0.0.1:8081" }, "the request names another host"],
    [{ host: "evil.example:8080" }, "the request names another host"],
    [{ host: "localhost:8080", origin: "https://localhost:8080" }, "the request comes from another origin"],
    [{ host: "localhost:8080", origin: "null" }, "the request comes from another origin"],
    [{ host: "localhost:8080", "sec-fetch-site": "cross-site" }, "the request comes from another site"],
    [{ host: "localhost:8080", "sec-fetch-site": "same-site" }, "the request comes from another site"],
  ])("is not %j", (headers, why) => {
    expect(refusal(headers)).toBe(why);
  });

  it("is the public name behind a reverse proxy, also by a link of another site, and no other", () => {
    const behind = new Guard(["secret"], 8080, { origin: "https://labs.example", host: "labs.example" });
    const refused = (headers: Record<string, string>) => behind.refusal({ headers } as never);
    expect(refused({ host: "labs.example", origin: "https://labs.example" })).toBeUndefined();
    expect(refused({ host: "127.0.0.1:8080", origin: "https://labs.example" })).toBeUndefined();
    expect(refused({ host: "labs.example", origin: "http://labs.example" })).toMatch(/another origin/);
    expect(refused({ host: "labs.example.evil" })).toMatch(/another host/);
    const link = { host: "labs.example", "sec-fetch-site": "cross-site" };
    expect(refused({ ...link, "sec-fetch-mode": "navigate", "sec-fetch-dest": "document" })).toBeUndefined();
    expect(refused({ ...link, "sec-fetch-mode": "navigate", "sec-fetch-dest": "iframe" })).toMatch(
      /another site/,
    );
    expect(refused({ ...link, "sec-fetch-mode": "cors" })).toMatch(/another site/);
  });

  it("has the whole token and nothing else", () => {
    const has = (query: string) => guard.tokenOf(new URL(`http://localhost/${query}`));
    expect(has("?token=secret")).toBe(0);
    expect(has("?token=another")).toBe(1);
    for (const query of ["", "?token=", "?token=secre", "?token=secrets", "?token=secreT", "?other=secret"])
      expect(has(query), query).toBeUndefined();
    expect(newToken()).toMatch(/^[A-Za-z0-9_-]{32}$/);
    expect(newToken()).not.toBe(newToken());
  });
});

describe("the files of a folder", () => {
  it("are its texts, without what tools write, what is hidden, and what links elsewhere", () => {
    const root = folderOf({
      ...{
        "a.p4": "a",
        "pod/topology.json": "b",
        Makefile: "c",
        "x.pcap": "-",
        MakefileX: "-",
        "a.p4x": "-",
      },
      ...{
        ".hidden.p4": "-",
        "build/a.json": "-",
        "logs/s1.txt": "-",
        "pcaps/x.md": "-",
        "node_modules/x.js": "-",
      },
      ...{
        "solution/a.p4": "s",
        "Solutions/b.p4": "s",
        "hidden/tests.yaml": "h",
        "big.md": "x".repeat(2 * 2 ** 20 + 1),
      },
    });
    symlinkSync(join(root, "a.p4"), join(root, "link.p4"));
    symlinkSync(join(root, "pod"), join(root, "linked"));
    const own = { Makefile: "c", "a.p4": "a", "pod/topology.json": "b" };
    expect(readFolder(root)).toEqual(own);
  });

  it("are those of six levels", () => {
    const root = folderOf({ "1/2/3/4/5/6/deep.p4": "d", "1/2/3/4/5/6/7/deeper.p4": "-" });
    expect(readFolder(root)).toEqual({ "1/2/3/4/5/6/deep.p4": "d" });
  });

  it("are at most 500, and 16 MiB together", () => {
    const many = (count: number) =>
      Object.fromEntries(Array.from({ length: count }, (_, i) => [`f${i}.p4`, ""]));
    expect(Object.keys(readFolder(folderOf(many(500))))).toHaveLength(500);
    expect(() => readFolder(folderOf(many(501)))).toThrow("P46052");
    const large = (count: number) =>
      Object.fromEntries(Array.from({ length: count }, (_, i) => [`f${i}.md`, "x".repeat(2 * 2 ** 20)]));
    expect(Object.keys(readFolder(folderOf(large(8))))).toHaveLength(8);
    expect(() => readFolder(folderOf({ ...large(8), "one.md": "x" }))).toThrow("P46052");
  });
});

describe("a file that a page writes", () => {
  it("is written whole, in a folder that is made, and leaves nothing else", () => {
    const root = folderOf({ "a.p4": "old" });
    writeInFolder(root, "a.p4", "new");
    writeInFolder(root, "deep/er/b.md", "text");
    writeInFolder(`${root}/`, "c.md", "slash");
    expect(readFolder(root)).toEqual({ "a.p4": "new", "c.md": "slash", "deep/er/b.md": "text" });
    expect(readdirSync(root).sort()).toEqual(["a.p4", "c.md", "deep"]);
  });

  it.each(["../out.p4", "a/../../out.p4", "..", "a\\b.p4", "a\0b.p4", "up/out.p4", "link.p4"])(
    "is not written outside: %j",
    (path) => {
      const outside = folderOf({ "secret.p4": "secret" });
      const root = join(outside, "lab");
      mkdirSync(root);
      symlinkSync(outside, join(root, "up"));
      symlinkSync(join(outside, "secret.p4"), join(root, "link.p4"));
      expect(() => writeInFolder(root, path, "changed")).toThrow("P46053");
      expect(readFileSync(join(outside, "secret.p4"), "utf8")).toBe("secret");
      expect(existsSync(join(outside, "out.p4"))).toBe(false);
    },
  );

  it("that the system refuses is an error with its reason, and leaves nothing", () => {
    const root = folderOf({ "a/b.md": "x" });
    expect(() => writeInFolder(root, "a", "text")).toThrow(/P46054.*cannot write a/);
    expect(() => writeInFolder(root, "a/b.md/c.md", "text")).toThrow("P46054");
    expect(readdirSync(root)).toEqual(["a"]);
  });
});

describe("an experiment file", () => {
  const fileOf = (value: object) => join(folderOf({ "e.yaml": JSON.stringify(value) }), "e.yaml");
  const NETWORK = { kind: "leaf_spine", tors: 2, leaves: 1, homing: "single", hosts_per_rack: 1 };
  const LINKS = { host_link: { rate: "1Gbps", delay: "5us" }, fabric_link: { rate: "2Gbps", delay: "7us" } };

  it("with a topology alone has a network without programs and schemes", async () => {
    const {
      project,
      folder: none,
      scheme,
    } = await readLabProject(fileOf({ topology: { ...NETWORK, ...LINKS } }));
    expect([none, scheme, project.scheme]).toEqual([undefined, undefined, undefined]);
    expect(project.files).toEqual({});
    if (project.open.kind !== "plan") throw new Error("no plan");
    const { hosts, switches, links } = project.open.plan;
    expect(switches).toEqual([
      { name: "tor0-0", tier: 1 },
      { name: "tor0-1", tier: 1 },
      { name: "leaf0-0", tier: 2 },
    ]);
    expect(hosts.map(({ name }) => name)).toEqual(["host0-0-0", "host0-1-0"]);
    for (const host of hosts) {
      expect(host.mac).toMatch(/^([0-9a-f]{2}:){5}[0-9a-f]{2}$/);
      expect(host.ipv4).toMatch(/^\d+\.\d+\.\d+\.\d+$/);
      expect(host.ipv6).toContain(":");
      expect(host.prefixLength).toBe(32);
      expect(host.commands).toEqual(["ip route add default via 169.254.0.1 dev eth0"]);
      expect(host.gateways).toHaveLength(1);
    }
    expect(hosts[0]!.gateways).not.toEqual(hosts[1]!.gateways);
    expect(
      links.map(({ a, b, rateBps, delayNs }) => [[a.node, b.node].sort().join(), rateBps, delayNs]).sort(),
    ).toEqual([
      ["host0-0-0,tor0-0", 1e9, 5000],
      ["host0-1-0,tor0-1", 1e9, 5000],
      ["leaf0-0,tor0-0", 2e9, 7000],
      ["leaf0-0,tor0-1", 2e9, 7000],
    ]);
  });

  it("without tiers has switches without tiers", async () => {
    const graph = {
      kind: "graph",
      nodes: [
        { name: "h", role: "host" },
        { name: "g", role: "host" },
        { name: "x", role: "switch" },
      ],
      links: [
        { a: "h", b: "x" },
        { a: "g", b: "x" },
      ],
    };
    const { project } = await readLabProject(fileOf({ topology: graph }));
    if (project.open.kind !== "plan") throw new Error("no plan");
    expect(project.open.plan.switches).toEqual([{ name: "x" }]);
  });

  it("may have 200 nodes and no more", async () => {
    const hosts = (count: number) => ({ ...NETWORK, tors: 1, leaves: 1, hosts_per_rack: count });
    const { project } = await readLabProject(fileOf({ topology: hosts(198) }));
    if (project.open.kind !== "plan") throw new Error("no plan");
    expect(project.open.plan.hosts).toHaveLength(198);
    await expect(readLabProject(fileOf({ topology: hosts(199) }))).rejects.toThrow("P46056");
  });

  describe("says what its scheme does beside programs and entries", () => {
    const GRAPH = {
      kind: "graph",
      nodes: ["h", "g", "x"].map((name) => ({ name, role: name === "x" ? "switch" : "host" })),
    };
    const links = (more: object) => [
      { a: "h", b: "x" },
      { a: "g", b: "x", ...more },
    ];
    const factsOf = async (value: object, scheme?: string) =>
      (await readLabProject(fileOf(value), scheme === undefined ? {} : { scheme })).project.scheme;
    const none = { label: "ecmp", controllers: [], hostPolicy: false, settings: false, leftOut: [] };

    it.each([
      [{ topology: { ...GRAPH, links: links({}) }, schemes: ["ecmp"], name: "x", title: "y" }, none],
      [{ topology: { ...GRAPH, links: links({ queue_packets: 5 }) } }, { ...none, settings: true }],
      [{ topology: { ...GRAPH, links: links({ rate_pps: 5 }) } }, { ...none, settings: true }],
      [
        { topology: NETWORK, schemes: ["prr"] },
        { ...none, label: "prr", hostPolicy: true },
      ],
      [
        { topology: NETWORK, schemes: ["hula"] },
        { ...none, label: "hula", settings: true },
      ],
      [
        { topology: NETWORK, schemes: ["repac"] },
        { ...none, label: "repac", controllers: ["buckets"], hostPolicy: true },
      ],
      [
        { topology: NETWORK, traffic: { ip: 4 }, drain: "1s" },
        {
          ...none,
          leftOut: [
            'A lab does not use the keys "traffic", "drain" of the file: start flows and break links yourself.',
          ],
        },
      ],
      [
        { topology: NETWORK, queues: { packets: 9, pfc: { xoff: "60KB" } } },
        { ...none, leftOut: [expect.stringMatching(/no priority flow control \(queues\.pfc\)/)] },
      ],
    ])("%j", async (file, facts) => {
      expect(await factsOf({ schemes: ["ecmp"], ...file })).toEqual(facts);
    });

    it("of the scheme that is named, or of the first", async () => {
      const file = { topology: NETWORK, schemes: ["ecmp", "prr"] };
      expect(await factsOf(file, "prr")).toMatchObject({ label: "prr" });
      expect(await factsOf(file)).toMatchObject({ label: "ecmp" });
      await expect(factsOf(file, "hula")).rejects.toThrow(/P46057.*has no scheme hula/);
      await expect(factsOf({ topology: NETWORK }, "hula")).rejects.toThrow("P46057");
    });
  });

  it("names the program and the entries of each switch", async () => {
    const { project } = await readLabProject(fileOf({ topology: NETWORK, schemes: ["ecmp"] }));
    if (project.open.kind !== "plan") throw new Error("no plan");
    expect(project.open.plan.switches).toEqual([
      { name: "tor0-0", program: "tor.p4", commands: "entries/node-0.txt", tier: 1 },
      { name: "tor0-1", program: "tor.p4", commands: "entries/node-1.txt", tier: 1 },
      { name: "leaf0-0", program: "leaf.p4", commands: "entries/node-2.txt", tier: 2 },
    ]);
    expect(Object.keys(project.files)).toEqual([
      ...["tor.p4", "leaf.p4"],
      ...[0, 1, 2].map((node) => `entries/node-${node}.txt`),
    ]);
    expect(project.files["entries/node-0.txt"]).not.toBe(project.files["entries/node-1.txt"]);
  });

  it("with a scheme has its program and the entries of each switch, and says what else the scheme has", async () => {
    const { project, scheme } = await readLabProject(join(ROOT, "examples/p4te/incast.yaml"), {
      scheme: "p4te",
    });
    if (project.open.kind !== "plan") throw new Error("no plan");
    expect(project.scheme).toMatchObject({ label: "p4te", hostPolicy: true, settings: true });
    expect(project.scheme!.controllers.length).toBeGreaterThan(0);
    expect(project.scheme!.leftOut).toEqual([
      expect.stringMatching(/^A lab does not use the keys "traffic", "drain", "sizes".* of the file/),
      expect.stringContaining("IPv6"),
    ]);
    expect(scheme).toBeDefined();
    for (const { name, program, commands } of project.open.plan.switches) {
      expect(project.files[program!], name).toContain("V1Switch");
      if (commands !== undefined) expect(project.files[commands]!).toMatch(/^(insert|default|write) .*\n$/s);
    }
    expect(project.open.plan.switches.some(({ commands }) => commands !== undefined)).toBe(true);
    const simple = await readLabProject(join(ROOT, "examples/compare/incast.yaml"));
    expect(simple.project.scheme).toMatchObject({ controllers: [] });
  });
});

describe("a project on disk", () => {
  const program = "header x {";
  it("is told by the end of its name", async () => {
    for (const name of ["a.p4x", "a.yamlx", "a.json.txt", "a_p4", "ap4"]) {
      const root = folderOf({ [name]: program });
      await expect(readLabProject(join(root, name)), name).rejects.toThrow("P46051");
    }
    const root = folderOf({ "a.json": "{}", "e.yml": "topology: 3" });
    expect((await readLabProject(join(root, "a.json"))).project.open).toEqual({
      ...{ kind: "program", path: "a.json" },
    });
    await expect(readLabProject(join(root, "e.yml"))).rejects.toThrow(/P4300/);
  });

  it("of a program is its folder, without solutions and hidden tests", async () => {
    const root = folderOf({ "a.p4": program, "solution/a.p4": "s", "hidden/tests.yaml": "h" });
    expect(await readLabProject(join(root, "a.p4"))).toEqual({
      folder: root,
      project: { title: "a.p4", files: { "a.p4": program }, open: { kind: "program", path: "a.p4" } },
    });
  });

  it("of a folder has the program that is named, also from the solutions", async () => {
    const root = folderOf({
      "a.p4": program,
      "solution/a.p4": "s",
      "solution/b.p4": "t",
      "topology.json": "{}",
    });
    const options = { program: join(root, "solution/a.p4") };
    const { project } = await readLabProject(root, options);
    expect(project.files).toEqual({ "a.p4": program, "solution/a.p4": "s", "topology.json": "{}" });
    expect(project.open).toEqual({ kind: "exercise", program: "solution/a.p4" });
    expect((await readLabProject(root)).project.open).toEqual({ kind: "exercise" });
  });

  it("of a topology file is the folder of the program: its own, the one above, or its own if neither has one", async () => {
    const own = folderOf({ "topology.json": "{}", "a.p4": "" });
    const above = folderOf({ "pod/topology.json": "{}", Makefile: "" });
    const none = folderOf({ "pod/topology.json": "{}", "x/a.p4": "" });
    const open = async (path: string) => {
      const { folder: found, project } = await readLabProject(path);
      return [found, project.open];
    };
    expect(await open(join(own, "topology.json"))).toEqual([
      own,
      { kind: "exercise", topology: "topology.json" },
    ]);
    expect(await open(join(above, "pod/topology.json"))).toEqual([
      above,
      { kind: "exercise", topology: "pod/topology.json" },
    ]);
    expect(await open(join(none, "pod/topology.json"))).toEqual([
      join(none, "pod"),
      { kind: "exercise", topology: "topology.json" },
    ]);
  });
});
