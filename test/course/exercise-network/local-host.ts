/** A RunningHost that is this machine itself: enough for shells. */
import { spawn, spawnSync } from "node:child_process";
import type { HostProcess, RunningHost } from "../../../src/fabric/testbed/testbed.js";

export function localHost(name: string): RunningHost {
  return {
    name,
    exec: async ([program, ...words]) => {
      const { status, stdout, stderr } = spawnSync(program!, words, { encoding: "utf8" });
      return { status: status ?? 1, stdout, stderr };
    },
    spawn: ([program, ...words]) => localProcess(program!, words),
  };
}

function localProcess(program: string, words: readonly string[]): HostProcess {
  const child = spawn(program, words, { stdio: ["pipe", "pipe", "ignore"] });
  child.stdout.setEncoding("utf8");
  const exited = new Promise<number>((resolve) => child.on("close", (code) => resolve(code ?? 137)));
  return {
    write: (line) => child.stdin.write(`${line}\n`),
    writeText: (text) => child.stdin.write(text),
    onLine: () => () => {},
    onText: (listener) => {
      child.stdout.on("data", listener);
      return () => child.stdout.off("data", listener);
    },
    stderr: "",
    exited,
    kill: async () => {
      child.kill();
      await exited;
    },
  };
}
