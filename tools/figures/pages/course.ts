import { existsSync, readdirSync } from "node:fs";
import { join, resolve } from "node:path";
import { block, p4loom, page, type RunDocument } from "../block.js";
import { percent, table } from "../text.js";

const COURSE = "examples/course";
const root = resolve(import.meta.dirname, "../../..");
const exercises = readdirSync(join(root, COURSE))
  .filter((name) => existsSync(join(root, COURSE, name, "exercise.yaml")))
  .sort();

/** What the audit of an exercise says of all changes of its solution. */
interface Audit {
  exercise: string;
  changes: number;
  not_compiled: number;
  detected: number;
  equivalent: number;
  untested: number;
  undecided: number;
}

function summary(report: RunDocument, exercise: string): Audit {
  const { mutants } = report as {
    mutants: { outcome: "killed" | "survived" | "notCompiled"; exception?: { kind: string } }[];
  };
  const outcomes = mutants.map(({ outcome, exception }) =>
    outcome === "survived" ? (exception?.kind ?? "undecided") : outcome,
  );
  const count = (wanted: string) => outcomes.filter((one) => one === wanted).length;
  return {
    exercise,
    changes: mutants.length,
    not_compiled: count("notCompiled"),
    detected: count("killed"),
    equivalent: count("equivalent"),
    untested: count("untested"),
    undecided: count("undecided"),
  };
}

const sums = (audits: readonly Audit[]): Audit =>
  audits.reduce((sum, one) => ({
    exercise: "all",
    changes: sum.changes + one.changes,
    not_compiled: sum.not_compiled + one.not_compiled,
    detected: sum.detected + one.detected,
    equivalent: sum.equivalent + one.equivalent,
    untested: sum.untested + one.untested,
    undecided: sum.undecided + one.undecided,
  }));

/** Of the changes that compile and are not proven equivalent, those that keep all points. */
const missed = ({ changes, not_compiled, equivalent, untested, undecided }: Audit) =>
  percent((untested + undecided) / (changes - not_compiled - equivalent));

export default page("docs/course.md", {
  audit: block<{ audits: Audit[] }>({
    runs: {
      audits: exercises.map((name) =>
        p4loom("grade", "--audit", `${COURSE}/${name}`, "--packets", "0", "--json"),
      ),
    },
    pick: {
      audits: (reports: RunDocument[]) => reports.map((report, index) => summary(report, exercises[index]!)),
    },
    render: ({ audits }) =>
      table(
        [
          "exercise",
          "changes",
          "do not compile",
          "detected",
          "equivalent",
          "untested",
          "undecided",
          "missed",
        ],
        [...audits, sums(audits)].map((one) => [
          one.exercise,
          one.changes,
          one.not_compiled,
          one.detected,
          one.equivalent,
          one.untested,
          one.undecided,
          missed(one),
        ]),
      ),
    slow: true,
    inputs: exercises.flatMap((name) =>
      [name, `${name}/solution`, `${name}/tests`, `${name}/hidden`]
        .map((folder) => `${COURSE}/${folder}`)
        .filter((folder) => existsSync(join(root, folder)))
        .flatMap((folder) =>
          readdirSync(join(root, folder), { withFileTypes: true })
            .filter((entry) => entry.isFile() && !/^README\b.*\.md$/.test(entry.name))
            .map(({ name: file }) => `${folder}/${file}`),
        ),
    ),
  }),
});
