/**
 * A network whose hosts and links Mininet makes (mininet/lab.py). The script runs in the switches' namespace, so
 * that the namespace which Mininet takes for the root namespace belongs to the run.
 */
import { type ChildProcess, spawn } from "node:child_process";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { z } from "zod";
import { fail } from "../../../base/index.js";
import { packageFile } from "../../../toolchain/loading/index.js";
import { CODES } from "../codes.js";
import { hostNamespace, switchNamespace } from "../run/record.js";
import { command, setUp } from "../system/command.js";
import type { TestbedSpec } from "../testbed-spec.js";
import type { Network } from "./testbed-network.js";

const answerSchema = z.object({ hosts: z.record(z.string(), z.number()) });

/** Python interpreters that may have the module: Debian's package is for the system's own. */
const PYTHONS = ["python3", "/usr/bin/python3"];
const HAS_MININET = "import mininet.net";
const END_MS = 5000;

/** The interpreter that has Mininet; undefined: none. */
export async function findMininetPython(stop?: AbortSignal): Promise<string | undefined> {
  const options = stop === undefined ? {} : { stop };
  if ((await command(["mnexec", "true"], options)).status !== 0) return undefined;
  for (const python of PYTHONS) {
    if ((await command([python, "-I", "-c", HAS_MININET], options)).status === 0) return python;
  }
  return undefined;
}

export class MininetNetwork implements Network {
  #process: ChildProcess | undefined;

  async build(id: string, spec: TestbedSpec, stop: AbortSignal): Promise<void> {
    const python = await findMininetPython(stop);
    if (python === undefined) {
      fail(
        CODES.notInstalled,
        undefined,
        "Mininet is not installed",
        "apt-get install mininet, or use --network netns",
      );
    }
    const namespace = switchNamespace(id);
    await setUp("namespace", ["ip", "netns", "add", namespace], { stop });
    const child = spawn(
      "ip",
      ["netns", "exec", namespace, python, fileURLToPath(packageFile("mininet/lab.py"))],
      {
        stdio: ["pipe", "pipe", "pipe"],
        detached: true,
      },
    );
    this.#process = child;
    child.stdin!.on("error", () => {});
    const request = {
      hosts: spec.hosts.map((host) => host.name),
      links: spec.links.map(({ a, b }) => [a.node, a.interface, b.node, b.interface]),
    };
    child.stdin!.write(`${JSON.stringify(request)}\n`);
    const { hosts } = await firstAnswer(child, stop);
    // Mininet's namespaces have no names. With names they are used as our own ones are.
    const attach = spec.hosts.map(({ name }) => `netns attach ${hostNamespace(id, name)} ${hosts[name]}\n`);
    await setUp("namespaces of Mininet's hosts", ["ip", "-batch", "-"], { input: attach.join(""), stop });
  }

  async end(): Promise<void> {
    const child = this.#process;
    if (child === undefined || child.exitCode !== null || child.signalCode !== null) return;
    await new Promise<void>((resolve) => {
      const timer = setTimeout(() => child.kill("SIGKILL"), END_MS);
      child.once("exit", () => {
        clearTimeout(timer);
        resolve();
      });
      // the script ends with its stdin
      child.stdin!.end();
    });
  }
}

function firstAnswer(child: ChildProcess, stop: AbortSignal): Promise<z.output<typeof answerSchema>> {
  let stderr = "";
  child.stderr!.setEncoding("utf8").on("data", (text: string) => {
    stderr = (stderr + text).slice(-4000);
  });
  return new Promise((resolve, reject) => {
    const refuse = (why: string): void => {
      try {
        fail(CODES.setUp, undefined, `Mininet: ${why}`, ...stderr.trim().split("\n").slice(-10));
      } catch (error) {
        reject(error);
      }
    };
    createInterface({ input: child.stdout! }).once("line", (line) => {
      try {
        resolve(answerSchema.parse(JSON.parse(line)));
      } catch {
        refuse(`answered ${JSON.stringify(line)}`);
      }
    });
    stop.addEventListener("abort", () => reject(stop.reason), { once: true });
    child.once("error", (error) => refuse(error.message));
    child.once("close", (status) => refuse(`the script ended with status ${status}`));
  });
}
