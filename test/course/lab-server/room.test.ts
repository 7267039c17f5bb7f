/** A room of students: who has which lab, what the teacher sees, what is kept, and that a session that fails ends alone. */
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { DiagnosticError } from "../../../src/base/index.js";
import { openRoom } from "../../../src/course/lab-server/index.js";
import { Progress } from "../../../src/course/lab-server/room/progress.js";
import { Seat } from "../../../src/course/lab-server/room/seat.js";
import { COMMAND } from "../../built-command.js";
import { type StartedRoom, StudentPage, startRoom } from "./room-client.js";

const EXERCISE = resolve(import.meta.dirname, "../../../examples/course/01-forwarding");
const FILE = "forwarding.p4";
const SOLUTION = readFileSync(join(EXERCISE, "solution", FILE), "utf8");

const poll = <T>(fn: () => T) => expect.poll(fn, { interval: 50, timeout: 60_000 });
const above = mkdtempSync(join(tmpdir(), "p4loom-rooms-"));
afterAll(() => rmSync(above, { recursive: true, force: true }));

describe("a room", () => {
  const folder = join(above, "room");
  let room: StartedRoom;
  const page = (name: string) => StudentPage.open(room.addresses.get(name)!);
  beforeAll(async () => {
    mkdirSync(folder);
    room = await startRoom(EXERCISE, { students: ["anna", "ben"], folder });
  });
  afterAll(() => room?.stop());

  it("gives each student a lab with files of their own, and shows the teacher which tests pass", async () => {
    const [anna, ben] = [await page("anna"), await page("ben")];
    expect((await anna.ask({ op: "files.save", path: FILE, text: SOLUTION })).ok).toBe(true);
    for (const student of [anna, ben]) expect((await student.ask({ op: "exercise.test" })).ok).toBe(true);
    const read = await ben.ask({ op: "files.read", path: FILE });
    expect(read.ok && read.value.text).toBe(readFileSync(join(EXERCISE, FILE), "utf8"));
    expect(readFileSync(join(folder, "work/anna", FILE), "utf8")).toBe(SOLUTION);
    await poll(async () => (await room.status()).students.map(({ points }) => points)).toEqual([
      7,
      expect.any(Number),
    ]);
    const { title, tests, students } = await room.status();
    expect(title).toBe("Forwarding");
    expect(students[0]!.results).toEqual(tests.map(() => "passed"));
    expect(students[1]!.results).toContain("failed");
    expect(students[0]).toMatchObject({ name: "anna", state: "here", pages: 1 });
    expect(students[0]!.bytes).toBeGreaterThan(2 ** 20);
    anna.close();
    ben.close();
  });

  it("keeps the teacher's files from students: tests, topology, and any other file", async () => {
    const anna = await page("anna");
    for (const path of ["exercise.yaml", "topology.json", "more.p4", "solution/forwarding.p4"]) {
      const reply = await anna.ask({ op: "files.save", path, text: "x" });
      expect(reply.ok, path).toBe(false);
    }
    expect(readdirSync(join(folder, "work/anna"))).toEqual([FILE]);
    const list = await anna.ask({ op: "files.list" });
    expect(list.ok && list.value.files.some(({ path }) => path.includes("solution"))).toBe(false);
    anna.close();
  });

  it("opens nothing without a token, nor with that of another kind", async () => {
    const teacher = new URL(room.teacher);
    const student = new URL(room.addresses.get("anna")!);
    const statusOf = async (path: string) => (await fetch(new URL(path, student))).status;
    expect(await statusOf("room.json")).toBe(403);
    expect(await statusOf(`room.json${student.search}`)).toBe(403);
    expect(await statusOf(`room.html${student.search}`)).toBe(403);
    expect(await statusOf(`/${teacher.search}`)).toBe(403);
    expect(await statusOf(`/${student.search}`)).toBe(200);
    expect(await statusOf(`room.html${teacher.search}`)).toBe(200);
    await expect(StudentPage.open(room.teacher)).rejects.toThrow(/403/);
    await expect(StudentPage.open(student.href.slice(0, -1))).rejects.toThrow(/403/);
  });

  it("lets a student open four pages, and no more", async () => {
    const pages = await Promise.all([1, 2, 3, 4].map(() => page("ben")));
    await expect(page("ben")).rejects.toThrow(/403/);
    for (const one of pages) one.close();
    await Promise.all(pages.map(({ closed }) => closed));
  });

  it("has secrets that only its user reads, and keeps them, the files and the results for the next start", async () => {
    expect(statSync(join(folder, "tokens.csv")).mode & 0o077).toBe(0);
    expect(statSync(join(folder, "addresses.csv")).mode & 0o077).toBe(0);
    const before = room.addresses.get("anna")!;
    await room.stop();
    room = await startRoom(EXERCISE, { students: ["anna", "ben", "carla"], folder });
    expect(new URL(room.addresses.get("anna")!).search).toBe(new URL(before).search);
    const [anna, , carla] = (await room.status()).students;
    expect(anna).toMatchObject({ points: 7, state: "away" });
    expect(carla).toMatchObject({ points: 0 });
    const again = await page("anna");
    const read = await again.ask({ op: "files.read", path: FILE });
    expect(read.ok && read.value.text).toBe(SOLUTION);
    again.close();
  });
});

