/** A room behind nginx, at a path, with the configuration of docs/lab.md: its pages, their files, and the messages of students. */
import { resolve } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { NGINX, type ProxiedRoom, startRoomBehindNginx } from "./nginx.js";
import { type StartedRoom, StudentPage } from "./room-client.js";

const WITHOUT = NGINX === undefined ? " (skipped: no nginx)" : "";
const EXERCISE = resolve(import.meta.dirname, "../../../examples/course/01-forwarding");

describe.skipIf(NGINX === undefined)(`a room behind nginx${WITHOUT}`, () => {
  let proxied: ProxiedRoom;
  let room: StartedRoom;
  let base: string;

  beforeAll(async () => {
    proxied = await startRoomBehindNginx(EXERCISE, ["anna"]);
    ({ room, base } = proxied);
  });
  afterAll(() => proxied?.stop());

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
