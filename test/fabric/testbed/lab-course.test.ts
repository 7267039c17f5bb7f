/** Tests of exercises in a lab on real switches: the starter fails, the solution passes, as files of it are saved. P4LOOM_COURSE=all: all of them. */
import { cpSync, existsSync, readdirSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { describe, expect, it } from "vitest";
import { Diagnostics } from "../../../src/base/index.js";
import { type LabAnswers, type LabRequestInput, labRequestSchema } from "../../../src/course/lab/index.js";
import { openTestbedLab, readLabProject } from "../../../src/course/lab-server/index.js";
import { openExerciseFolder } from "../../../src/course/submissions/index.js";
import { makeFolder, whyNot } from "./machine.js";

const reason = whyNot("netns", "switch", ["packet_sockets"]);
const course = resolve(import.meta.dirname, "../../../examples/course");
const all = readdirSync(course).filter((name) => existsSync(join(course, name, "exercise.yaml")));
const names = process.env["P4LOOM_COURSE"] === "all" ? all : ["02-lpm-ttl"];
const MS = 600_000;

describe.skipIf(reason !== undefined)(
  `the course in a lab on the testbed${reason === undefined ? "" : ` (not here: ${reason})`}`,
  () => {
    it.each(names)("%s: the starter fails, the solution passes", { timeout: MS }, async (name) => {
      const folder = join(makeFolder(), name);
      cpSync(join(course, name), folder, { recursive: true });
      const { handsIn } = openExerciseFolder(folder, new Diagnostics());
      const lab = await openTestbedLab(await readLabProject(folder), {
        log: () => {},
        stop: new AbortController().signal,
      });
      const ask = async <Request extends LabRequestInput>(request: Request) => {
        const reply = await lab.service.apply(labRequestSchema.parse(request));
        if (reply.ok) return reply.value as LabAnswers[Request["op"]];
        throw new Error(reply.diagnostics.map(({ code, message }) => `${code}: ${message}`).join("\n"));
      };
      const test = async () => (await ask({ op: "exercise.test" })).results;
      try {
        const starter = await test();
        const points = starter.reduce((sum, one) => sum + one.points, 0);
        const of = starter.reduce((sum, one) => sum + one.of, 0);
        expect(points).toBeLessThan(of / 2);
        for (const path of handsIn)
          await ask({ op: "files.save", path, text: readFileSync(join(folder, "solution", path), "utf8") });
        expect((await test()).filter(({ state }) => state !== "passed")).toEqual([]);
      } finally {
        await lab.close();
      }
    });
  },
);
