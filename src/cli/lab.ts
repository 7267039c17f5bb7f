/** `p4loom lab`: a network to see and to touch, in a page on this machine. */

import { spawn } from "node:child_process";
import { Diagnostics, fail, given } from "../base/index.js";
import { checkTranslations, type LabProject } from "../course/lab/index.js";
import {
  languageFiles,
  openSimulatedLab,
  openTestbedLab,
  pageFiles,
  readLabProject,
  serveLab,
} from "../course/lab-server/index.js";
import { CODES } from "./codes.js";
import type { LabArguments } from "./lab/lab-options.js";
import { serveRoom } from "./lab/room.js";
import { writeStaticPage } from "./lab/static-page.js";
import { oneOf } from "./net/dialogue.js";
import { EXIT, printDiagnostics, untilSignal } from "./outcome.js";

const ENGINES = ["sim", "testbed"] as const;

export async function lab(folders: readonly string[], options: LabArguments): Promise<number> {
  const engine = oneOf("--engine", options.engine, ENGINES);
  const port = number("--port", options.port ?? "0", 65_535);
  const seed = number("--seed", options.seed, 2 ** 32 - 1);
  const { program, scheme } = options;
  checkRoomOptions(options, engine);
  const languages = languagesOf(options.language);
  const read = async (folder: string) => {
    const onDisk = await readLabProject(folder, given({ program, scheme }));
    reportTranslations(onDisk.project);
    return onDisk;
  };
  if (options.static !== undefined) {
    const projects = [];
    for (const path of folders) projects.push({ path, project: (await read(path)).project });
    const files = writeStaticPage(options.static, { projects, languages });
    process.stderr.write(`${files} files in ${options.static}: serve them with any web server\n`);
    return EXIT.success;
  }
  const [folder = "."] = folders;
  if (folders.length > 1)
    fail(
      CODES.wrongValue,
      undefined,
      "p4loom lab shows one network at a time",
      "give one folder, or --static DIR",
    );
  const page = pageFiles(languages);
  if (options.room !== undefined) {
    await read(folder);
    return serveRoom({
      ...{ exercise: folder, folder: options.room, port, seed, page, address: options.address },
      memoryMb: number("--memory", options.memory, 65_536, LEAST_MEMORY_MB),
      idleMinutes: number("--idle", options.idle, MOST_IDLE_MINUTES),
    });
  }
  const onDisk = await read(folder);
  const log = (line: string): void => void process.stderr.write(`${line}\n`);
  return untilSignal(async (stop) => {
    const opened =
      engine === "sim" ? await openSimulatedLab(onDisk, seed) : await openTestbedLab(onDisk, { log, stop });
    try {
      const server = await serveLab({ service: opened.service, port, page });
      process.stdout.write(`${server.url}\n`);
      log("Ctrl-C ends the lab.");
      if (options.open) openBrowser(server.url);
      if (!stop.aborted)
        await new Promise<void>((resolve) => stop.addEventListener("abort", () => resolve(), { once: true }));
      await server.close();
      stop.throwIfAborted();
      return EXIT.success;
    } finally {
      await opened.close();
    }
  });
}

/** A room has one exercise in the simulator, and its options mean nothing elsewhere. */
function checkRoomOptions(
  { room, address, ...others }: LabArguments,
  engine: (typeof ENGINES)[number],
): void {
  const refuse = (option: string, why: string) =>
    fail(CODES.wrongValue, undefined, `${option} ${why}`, "p4loom lab EXERCISE --room DIR [--address URL]");
  if (room === undefined) {
    if (address !== undefined)
      refuse(`--address ${address}`, "is the address of a room: it goes with --room");
    return;
  }
  if (engine !== "sim")
    refuse(`--engine ${engine}`, "is not for a room, whose sessions run in the simulator");
  for (const name of ["static", "program", "scheme"] as const)
    if (others[name] !== undefined) refuse(`--${name} ${others[name]}`, "and --room exclude each other");
}

/** The languages of the page; what the user's files lack is reported. */
function languagesOf(own: readonly string[]): ReadonlyMap<string, Buffer> {
  const diagnostics = new Diagnostics();
  const files = languageFiles(own, diagnostics);
  printDiagnostics(diagnostics.list);
  return files;
}

/** Reports what is wrong with the translations of an exercise; a wrong one is not shown. */
function reportTranslations({ files }: LabProject): void {
  printDiagnostics(checkTranslations(files).list);
}

/** Below this, the process of a session does not start. */
const LEAST_MEMORY_MB = 128;
/** Timers of Node take 2^31 - 1 milliseconds; this is 24 days. */
const MOST_IDLE_MINUTES = 35_000;

function number(option: string, text: string, most: number, least = 0): number {
  const value = /^\d+$/.test(text) ? Number(text) : Number.NaN;
  if (value >= least && value <= most) return value;
  return fail(
    CODES.wrongValue,
    undefined,
    `${option} ${text}: expected a whole number from ${least} to ${most}`,
  );
}

/** The program that opens an address, by platform. */
const BROWSERS: Readonly<Partial<Record<NodeJS.Platform, readonly [string, ...string[]]>>> = {
  darwin: ["open"],
  win32: ["rundll32", "url.dll,FileProtocolHandler"],
  linux: ["xdg-open"],
};

/** Opens a page in the user's browser. Does nothing on a machine without one: the address is printed anyway. */
function openBrowser(url: string): void {
  const [command, ...args] = BROWSERS[process.platform] ?? ["xdg-open"];
  const child = spawn(command, [...args, url], { stdio: "ignore", detached: true });
  child.on("error", () => {});
  child.unref();
}
