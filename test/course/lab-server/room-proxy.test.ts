/** A room behind nginx, at a path, with the configuration of docs/lab.md: its pages, their files, and the messages of students. */
import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import type { AddressInfo } from "node:net";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type StartedRoom, StudentPage, startRoom } from "./room-client.js";

const NGINX = ["/usr/sbin/nginx", "/usr/bin/nginx"].find((path) => {
  try {
    execFileSync(path, ["-v"], { stdio: "ignore" });
    return true;
  } catch {
    return false;
  }
});
const WITHOUT = NGINX === undefined ? " (skipped: no nginx)" : "";
const EXERCISE = resolve(import.meta.dirname, "../../../examples/course/01-forwarding");
const PAGE = resolve(import.meta.dirname, "../../../docs/lab.md");

const freePort = () =>
  new Promise<number>((resolve) => {
    const server = createServer().listen(0, "127.0.0.1", () => {
      const { port } = server.address() as AddressInfo;
      server.close(() => resolve(port));
    });
  });

/** The block of the page, with the ports of this test. */
function locationOf(port: number): string {
  const found = /^ {4}location \/p4\/ \{\n(?: {4}.*\n)*? {4}\}/m.exec(readFileSync(PAGE, "utf8"));
  return found![0].replace("127.0.0.1:8765", `127.0.0.1:${port}`);
}

describe.skipIf(NGINX === undefined)(`a room behind nginx${WITHOUT}`, () => {
  const folder = mkdtempSync(join(tmpdir(), "p4loom-nginx-"));
  let proxy: ChildProcess;
  let room: StartedRoom;
  let base: string;

  beforeAll(async () => {
    const [outer, inner] = [await freePort(), await freePort()];
    base = `http://127.0.0.1:${outer}/p4/`;
    room = await startRoom(EXERCISE, {
      students: ["anna"],
      words: ["--port", String(inner), "--address", base],
    });
    const temporary = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"]
      .map((name) => `${name}_temp_path ${folder}/${name};`)
      .join("\n");
    writeFileSync(
      join(folder, "nginx.conf"),
      `daemon off; pid ${folder}/pid; error_log ${folder}/errors; worker_processes 1;
events {}
http { access_log off; ${temporary}
server { listen 127.0.0.1:${outer};
${locationOf(inner)}
} }`,
    );
    proxy = spawn(NGINX!, ["-p", folder, "-c", join(folder, "nginx.conf")], { stdio: "ignore" });
    while (
      (await fetch(base).then(
        ({ status }) => status,
        () => 0,
      )) !== 403
    )
      await new Promise((wait) => setTimeout(wait, 50));
  });
  afterAll(async () => {
    proxy?.kill("SIGTERM");
    await room?.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  it("has its address in the list and in what the command prints", () => {
    expect(room.teacher.startsWith(`${base}room.html?token=`)).toBe(true);
    expect(room.addresses.get("anna")!.startsWith(`${base}?token=`)).toBe(true);
  });

  it("gives its pages and their files below the path", async () => {
    const student = room.addresses.get("anna")!;
    for (const address of [student, room.teacher]) {
      const html = await (await fetch(address)).text();
      for (const [, name] of html.matchAll(/(?:src|href)="([\w.-]+)"/g))
        expect((await fetch(new URL(name!, address))).status, name).toBe(200);
    }
    expect((await room.status()).students).toHaveLength(1);
    expect((await fetch(new URL("languages.json", student))).status).toBe(200);
  });

  it("carries the messages of a student's page, and none of a page of another site", async () => {
    const address = room.addresses.get("anna")!;
    const { origin } = new URL(base);
    const anna = await StudentPage.open(address, { origin });
    const reply = await anna.ask({ op: "exercise.test" });
    expect(reply.ok && reply.value.results.length).toBeGreaterThan(3);
    anna.close();
    await expect(StudentPage.open(address, { origin: "https://evil.example" })).rejects.toThrow(/403/);
  });
});
