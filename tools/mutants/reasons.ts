/** Why no test detects the survivors of tools/mutants/survivors.json. docs/mutants.md cannot be made while one has no reason. */

export interface Survivor {
  /** Below src. */
  readonly file: string;
  /** Function, class and method, or constant around it; "": the module. */
  readonly function: string;
  readonly code: string;
  readonly mutant: string;
  /** A test reaches it. */
  readonly reached: boolean;
}

/**
 * By file and function, `"FILE FUNCTION"`: one reason for all mutants, or a list of texts of the mutated code with the reason, of which
 * the first that fits holds; "" fits all. `"FILE"` is for functions that are not named.
 */
type Reasons = Readonly<Record<string, string | readonly (readonly [code: string, reason: string])[]>>;

const UNTOLD = "open: no program was found that tells it from the code";

const REASONS: Reasons = {
  "toolchain/p4/lower/elaborate/arguments.ts pin": "equivalent: a written argument has a place",
  "toolchain/p4/lower/elaborate/constants.ts elementTypes":
    "equivalent: only structs, headers and tuples have elements with types of their own",
  "toolchain/p4/lower/elaborate/constants.ts defaultValue":
    "open: the default value of an array of structs inside of a constant",
  "toolchain/p4/lower/elaborate/context.ts inOrder": "equivalent: without effects, no index may have changed",
  "toolchain/p4/lower/elaborate/context.ts fillIn":
    "open: a type parameter that stands for a part of a literal with names",
  "toolchain/p4/lower/elaborate/entries.ts keysOf": "equivalent: the checker counts the keys of an entry",
  "toolchain/p4/lower/elaborate/expressions.ts pathValue":
    "open: the place of a message about a parameter that stands for a field",
  "toolchain/p4/lower/elaborate/expressions.ts resolvedKind":
    "open: a tuple with an element of type int whose other elements have a width",
  "toolchain/p4/lower/elaborate/externs.ts externMethod": UNTOLD,
  "toolchain/p4/lower/elaborate/externs.ts argumentValue": UNTOLD,
  "toolchain/p4/lower/elaborate/parsers.ts buildStates": UNTOLD,
  "toolchain/p4/lower/elaborate/parsers.ts isSelectable": UNTOLD,
  "toolchain/p4/lower/elaborate/program.ts globalEnv": UNTOLD,
  "toolchain/p4/lower/elaborate/tables.ts actionCall":
    "equivalent: the checker refuses an argument that is not constant",
  "toolchain/p4/lower/group-actions.ts hiddenName": UNTOLD,
  "toolchain/p4/lower/ir-types.ts TypeTranslator.#tuple": UNTOLD,
  "toolchain/p4/lower/ir-types.ts typeKey": UNTOLD,
  "toolchain/p4/lower/ir-types.ts scalarWidth": "equivalent: a function without a return gives undefined",
  "toolchain/p4/lower/settle-arguments.ts settleBody":
    "open: a hash whose base or size is a parameter of an action that no other pass has copied",
  "toolchain/p4/lower/simplify.ts trimTail": "equivalent: statements of other kinds have no blocks to trim",
  "toolchain/p4/lower/uninitialized.ts Search.#set":
    "open: a write to a place that is no path beside one that is",
  "toolchain/p4/lower/uninitialized.ts same":
    "open: two flows that differ in the kind of a missing value alone",
  "toolchain/p4/lower/unroll-loops.ts unroll": UNTOLD,
  "toolchain/p4/lower/elaborate/constants.ts constantExpr":
    "equivalent: without the checker's value, the initializer gives the same value",
  "toolchain/p4/lower/elaborate/constants.ts convert":
    "open: a tuple, and a literal with names in another order, where the checker has noted no type to convert to",
  "toolchain/p4/lower/elaborate/constants.ts partsOf":
    "open: a list whose elements need a conversion of their own inside of a list that is converted",
  "toolchain/p4/lower/elaborate/expressions.ts memberValue": [
    ["stack", "equivalent: the checker gives a field only of a struct, header or union"],
    ["error", "equivalent: the checker gives members of enums as constants, which are lowered elsewhere"],
    ["resolved.member", "equivalent: an assertion; the checker gives members of enums as constants"],
  ],
  "toolchain/p4/lower/elaborate/expressions.ts binaryOf":
    "equivalent: the checker notes the type of the left operand as that of a shift",
  "toolchain/p4/lower/elaborate/externs.ts isNext":
    "open: an extract into a local header or an element with a computed index",
  "toolchain/p4/lower/elaborate/parsers.ts selectCase":
    "equivalent: with one key, a list in its place has one element",
  "toolchain/p4/lower/elaborate/tables.ts actionAndArguments": "equivalent: the checker resolves every call",
  "toolchain/p4/lower/expand-aggregates.ts partType":
    "open: the element of a value of a header type as a whole",
  "toolchain/p4/lower/fold.ts foldNeutral": "equivalent: no other expression has the value 1",
  "toolchain/p4/lower/ir-types.ts TypeTranslator.translate":
    "open: a comparison of values that were cast to int",
  "toolchain/p4/lower/unroll-loops.ts leavesEarly": "open: the text of a loop without break that is unrolled",
  "course/submissions/controller/child.ts":
    "open: the process of a controller itself, which tests of whole gradings start (hostile.test.ts)",
  "course/submissions/controller/messages.ts": "open: a message with null among its values",
  "course/submissions/controller/on-this-machine.ts":
    "open: a controller that a lab starts, in JavaScript and in Python",
  "course/submissions/controller/parent.ts":
    "open: a message of another kind with more than 80 characters, and two statements of the shell on one switch",
  "course/submissions/controller/python.ts":
    "open: a machine without root, and the isolation of Python, which tests of whole gradings try (hostile.test.ts)",
  "course/submissions/exercise-folder.ts openExerciseFolder":
    "open: a fit test with a target of its own in place of a name",
  "course/submissions/exercise-folder.ts": "equivalent: the folder of the targets holds targets alone",
  "course/submissions/find.ts":
    "open: folders that cannot be read, which root can read, an archive in an archive that is none, and a folder whose name differs from a missing file in case alone",
  "course/submissions/grade-all.ts":
    "open: the network of real switches that is tried before the first submission, and its folder of logs",
  "course/submissions/grade-one.ts":
    "open: tests that take less than 200 ms do not detect it; the longer ones were not tried to their end",
  "course/submissions/isolation.ts permitted": "equivalent: no folder of the package has .json in its name",
  "course/submissions/isolation.ts":
    "open: tests that take less than 200 ms do not detect it; the longer ones were not tried to their end",
  "course/submissions/place.ts":
    "open: a folder that cannot be read, which root can read, and the order of entries in an archive",
  "course/submissions/testbed/activity.ts":
    "open: a process that ends between the list of /proc and the reading of its files; counts of one digit",
  "course/submissions/testbed/host-clock.ts": "open: a pause of exactly 5 ms",
  "course/submissions/testbed/network.ts":
    "open: real interfaces in namespaces, which test/fabric/testbed/grade.test.ts has in processes",
  "course/submissions/testbed/networks.ts":
    "open: real switches in namespaces, which test/fabric/testbed/grade.test.ts has in processes",
  "course/submissions/worker.ts":
    "open: the process that grades, which tests of whole gradings start (grade.test.ts, hostile.test.ts)",
  "course/submissions/zip.ts":
    "open: data that cannot be unpacked for another reason than its length, archives that are cut within the data of a file or in the 64-bit form, and names with a single dot",
  "fabric/experiment/testbed/flow-watch.ts": "equivalent: an alarm that comes too early is set again",
  "fabric/experiment/testbed/machine-load.ts saturationWarnings":
    "open: two saturated runs with different shares",
  "fabric/experiment/testbed/machine-load.ts": "open: a testbed whose processor time is measured twice",
  "fabric/experiment/testbed/run.ts runOnTestbed":
    "open: a run on real switches, which test/fabric/experiment/testbed.test.ts starts",
  "fabric/experiment/testbed/run.ts":
    "open: a scheme with a signal, a transport or a wire that real switches do not have, by checkOnLab itself",
  "fabric/experiment/testbed/scheme-on-testbed.ts SchemeOnTestbed.constructor":
    "open: controllers of a scheme on a lab, and hosts that have an agent by default",
  "fabric/experiment/testbed/scheme-on-testbed.ts SchemeOnTestbed.#startAgent":
    "open: a host with shaped and other links",
  "fabric/experiment/testbed/scheme-on-testbed.ts offersEcn":
    "open: a direct host whose experiment has TCP with ECN",
  "fabric/experiment/testbed/scheme-on-testbed.ts": "open: limits of queues at single links",
  "fabric/experiment/testbed/with-testbed.ts withTestbed":
    "open: the port for controllers of the switches in a testbed",
  "fabric/experiment/testbed/with-testbed.ts": "open: a refusal of links that has no place in the file",
};

export function reasonOf(survivor: Survivor): string {
  const { file, function: name, code, mutant } = survivor;
  const found = REASONS[`${file} ${name}`] ?? REASONS[file];
  const reason = typeof found === "string" ? found : found?.find(([part]) => code.includes(part))?.[1];
  if (reason === undefined)
    throw new Error(`${file}, ${name}: no reason why \`${code}\` → \`${mutant}\` survives`);
  return reason;
}
