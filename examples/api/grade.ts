/** Grades the starter and the solution of the course's first exercise. */
import { readFileSync } from "node:fs";
import { Diagnostics, maximumPoints, openExerciseFolder, runTests } from "p4loom/grade";

const folder = "examples/course/01-forwarding";
const exercise = openExerciseFolder(folder, new Diagnostics());
const turn = () => new Promise<void>((done) => setImmediate(done));
for (const file of ["forwarding.p4", "solution/forwarding.p4"]) {
  const handedIn = new Map([["forwarding.p4", readFileSync(`${folder}/${file}`, "utf8")]]);
  const results = await runTests(exercise, handedIn, { turn });
  const points = results.reduce((sum, result) => sum + result.points, 0);
  console.log(`${file}: ${points} of ${maximumPoints(exercise)} points`);
}

/* prints
forwarding.p4: 0 of 7 points
solution/forwarding.p4: 7 of 7 points
*/
