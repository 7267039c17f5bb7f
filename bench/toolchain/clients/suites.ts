/**
 * Third-party P4Runtime client suites: which program each runs, with which switch options, and how it is started. Paths
 * are those of the public repositories, below the folder that P4LOOM_CLIENTS names (one checkout a repository, by the
 * repository's name). Nothing of them is part of this project.
 */

export interface PtfSuite {
  readonly kind: "ptf";
  /** Row of the table in docs/p4runtime.md. */
  readonly name: string;
  /** P4 program, from P4LOOM_CLIENTS. */
  readonly program: string;
  readonly compilerOptions?: readonly string[];
  /** Folder of the tests, and folders of their modules. */
  readonly tests: string;
  readonly modules: readonly string[];
  /** Ports are `first` to `first + 7`. */
  readonly firstPort: number;
  readonly cpuPort?: number;
  readonly deviceId?: number;
  /** The tests push the program themselves; false: it is pushed before they run. */
  readonly pushes: boolean;
  /** Parameters in addition to `grpcaddr`, `p4info` and `config`. */
  readonly parameters?: Readonly<Record<string, string>>;
  /** Test names and groups, in ptf's words. */
  readonly select?: readonly string[];
  /** Modules that the tests import but do not use on a software switch: empty modules replace them. */
  readonly absentModules?: readonly string[];
  readonly seconds: number;
}

export interface PytestSuite {
  readonly kind: "pytest";
  readonly name: string;
  /** Folder in which pytest runs, and its files. */
  readonly folder: string;
  readonly files: readonly string[];
  readonly program?: string;
  readonly cpuPort?: number;
  readonly deviceId?: number;
  /** Environment variable for the switch's address. */
  readonly addressVariable: string;
  readonly seconds: number;
}

export interface ScriptSuite {
  readonly kind: "script";
  readonly name: string;
  /** In bench/toolchain/clients/python: prints one line a step, which is compared between the switches. */
  readonly script: string;
  /** P4 program, from the project's folder. */
  readonly program: string;
  readonly modules: readonly string[];
  readonly cpuPort?: number;
  readonly seconds: number;
}

export type Suite = PtfSuite | PytestSuite | ScriptSuite;

const p4guide = (
  folder: string,
  program: string,
  tests: string,
  more: { cpuPort?: number; seconds?: number; select?: readonly string[] } = {},
): PtfSuite => ({
  kind: "ptf",
  name: `p4-guide ${folder.replace(/^ptf-tests\//, "")}`,
  program: `p4-guide/${folder}/${program}`,
  tests: `p4-guide/${folder}/${tests}`,
  modules: ["p4-guide/testlib", "p4runtime-shell"],
  firstPort: 0,
  pushes: true,
  seconds: 120,
  ...more,
});

const FABRIC_ABSENT = ["testvector", "numpy", "scipy", "matplotlib", "trex", "trex_stl_lib", "yaml", "gnmi"];

const fabric = (profile: string, options: readonly string[], select: readonly string[]): PtfSuite => ({
  kind: "ptf",
  name: `fabric-tna ${profile}`,
  program: "fabric-tna/p4src/v1model/fabric_v1model.p4",
  compilerOptions: [...options, "-I", "fabric-tna/p4src"],
  tests: "fabric-tna/ptf/tests/unary",
  modules: ["fabric-tna/ptf/tests/common"],
  firstPort: 1,
  cpuPort: 255,
  deviceId: 1,
  pushes: false,
  parameters: {
    device_id: "1",
    cpu_port: "255",
    generate_tv: "False",
    loopback: "False",
    pltfm: "bmv2",
    profile,
  },
  select,
  absentModules: FABRIC_ABSENT,
  seconds: 900,
});

export const SUITES: readonly Suite[] = [
  p4guide("demo1", "demo1.p4_16.p4", "ptf"),
  p4guide("demo1-bitselect-key", "demo1.p4_16.p4", "ptf"),
  p4guide("demo2", "demo2.p4_16.p4", "ptf"),
  p4guide("demo7", "demo7.p4", "ptf"),
  p4guide("ptf-tests/duplicatekeys", "duplicatekeys.p4", "."),
  p4guide("ptf-tests/idletimeout", "idletimeout.p4", "."),
  p4guide("ptf-tests/matchkinds", "matchkinds.p4", "."),
  p4guide("ptf-tests/packetinout", "packetinout.p4", ".", { cpuPort: 510 }),
  p4guide("ptf-tests/registeraccess", "registeraccess.p4", ".", { cpuPort: 510 }),
  // Without BigTest1, which draws its entries from the time of day.
  p4guide("lpmtester", "lpmtester.p4", "ptf", {
    seconds: 400,
    select: ["lpmtester.BasicTest1", "lpmtester.BasicTest2"],
  }),
  p4guide("lpmtester/lpmwidth20bits", "lpmtester.p4", "ptf", { seconds: 300 }),
  {
    kind: "ptf",
    name: "p4c ternary2-bmv2",
    program: "p4c/testdata/p4_16_samples/ternary2-bmv2.p4",
    tests: "p4c/testdata/p4_16_samples/ternary2-bmv2.py",
    modules: ["p4c/tools/ptf", "p4c/tools"],
    firstPort: 0,
    pushes: true,
    seconds: 120,
  },
  fabric("fabric", [], ["all", "^upf", "^int", "^bng", "^dth", "^xconnect", "^p4rt", "^int-dod"]),
  fabric("fabric-upf", ["-DWITH_UPF"], ["all", "^int", "^bng", "^dth", "^p4rt", "^int-dod"]),
  fabric("fabric-upf-int", ["-DWITH_UPF", "-DWITH_INT"], ["all", "^bng", "^dth", "^p4rt", "^int-dod"]),
  {
    kind: "pytest",
    name: "finsy own tests",
    folder: "finsy",
    files: ["tests/test_switch.py", "tests/test_p4client.py", "tests/test_controller.py"],
    deviceId: 1,
    addressVariable: "FINSY_TEST_P4RUNTIME_TARGET",
    seconds: 300,
  },
  {
    kind: "script",
    name: "p4runtime-shell, every entity",
    script: "shell_entities.py",
    program: "bench/toolchain/clients/entities.p4",
    modules: ["p4runtime-shell"],
    cpuPort: 510,
    seconds: 180,
  },
];