describe("a session", () => {
  vi.stubEnv("P4LOOM_COMMAND", COMMAND);
  const seatOf = (name: string, limits: Partial<{ memoryMb: number; idleMs: number; hangMs: number }>) =>
    new Seat({
      ...{ memoryMb: 384, idleMs: 60_000, ...limits },
      ...{ exercise: EXERCISE, folder: join(above, name), seed: 1, tested: () => {} },
    });
  /** A page, with what it has received. */
  function pageOf(seat: Seat) {
    const texts: string[] = [];
    const closed: string[] = [];
    const source = seat.join({
      send: (text) => void texts.push(text),
      close: (_, reason) => void closed.push(reason),
    });
    source.receive(JSON.stringify({ id: 1, request: { op: "files.list" } }));
    return { source, texts, closed, answered: () => texts.some((text) => text.includes('"id":1')) };
  }

  it("is put away when no page is open for a while, and comes back with its files", async () => {
    const seat = seatOf("idle", { idleMs: 300 });
    const page = pageOf(seat);
    await poll(page.answered).toBe(true);
    page.source.leave();
    await poll(() => seat.state.state).toBe("away");
    expect(seat.state.ended).toBeUndefined();
    writeFileSync(join(above, "idle", FILE), SOLUTION);
    const next = pageOf(seat);
    next.source.receive(JSON.stringify({ id: 2, request: { op: "files.read", path: FILE } }));
    await poll(() => next.texts.some((text) => text.includes("Solution of exercise 1"))).toBe(true);
    seat.close();
    expect(next.closed).toEqual(["the session was put away"]);
  });

  it("ends when a page sends more than it takes, and takes nothing after that", async () => {
    const seat = seatOf("flood", {});
    const page = pageOf(seat);
    const text = JSON.stringify({ id: 3, request: { op: "files.read", path: "x".repeat(4 * 2 ** 20) } });
    for (let i = 0; i < 5; i++) page.source.receive(text);
    expect(page.closed).toEqual([expect.stringMatching(/sent more than the session takes/)]);
    for (let i = 0; i < 5; i++) page.source.receive(text);
    expect(seat.state.state).toBe("away");
  });

  it("that takes too much memory is ended, and its pages are told why", async () => {
    const seat = seatOf("memory", { memoryMb: 60 });
    const other = seatOf("other", {});
    const [page, beside] = [pageOf(seat), pageOf(other)];
    await poll(() => page.closed.length).toBe(1);
    expect(page.closed[0]).toMatch(/memory, and was ended|has ended/);
    expect(seat.state).toMatchObject({ state: "away", ended: page.closed[0] });
    await poll(beside.answered).toBe(true);
    expect(beside.closed).toEqual([]);
    other.close();
  });

  it.skipIf(!existsSync("/proc/self/task"))("that hangs is ended", async () => {
    const seat = seatOf("hangs", { hangMs: 20_000 });
    const page = pageOf(seat);
    await poll(page.answered).toBe(true);
    const tasks = readdirSync("/proc/self/task");
    const children = tasks.flatMap((task) =>
      readFileSync(`/proc/self/task/${task}/children`, "utf8").trim().split(" "),
    );
    const pid = children.find(
      (one) => one !== "" && readFileSync(`/proc/${one}/cmdline`, "utf8").includes("\0seat\0"),
    );
    process.kill(Number(pid), "SIGSTOP");
    await poll(() => page.closed).toEqual([
      "the session did not answer any more, and was ended; open the page again",
    ]);
    await poll(
      () => existsSync(`/proc/${pid}/cmdline`) && readFileSync(`/proc/${pid}/cmdline`, "utf8") !== "",
    ).toBe(false);
  });
});

