/** `p4loom new exercise NAME`: text, starter, solution, network, visible and hidden tests, and the list of an audit; all of it runs. */
import { EXIT } from "../outcome.js";
import { templates, writeNewFolder } from "./write-folder.js";

/** Fails with the errors of writeNewFolder. */
export function newExercise(name: string): number {
  const files = templates("data/new-exercise", name);
  writeNewFolder(name, () => files);
  process.stderr.write(
    `${name}/ has ${files.map(({ path }) => path).join(", ")}; try: p4loom grade ${name}; p4loom grade ${name} --submissions ${name}/solution; p4loom grade --audit ${name}\n`,
  );
  return EXIT.success;
}
