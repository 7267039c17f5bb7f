/** Labs over a folder of this machine: what a page saves is written there, and what other programs write is used. */
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll, describe, expect, it, onTestFinished } from "vitest";
import { type LabEvent, labRequestSchema } from "../../../src/course/lab/index.js";
import { watchFolder } from "../../../src/course/lab-server/folder.js";
import { openSimulatedLab, openTestbedLab } from "../../../src/course/lab-server/open-lab.js";
import { pageFiles, pageFolder } from "../../../src/course/lab-server/page-files.js";
import type { ProjectOnDisk } from "../../../src/course/lab-server/read-project.js";
import { folderProject } from "../lab/wall.js";

const folder = mkdtempSync(join(tmpdir(), "p4loom-open-lab-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
let made = 0;
function newFolder(files: Readonly<Record<string, string>> = {}): string {
  const root = join(folder, `f${made++}`);
  mkdirSync(root);
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
  }
  return root;
}

const RING = folderProject("examples/exercise");
const EXERCISE = { ...RING.files, "notes.md": "old" };

function onDisk(root: string | undefined, scheme?: ProjectOnDisk["scheme"]): ProjectOnDisk {
  const project = { ...RING, files: EXERCISE };
  return { project, ...(root === undefined ? {} : { folder: root }), ...(scheme ? { scheme } : {}) };
}

async function opened(disk: ProjectOnDisk) {
  const lab = await openSimulatedLab(disk, 1);
  onTestFinished(() => lab.close());
  const events: LabEvent[] = [];
  lab.service.subscribe((event) => events.push(event));
  const ask = async (request: object) => {
    const reply = await lab.service.apply(labRequestSchema.parse(request));
    return reply as unknown as {
      ok: boolean;
      value: Record<string, unknown>;
      diagnostics: { code: string }[];
    };
  };
  return { lab, events, ask };
}
const poll = <T>(fn: () => T) => expect.poll(fn, { interval: 5, timeout: 20_000 });

describe("a lab over a folder", () => {
  it("writes what a page saves into it, and only there", async () => {
    const root = newFolder(EXERCISE);
    const { ask } = await opened(onDisk(root));
    expect(await ask({ op: "files.save", path: "notes.md", text: "new" })).toMatchObject({ ok: true });
    expect(readFileSync(join(root, "notes.md"), "utf8")).toBe("new");
  });

  it("uses what another program writes, and tells the pages", async () => {
    const root = newFolder(EXERCISE);
    const { ask, events } = await opened(onDisk(root));
    writeFileSync(join(root, "notes.md"), "by an editor");
    await poll(() => events.filter(({ kind }) => kind === "file")).toMatchObject([{ path: "notes.md" }]);
    const { value } = await ask({ op: "files.read", path: "notes.md" });
    expect(value).toMatchObject({ text: "by an editor" });
  });

  it("without a folder, from an experiment file, writes nothing", async () => {
    const { ask } = await opened(onDisk(undefined));
    expect(await ask({ op: "files.save", path: "notes.md", text: "new" })).toMatchObject({ ok: true });
    expect(existsSync("notes.md")).toBe(false);
  });

  it("runs in real time, with tests of the exercise where it has some", async () => {
    const { ask } = await opened(onDisk(newFolder(EXERCISE)));
    expect((await ask({ op: "describe" })).value).toMatchObject({ can: { tests: false, clock: true } });
    await ask({ op: "clock.set", running: true, speed: 1000 });
    const now = async () => ((await ask({ op: "describe" })).value["clock"] as { now: number }).now;
    await expect.poll(now, { interval: 5, timeout: 20_000 }).toBeGreaterThan(1e6);
  });

  it("configures its switches as a scheme does where the project has one", async () => {
    const configured: string[] = [];
    const scheme = {
      ...{ queues: { packets: 5, bytes: 1e6 }, turn: async () => {}, control: () => undefined },
      codec: { headersOf: () => ({}), selectorOf: () => 0 },
      policy: () => ({ open: () => ({}), nic: () => 0 }),
      configure: async (name: string) => void configured.push(name),
      complete: async () => {},
    } as unknown as NonNullable<ProjectOnDisk["scheme"]>;
    await opened(onDisk(undefined, scheme));
    expect(configured).toEqual(["s1", "s2", "s3"]);
  });
});

describe("a folder that is watched", () => {
  it("tells each text that changed or came, once, after it has been quiet", async () => {
    const root = newFolder({ "a.p4": "1", "b.p4": "1" });
    const told: string[] = [];
    const stop = watchFolder(root, (path, text) => told.push(`${path} ${text}`));
    onTestFinished(stop);
    writeFileSync(join(root, "a.p4"), "2");
    writeFileSync(join(root, "a.p4"), "3");
    writeFileSync(join(root, "c.p4"), "1");
    await poll(() => told.length).toBe(2);
    expect(told).toEqual(["a.p4 3", "c.p4 1"]);
    writeFileSync(join(root, "a.p4"), "4");
    await poll(() => told.length).toBe(3);
    expect(told[2]).toBe("a.p4 4");
  });

  it("tells nothing after its end, also of a change that was waiting", async () => {
    const root = newFolder({ "a.p4": "1" });
    const told: string[] = [];
    const stop = watchFolder(root, (path) => told.push(path));
    writeFileSync(join(root, "a.p4"), "2");
    await new Promise((resolve) => setTimeout(resolve, 30));
    stop();
    writeFileSync(join(root, "a.p4"), "3");
    await new Promise((resolve) => setTimeout(resolve, 250));
    expect(told).toEqual([]);
  });

  it("that grows above the limits is left alone, and read again when it is small enough", async () => {
    const root = newFolder({ "a.p4": "1" });
    const told: string[] = [];
    onTestFinished(watchFolder(root, (path, text) => told.push(`${path} ${text}`)));
    for (let i = 0; i < 9; i++) writeFileSync(join(root, `big${i}.md`), "x".repeat(2 * 2 ** 20));
    await new Promise((resolve) => setTimeout(resolve, 250));
    for (let i = 0; i < 9; i++) rmSync(join(root, `big${i}.md`));
    writeFileSync(join(root, "a.p4"), "2");
    await poll(() => told).toEqual(["a.p4 2"]);
  });
});

describe("a lab on real switches", () => {
  it("that cannot begin fails with the errors of its network, and leaves no logs", async () => {
    const place = newFolder();
    const before = process.env["TMPDIR"];
    process.env["TMPDIR"] = place;
    onTestFinished(() => {
      if (before === undefined) delete process.env["TMPDIR"];
      else process.env["TMPDIR"] = before;
    });
    const project = { title: "t", files: { "topology.json": "{" }, open: { kind: "exercise" as const } };
    const log = () => {};
    const stop = new AbortController().signal;
    await expect(openTestbedLab({ project }, { log, stop })).rejects.toThrow(/P4/);
    expect(readdirSync(place)).toEqual([]);
  });
});

describe("the files of the page", () => {
  it("are those of its folder, by their names, with their types", () => {
    const file = pageFiles(new Map());
    const root = pageFolder();
    expect(file("index.html")).toEqual({
      ...{ type: "text/html; charset=utf-8", bytes: readFileSync(join(root, "index.html")) },
    });
    const script = readdirSync(root).find((name) => name.endsWith(".js"))!;
    expect(file(script)!.type).toBe("text/javascript; charset=utf-8");
    expect(file(script)).toBe(file(script));
  });

  it("are no others: none outside, and none of another type", () => {
    const file = pageFiles(new Map());
    const unknown = readdirSync(pageFolder()).filter((name) => !name.includes("."));
    for (const name of ["", "none.js", "../index.js", "./index.html", "../lab-page/index.html", ...unknown])
      expect(file(name), name).toBeUndefined();
  });
});