describe("a folder of a room", () => {
  async function failureOf(files: Record<string, string>, exercise = EXERCISE): Promise<string> {
    const folder = mkdtempSync(join(above, "wrong-"));
    for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
    try {
      (await openRoom({ exercise, folder, seed: 1, log: () => {}, memoryMb: 384, idleMs: 1000 })).close();
      return "";
    } catch (error) {
      if (!(error instanceof DiagnosticError)) throw error;
      const [{ code, message, span } = error.diagnostics[0]!] = error.diagnostics;
      return `${span?.file.position(span.start).line ?? ""} ${code} ${message}`;
    }
  }
  const TOKEN = "abcdefghijklmnop";

  it.each([
    [{}, /P46070 there is no file/],
    [{ "students.txt": "\n# nobody\n" }, /P46070 .*has 0 names/],
    [{ "students.txt": "anna\n../ben\n" }, /^2 P46070 "\.\.\/ben"/],
    [{ "students.txt": "anna\nAnna\n" }, /^2 P46070 .*twice/],
    [{ "students.txt": "teacher\n" }, /^1 P46070 .*teacher's page/],
    [{ "students.txt": Array.from({ length: 101 }, (_, i) => `s${i}\n`).join("") }, /P46070 .*has 101 names/],
    [{ "students.txt": "anna\n", "tokens.csv": "name,token\nanna,short\n" }, /^2 P46071/],
    [{ "students.txt": "anna\n", "tokens.csv": `anna,${TOKEN}\nben,${TOKEN}\n` }, /^2 P46071 .*twice/],
  ])("is refused: %j", async (files, message) => {
    expect(await failureOf(files)).toMatch(message);
  });

  it("is refused within the folder of the exercise, whose files every student reads", async () => {
    const exercise = mkdtempSync(join(above, "exercise-"));
    cpSync(EXERCISE, exercise, { recursive: true });
    const room = join(exercise, "room");
    mkdirSync(room);
    writeFileSync(join(room, "students.txt"), "anna\n");
    const open = (folder: string) =>
      openRoom({ exercise, folder, seed: 1, log: () => {}, memoryMb: 384, idleMs: 1000 });
    await expect(open(room)).rejects.toThrow(/is within the folder of the exercise/);
    await expect(open(exercise)).rejects.toThrow(/is within the folder of the exercise/);
  });

  it("keeps the secret of a student who is left out for a while", async () => {
    const folder = mkdtempSync(join(above, "left-out-"));
    const start = async (names: string) => {
      writeFileSync(join(folder, "students.txt"), names);
      const room = await openRoom({
        ...{ exercise: EXERCISE, folder, seed: 1, log: () => {}, memoryMb: 384, idleMs: 1000 },
      });
      room.close();
      return room.places.find(({ name }) => name === "ben")?.token;
    };
    const before = await start("anna\nben\n");
    expect(await start("anna\n")).toBeUndefined();
    expect(await start("anna\nben\n")).toBe(before);
  });

  it("goes on where results cannot be written, and says so once", () => {
    const folder = mkdtempSync(join(above, "full-"));
    const told: string[] = [];
    const progress = new Progress(
      folder,
      () => new Date(0),
      (reason) => told.push(reason),
    );
    // What a process that was ended left behind.
    writeFileSync(join(folder, ".progress.json.p4loom"), "");
    progress.add("anna", "a test", { points: 1, passed: true });
    progress.write();
    expect(JSON.parse(readFileSync(join(folder, "progress.json"), "utf8")).anna).toBeDefined();
    rmSync(join(folder, "progress.json"));
    mkdirSync(join(folder, "progress.json"));
    progress.write();
    progress.write();
    expect(told).toEqual([expect.stringMatching(/cannot write progress\.json/)]);
  });

  it("needs an exercise with tests, and takes the teacher's own tokens", async () => {
    const students = { "students.txt": "anna\n" };
    expect(await failureOf(students, join(EXERCISE, FILE))).toMatch(/P46072/);
    expect(await failureOf({ ...students, "tokens.csv": `anna,${TOKEN}\n` })).toBe("");
  });
});
