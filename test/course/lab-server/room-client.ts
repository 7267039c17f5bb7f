/** A room as a teacher starts it, and students who talk to it as their pages do. */
import { type ChildProcess, spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { WebSocket } from "ws";
import type { LabMessage, LabReply, LabRequestInput } from "../../../src/course/lab/index.js";
import type { RoomStatus } from "../../../src/course/lab-server/index.js";
import { COMMAND } from "../../built-command.js";

export interface StartedRoom {
  /** The room's folder. */
  readonly folder: string;
  /** The address of the teacher's page. */
  readonly teacher: string;
  /** Addresses of the students, by their names. */
  readonly addresses: ReadonlyMap<string, string>;
  status(): Promise<RoomStatus>;
  stop(): Promise<void>;
}

/** Starts `p4loom lab EXERCISE --room DIR`; `folder`: that of a room that was there before. */
export async function startRoom(
  exercise: string,
  {
    students,
    words = [],
    folder,
  }: { students: readonly string[]; words?: readonly string[]; folder?: string },
): Promise<StartedRoom> {
  const place = folder ?? mkdtempSync(join(tmpdir(), "p4loom-room-"));
  writeFileSync(join(place, "students.txt"), students.map((name) => `${name}\n`).join(""));
  const child = spawn(process.execPath, [COMMAND, "lab", exercise, "--room", place, ...words], {
    stdio: ["ignore", "pipe", "pipe"],
  });
  const ended = new Promise<void>((resolve) => child.once("exit", () => resolve()));
  const teacher = await firstLine(child);
  const rows = readFileSync(join(place, "addresses.csv"), "utf8").trim().split("\n").slice(1);
  const addresses = new Map(rows.map((row) => row.split(",") as [string, string]));
  return {
    folder: place,
    teacher,
    addresses,
    status: async () => {
      const answer = await fetch(teacher.replace("room.html", "room.json"));
      return (await answer.json()) as RoomStatus;
    },
    stop: async () => {
      child.kill("SIGTERM");
      await ended;
      if (folder === undefined) rmSync(place, { recursive: true, force: true });
    },
  };
}

function firstLine(child: ChildProcess): Promise<string> {
  return new Promise((resolve, reject) => {
    let text = "";
    let errors = "";
    child.stderr!.on("data", (chunk: Buffer) => (errors += chunk.toString()));
    child.stdout!.on("data", (chunk: Buffer) => {
      text += chunk.toString();
      const end = text.indexOf("\n");
      if (end >= 0) resolve(text.slice(0, end));
    });
    child.once("exit", (code) => reject(new Error(`p4loom lab has ended with ${code}: ${errors}`)));
  });
}

/** The page of a student: its requests, without anything that is drawn. */
export class StudentPage {
  #numbers = 0;
  readonly #waiting = new Map<number, (reply: LabReply) => void>();
  /** Resolves when the server closes the connection. */
  readonly closed: Promise<{ code: number; reason: string }>;
  events = 0;

  private constructor(readonly socket: WebSocket) {
    socket.on("message", (data) => {
      const message = JSON.parse(String(data)) as LabMessage;
      if ("event" in message) this.events++;
      else this.#waiting.get(message.id)?.(message.reply);
    });
    this.closed = new Promise((resolve) =>
      socket.on("close", (code, reason) => resolve({ code, reason: String(reason) })),
    );
  }

  /** @param headers those that a browser adds, such as `origin` */
  static open(address: string, headers: Record<string, string> = {}): Promise<StudentPage> {
    const url = new URL("socket", address);
    url.search = new URL(address).search;
    url.protocol = url.protocol.replace("http", "ws");
    const socket = new WebSocket(url, { headers });
    return new Promise((resolve, reject) => {
      socket.once("open", () => resolve(new StudentPage(socket)));
      socket.once("error", reject);
    });
  }

  ask<Request extends LabRequestInput>(request: Request): Promise<LabReply<Request["op"]>> {
    const id = ++this.#numbers;
    return new Promise((resolve, reject) => {
      this.#waiting.set(id, resolve as (reply: LabReply) => void);
      void this.closed.then(({ reason }) => reject(new Error(`the connection was closed: ${reason}`)));
      this.socket.send(JSON.stringify({ id, request }));
    });
  }

  close(): void {
    this.socket.close();
  }
}
