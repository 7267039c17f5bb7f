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
    "open: the end of a controller's process when its input ends; whole gradings start such processes (hostile.test.ts)",
  "course/submissions/controller/on-this-machine.ts isolatedController": [
    ["{ let python", "open: a lab that starts a controller in a process of its own"],
    [
      "controller !== undefined",
      "open: a lab whose exercise has a controller in Python, beside one that has none",
    ],
    ["known ??=", "open: a second controller on the same machine, for which the isolation is known"],
  ],
  "course/submissions/controller/parent.ts ControllerProcess.#take":
    "open: a message of an unknown kind with more than 80 characters",
  "course/submissions/controller/parent.ts ControllerProcess.#run":
    "equivalent but for time: a statement has no state that the next one on its switch reads",
  "course/submissions/controller/python.ts pythonStart": [
    ["process.platform", "open: a machine without Linux"],
    ["paths.filter", "equivalent but for time: a folder inside of a shown one is mounted a second time"],
    [
      "other !== path &&",
      "open: which folders Python sees; a grading in Python would not start (hostile.test.ts)",
    ],
    ["(path) =>", "open: an interpreter inside of the exercise"],
    ["{ reason:", "open: what is said of an interpreter inside of the exercise"],
    ["trial.error", "open: a machine on which the isolation of Python does not work"],
  ],
  "course/submissions/controller/python.ts contained":
    "open: a controller in Python that takes too much time or memory, by hostile.test.ts",
  "course/submissions/exercise-folder.ts openExerciseFolder":
    "open: a fit test with a target of its own in place of a name",
  "course/submissions/exercise-folder.ts": "equivalent: the folder of the targets holds targets alone",
  "course/submissions/find.ts findSubmissions": [
    ["(why) =>", "open: a folder of a submission that cannot be read, which root can read"],
  ],
  "course/submissions/grade-all.ts tryTestbed":
    "open: namespaces that the try before the first submission leaves, by test/fabric/testbed/grade.test.ts",
  "course/submissions/grade-all.ts withFolder":
    "open: where the logs of real switches are, by test/fabric/testbed/grade.test.ts",
  "course/submissions/grade-one.ts wallOf": [
    ["job.testbed", "open: the limit of real time of a grading on real switches"],
    ["limits.seconds", "open: the default limit of real time; tests set a limit of their own"],
  ],
  "course/submissions/grade-one.ts outOfWall":
    "open: whether a submission that was stopped twice counts as run; grade-one.test.ts takes seconds",
  "course/submissions/grade-one.ts gradeWithin": [
    ["controller !==", "open: a submission without a controller that starts processes (hostile.test.ts)"],
    ["{ once: true }", "equivalent: a process that has ended is ended once more"],
  ],
  "course/submissions/grade-one.ts kill": "open: a command that cannot be started has no process to end",
  "course/submissions/grade-one.ts notEnded":
    "equivalent: a hint that is undefined is left out of the report too",
  "course/submissions/isolation.ts examineIsolation": "open: a Node without its permission model",
  "course/submissions/isolation.ts isBuilt":
    "open: whether the command is built, by the last of its words; isolation.test.ts starts processes",
  "course/submissions/isolation.ts permitted": "equivalent: no folder of the package has .json in its name",
  "course/submissions/place.ts named": "open: a folder that cannot be read, which root can read",
  "course/submissions/testbed/activity.ts activityOf": "open: a thread that was scheduled ten times and more",
  "course/submissions/testbed/activity.ts startedBy": [
    ["d+$/", "equivalent: all names in /proc that end with digits are process ids"],
    ["parent", "equivalent: a process that ended meanwhile has no parent, and nobody asks for its children"],
  ],
  "course/submissions/testbed/activity.ts namespaceOf":
    "equivalent: a function without a return gives undefined",
  "course/submissions/testbed/activity.ts textOf": "equivalent: a function without a return gives undefined",
  "course/submissions/testbed/host-clock.ts": "open: a pause of exactly 5 ms",
  "course/submissions/testbed/network.ts TestbedNetwork":
    "equivalent: a text among the functions that end the watches is called when the network closes, after all of them",
  "course/submissions/testbed/network.ts TestbedNetwork.constructor": [
    [
      "started.filter",
      "open: a switch that is still busy when a step ends; test/fabric/testbed/grade.test.ts has namespaces",
    ],
    [
      "() =>",
      "open: frames that are held back while a switch works, with more than 32 frames of a host at once",
    ],
    ["receive(1", "open: a frame that reaches a host, by test/fabric/testbed/grade.test.ts"],
    ["this.#clock.frameSent", "open: a frame that a host sends, by test/fabric/testbed/grade.test.ts"],
  ],
  "course/submissions/testbed/network.ts TestbedNetwork.switches":
    "open: the names of real switches for a test, by test/fabric/testbed/grade.test.ts",
  "course/submissions/testbed/network.ts TestbedNetwork.now":
    "open: the time of real hosts, by test/fabric/testbed/grade.test.ts",
  "course/submissions/testbed/network.ts TestbedNetwork.advance": [
    ["this.now()", "open: a step that waits for its time alone, on real switches"],
    ["true", "open: a step that ends when its packet has come, on real switches"],
  ],
  "course/submissions/testbed/network.ts TestbedNetwork.#pass":
    "open: a loop of frames that is found before its step ends, on real switches",
  "course/submissions/testbed/network.ts TestbedNetwork.#settle": [
    [
      "startedBy(process.pid).filter",
      "open: other processes that work while a step ends, such as a lab beside it",
    ],
    [
      "!this.#hostNamespaces",
      "open: a program on a host that works while a step ends, such as a terminal of a lab",
    ],
    ["this.now()", "open: the instant at which the patience for busy switches ends"],
    ["turns ===", "open: a message of a switch that is in flight when no process works"],
    ["!works", "open: a switch that still works when a step ends"],
  ],
  "course/submissions/testbed/network.ts TestbedNetwork.#count":
    "open: more frames than the exercise allows, on real switches",
  "course/submissions/testbed/network.ts TestbedNetwork.setLink":
    "open: a link that is named from one end when it breaks and from the other when it is repaired, on real switches",
  "course/submissions/testbed/network.ts TestbedNetwork.sent":
    "open: the frames of each port in a test, by test/fabric/testbed/grade.test.ts",
  "course/submissions/testbed/network.ts TestbedNetwork.wasLate": [
    ["!this.#endless", "open: a machine that was on time, and an endless loop on real switches"],
    ["this.#waitedNs", "open: a machine that had no time for the switches"],
  ],
  "course/submissions/testbed/network.ts TestbedNetwork.close":
    "open: interfaces that stay open after a test, by test/fabric/testbed/grade.test.ts",
  "course/submissions/testbed/network.ts sentFrames":
    "open: the frames of each port of a real switch, by test/fabric/testbed/grade.test.ts",
  "course/submissions/testbed/networks.ts TestbedNetworks.open": [
    ["free = resolve", "open: a second test on the same network, which waits for the first"],
    ["this.#lab === undefined", "open: a second test on the same network, which takes its namespaces over"],
  ],
  "course/submissions/testbed/networks.ts TestbedNetworks.close": [
    ["{ this.#closed", "open: namespaces that stay after a grading, by test/fabric/testbed/grade.test.ts"],
    ["this.#lab?.switches", "equivalent but for time: the network ends its switches too"],
  ],
  "course/submissions/testbed/networks.ts TestbedNetworks.#refuseIfClosed":
    "open: a network that is asked for after the end of all",
  "course/submissions/testbed/networks.ts TestbedNetworks.#start":
    "open: a switch that ended in one test and is started again for the next",
  "course/submissions/testbed/networks.ts TestbedNetworks.#again": [
    ["[]", "open: a first test on a network, with no links to repair"],
    ["this.options.engine", "open: BMv2, which is started again for each test, and our switch, which is not"],
    ["all ||", "open: a switch that ended in one test, beside others that run on"],
  ],
  "course/submissions/testbed/networks.ts TestbedNetworks.#framesMove":
    "open: a loop of frames that outlives its test, on real switches",
  "course/submissions/testbed/networks.ts quietLab":
    "open: hosts of a test without addresses of their kernels, by test/fabric/testbed/grade.test.ts",
  "course/submissions/testbed/networks.ts KeptNetworks.open": [
    [
      "kept !== undefined && kept.options",
      "open: a lab whose topology changes between two tests on real switches",
    ],
    ["kept !== undefined", "open: a second test of a lab on real switches"],
  ],
  "course/submissions/testbed/networks.ts KeptNetworks.close":
    "open: namespaces that stay after a lab with tests, by test/fabric/testbed/lab-session.test.ts",
  "course/submissions/worker.ts serveJob": [
    ["job.testbed", "open: a grading whose parent ends, on the simulator and on real switches"],
    ["!stop.signal", "open: an internal error of a grading, which a stop does not hide"],
    ["true", "open: the folder of logs that a grading removes whose parent has ended"],
  ],
  "course/submissions/worker.ts gradeJob": [
    ["[]", "open: a grading of more than one test in a process of its own (grade.test.ts)"],
    ["text === undefined", "open: a fit test in a process of its own (grade.test.ts)"],
    ["{ network:", "open: a grading on real switches, by test/fabric/testbed/grade.test.ts"],
    [
      'kind === "fault"',
      "open: a controller that was stopped, beside a network that does not start (hostile.test.ts)",
    ],
    ['{ kind: "result"', "open: the results of a process that grades (grade.test.ts)"],
    ["networks?.close", "open: a grading on the simulator in a process of its own (grade.test.ts)"],
  ],
};

export function reasonOf(survivor: Survivor): string {
  const { file, function: name, code, mutant } = survivor;
  const found = REASONS[`${file} ${name}`] ?? REASONS[file];
  const reason = typeof found === "string" ? found : found?.find(([part]) => code.includes(part))?.[1];
  if (reason === undefined)
    throw new Error(`${file}, ${name}: no reason why \`${code}\` → \`${mutant}\` survives`);
  return reason;
}
