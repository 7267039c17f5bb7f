import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { NodeShell } from "../../../src/course/exercise-network/node-shell.js";
import { localHost } from "./local-host.js";

const noBash = spawnSync("bash", ["--version"]).status !== 0;

function open() {
  let output = "";
  const waiting: (() => void)[] = [];
  const shell = new NodeShell(localHost("h1"), (text) => {
    output += text;
    for (const wake of waiting.splice(0)) wake();
  });
  onTestFinished(() => shell.close());
  return {
    shell,
    take: () => {
      const taken = output;
      output = "";
      return taken;
    },
    /** Waits for a text in the output. */
    until: async (text: string) => {
      while (!output.includes(text)) await new Promise<void>((resolve) => waiting.push(resolve));
    },
  };
}

describe.skipIf(noBash)("the shell of a host (needs bash)", () => {
  it("gives output and status of each command", async () => {
    const { shell, take } = open();
    expect(await shell.run("echo one; echo two >&2")).toBe(0);
    expect(take()).toBe("one\ntwo\n");
    expect(await shell.run("printf 'no newline'; false")).toBe(1);
    expect(take()).toBe("no newline");
    expect(await shell.run("exit_of_none")).toBe(127);
    expect(take()).toContain("exit_of_none");
  });

  it("keeps what commands set", async () => {
    const { shell, take } = open();
    await shell.run("cd /; export P4=16");
    await shell.run('echo "$PWD $P4"');
    expect(take()).toBe("/ 16\n");
  });

  it("outlives a syntax error, quotes and all", async () => {
    const { shell, take } = open();
    expect(await shell.run("echo 'it''s' ; echo $((1+)")).not.toBe(0);
    take();
    expect(await shell.run(`echo "it's" 'a "test"'`)).toBe(0);
    expect(take()).toBe(`it's a "test"\n`);
  });

  it("gives a command a file to read, by default nothing, and shows prompts at once", async () => {
    const { shell, take } = open();
    const folder = mkdtempSync(join(tmpdir(), "p4loom-shell-"));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    writeFileSync(join(folder, "input"), "7+2\n8+1\n");
    const command = 'printf "> "; read answer; echo "got $answer"; cat';
    expect(await shell.run(command, join(folder, "input"))).toBe(0);
    expect(take()).toBe("> got 7+2\n8+1\n");
    expect(await shell.run("cat; echo end")).toBe(0);
    expect(take()).toBe("end\n");
  });

  it("interrupts the program that runs and stays open", async () => {
    const { shell, take, until } = open();
    const ended = shell.run("sh -c 'echo begun; exec sleep 100'");
    await until("begun");
    shell.interrupt();
    expect(await ended).toBe(130);
    take();
    expect(await shell.run("echo still here")).toBe(0);
    expect(take()).toContain("still here");
  });

  it("leaves programs in the background alone", async () => {
    const { shell, take, until } = open();
    expect(await shell.run("(sleep 0.05; echo later) &")).toBe(0);
    await until("later");
    expect(take()).toContain("later\n");
  });

  it("says 127 when it has ended", async () => {
    const { shell } = open();
    expect(await shell.run("exit 3")).toBe(127);
    expect(shell.ended).toBe(true);
    expect(await shell.run("echo")).toBe(127);
  });
});
