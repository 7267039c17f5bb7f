/** `p4loom lab EXERCISE --room DIR`: a lab for each student of a list, and the teacher's page. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { fail } from "../../base/index.js";
import { openRoom, type PublicAddress, servePlaces } from "../../course/lab-server/index.js";
import { CODES } from "../codes.js";
import { EXIT, untilSignal } from "../outcome.js";

interface RoomArguments {
  readonly exercise: string;
  /** The folder of the room. */
  readonly folder: string;
  readonly port: number;
  readonly seed: number;
  readonly memoryMb: number;
  readonly idleMinutes: number;
  /** The address of a reverse proxy, with its path. */
  readonly address: string | undefined;
  page(name: string): { readonly type: string; readonly bytes: Uint8Array } | undefined;
}

/** The addresses of the students, for the teacher to hand out. */
const ADDRESSES = "addresses.csv";

export async function serveRoom({
  exercise,
  folder,
  port,
  page,
  ...options
}: RoomArguments): Promise<number> {
  const { seed, memoryMb, idleMinutes } = options;
  const proxy = options.address === undefined ? undefined : publicAddress(options.address);
  const log = (line: string) => process.stderr.write(`${line}\n`);
  const room = await openRoom({ exercise, folder, seed, log, memoryMb, idleMs: idleMinutes * 60_000 });
  return untilSignal(async (stop) => {
    try {
      const { places } = room;
      const server = await servePlaces({ port, page, places, ...(proxy === undefined ? {} : { proxy }) });
      const base = proxy?.base ?? `http://127.0.0.1:${server.port}/`;
      const students = places.filter(({ name }) => name !== undefined);
      const rows = students.map(({ name, token }) => `${name},${base}?token=${token}\n`);
      const path = join(folder, ADDRESSES);
      writeFileSync(path, `name,address\n${rows.join("")}`, { mode: 0o600 });
      process.stdout.write(`${base}room.html?token=${places[0]?.token ?? ""}\n`);
      const most = ((students.length * memoryMb) / 1024).toFixed(1);
      process.stderr.write(
        `${students.length} students, at most ${memoryMb} MiB each: ${most} GiB; their addresses are in ${path}\nCtrl-C ends the room.\n`,
      );
      if (!stop.aborted)
        await new Promise<void>((resolve) => stop.addEventListener("abort", () => resolve(), { once: true }));
      await server.close();
      stop.throwIfAborted();
      return EXIT.success;
    } finally {
      room.close();
    }
  });
}

function publicAddress(text: string): PublicAddress & { readonly base: string } {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (
    url === undefined ||
    !/^https?:$/.test(url.protocol) ||
    url.search !== "" ||
    url.hash !== "" ||
    url.username !== ""
  )
    return fail(
      CODES.wrongValue,
      undefined,
      `--address ${text}: expected the address of the reverse proxy`,
      "for example https://labs.example.org/p4/",
    );
  const base = url.href.endsWith("/") ? url.href : `${url.href}/`;
  return { origin: url.origin, host: url.host, base };
}
