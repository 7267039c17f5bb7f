/** Code of users that throws when nothing waits for it any more ends a command as every mistake does. */
import { spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { COMMAND } from "../built-command.js";

const folder = mkdtempSync(join(tmpdir(), "p4loom-late-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const HEAD = `name: late
topology: { kind: leaf_spine, tors: 2, leaves: 2, homing: single }
schemes: [./scheme.mjs]
failures: [leaf]
give_up: 1s
`;

function p4loom(statement: string, file: string, ...args: string[]) {
  writeFileSync(
    join(folder, "scheme.mjs"),
    `import { existsSync } from "node:fs"; export default (kit) => ({
  name: "late",
  parameters: kit.z.strictObject(kit.tables.hashParameters),
  plan(topology, hash) {
    ${statement}
    const { programs, switches } = kit.schemes.ecmp.plan(topology, hash);
    return { programs, switches, repaths: false };
  },
});
`,
  );
  writeFileSync(join(folder, "late.yaml"), HEAD + file);
  return spawnSync(
    process.execPath,
    [COMMAND, "run", join(folder, "late.yaml"), "--out", join(folder, "out"), ...args],
    {
      encoding: "utf8",
    },
  );
}

const TOLD =
  /scheme\.mjs:5:\d+: error\[P43404\]: the module throws when its call has long returned: Error: later\n/;

describe("a plan that throws late", () => {
  it.each([
    ["in a promise that nothing awaits", 'Promise.reject(new Error("later"));'],
    ["in a timer while the experiment runs", 'setTimeout(() => { throw new Error("later"); }, 0);'],
  ])("%s: the run ends with the module's place, and writes nothing", (_where, statement) => {
    const { status, stderr } = p4loom(statement, "runs: 2000\n");
    expect(stderr).toMatch(TOLD);
    expect(stderr).not.toMatch(/\n {4}at /);
    expect(status).toBe(1);
    expect(existsSync(join(folder, "out"))).toBe(false);
  });

  it("after the results are written: they stay, the place is printed, and the exit status reports the error", () => {
    const { status, stdout, stderr } = p4loom(
      `const wait = setInterval(() => { if (!existsSync(${JSON.stringify(join(folder, "out", "results.json"))})) return; clearInterval(wait); throw new Error("later"); }, 10);`,
      "runs: 1\n",
    );
    expect(stdout).toContain("late    leaf");
    expect(stderr).toMatch(TOLD);
    expect(status).toBe(1);
  });

  it("on a worker of a sweep: the job is reported with the place", () => {
    const { status, stderr } = p4loom(
      'Promise.reject(process.send === undefined ? undefined : new Error("later")).catch((error) => { if (error) throw error; });',
      "runs: 1\nsweep: { seeds: 2 }\n",
    );
    expect(stderr).toMatch(new RegExp(TOLD.source.replace("\\n", "")));
    expect(stderr).toContain("error[P43042]: 2 jobs of the sweep failed: late, leaf, seed ");
    expect(status).toBe(1);
  });
});

describe("a reader that closes the pipe of both outputs", () => {
  const small = (kind: string) => {
    const file = join(folder, "closed.yaml");
    writeFileSync(file, kind);
    return file;
  };
  /** The exit status of the command in a pipe to `reader`. */
  const piped = (reader: string, ...args: string[]) =>
    spawnSync(
      "bash",
      [
        "-c",
        `"$0" "$@" 2>&1 | ${reader} > /dev/null; echo "\${PIPESTATUS[0]}"`,
        process.execPath,
        COMMAND,
        ...args,
      ],
      { encoding: "utf8", timeout: 60_000 },
    ).stdout.trim();
  const spread = `name: closed
topology: { kind: leaf_spine, tors: 2, leaves: 2, homing: single }
kind: spread
schemes: [{ scheme: hashing, label: a }, { scheme: hashing, label: b }]
trace_flows: 20000
`;

  it.each(["true", "head -c 1"])("does not keep a run from its end and its results: %s", (reader) => {
    const out = join(folder, `closed ${reader}`);
    expect(piped(reader, "run", small(spread), "--out", out)).toBe("0");
    expect(existsSync(join(out, "results.json"))).toBe(true);
  });

  it("leaves the exit status of a wrong input", () => {
    expect(piped("true", "run", small("name: closed\nkind: spread\n"))).toBe("1");
    expect(piped("true", "run", "closed.yaml", "--seed", "no")).toBe("2");
  });

  it("a late error of users' code ends the run all the same", () => {
    writeFileSync(
      join(folder, "scheme.mjs"),
      'import "node:fs"; setInterval(() => { throw new Error("again"); }, 1);',
    );
    expect(piped("true", "run", small(`${HEAD}runs: 1\n`))).toMatch(/^[1-9]/);
  });
});
