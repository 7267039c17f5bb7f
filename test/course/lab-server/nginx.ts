/** Debian's nginx before a room, with the block of docs/lab.md. */
import { execFileSync, spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import type { AddressInfo } from "node:net";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { type StartedRoom, startRoom } from "./room-client.js";

/** Path of the nginx of this machine. */
export const NGINX: string | undefined = ["/usr/sbin/nginx", "/usr/bin/nginx"].find((path) => {
  try {
    execFileSync(path, ["-v"], { stdio: "ignore" });
    return true;
  } catch {
    return false;
  }
});

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

export interface ProxiedRoom {
  readonly room: StartedRoom;
  /** The address of the room in nginx, which ends with its path. */
  readonly base: string;
  stop(): Promise<void>;
}

/** Starts a room, and nginx before it. Resolves when nginx answers for the room. */
export async function startRoomBehindNginx(
  exercise: string,
  students: readonly string[],
): Promise<ProxiedRoom> {
  const folder = mkdtempSync(join(tmpdir(), "p4loom-nginx-"));
  const [outer, inner] = [await freePort(), await freePort()];
  const base = `http://127.0.0.1:${outer}/p4/`;
  const room = await startRoom(exercise, { students, words: ["--port", String(inner), "--address", base] });
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
  const proxy = spawn(NGINX!, ["-p", folder, "-c", join(folder, "nginx.conf")], { stdio: "ignore" });
  const status = () =>
    fetch(base).then(
      (answer) => answer.status,
      () => 0,
    );
  while ((await status()) !== 403) await new Promise((wait) => setTimeout(wait, 50));
  return {
    ...{ room, base },
    stop: async () => {
      proxy.kill("SIGTERM");
      await room.stop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
