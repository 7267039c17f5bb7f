import { block, page, script } from "../block.js";
import { percent, table } from "../text.js";

/** What `make mutants ROOM=... RECORD=...` wrote into tools/mutants/scores.json. */
interface Score {
  room: string;
  /** Which mutants were tried. */
  tried: string;
  mutants: number;
  detected: number;
  date: string;
}

/** The survivors of each room, and why no test detects them. */
const SURVIVORS: Readonly<Record<string, string>> = {
  "toolchain/hash":
    "writes and reads beyond the end of typed arrays, which have no effect; steps that save time only (a byte of zeros in Toeplitz, a full rank in `BitMatrix`); bytes of `identity` that are shifted out again; `round_robin` after 2^32 packets; a carry of XXH64 at a sum of exactly 2^32 - 1; one more random check in `looksAffine`",
  "fabric/topology":
    "caches and shortcuts that save time only; orders in which equal nodes are searched; hop sets with the same ports and another direction, which cannot occur; ties in `majority` against their order, since hop sets are met in ascending order; open: the order of neighbours in `rackClasses` and `wiringOf`",
  "fabric/traffic":
    "bounds of loops that end earlier, since the last share is 1; the initial byte order of `PcapDecoder`, which the header replaces; exactly 2^32 pairs, where both ways to draw are right",
  "toolchain/p4/emit":
    "assertions against our own bugs, which no program reaches (`fault`, missing tables and indexes); `?.` on what is always there; initial values of jump targets, which are set before they are read",
  "toolchain/fit":
    "ranges of stages that the exact solver does not need; limits of 400 stages beyond the device; `?.` and `??` for names of the JSON that only hand-written files have (aliases, validity of unions); shortcuts that save time only (candidates of variables for keys, trials of advice)",
  "toolchain/switch":
    "steps that save time only (`>= 0` before a write to place -1 of a typed array, which has no effect; a copy of many words at once; a port that is looked at without a packet); ties that both give the same, and the order of equal times (`due-entries`); the exact number of passes after which a packet is given up; numbers of alarms, which only have to differ; a first value that is set before it is read; open: fields of `key` by two names, queues with a rate whose program loops",
  "toolchain/p4/lower": "each is listed in docs/mutants.md",
  "toolchain/p4runtime":
    "shortcuts that save time only (values encoded without the generated code, a chunk that stays empty, turns of a request); names of methods in TLS; `?.` on what is always there; open: names that a failed RestoreState has used first, ports of an unknown kind",
  "fabric/sim":
    "heuristics of the event queue (spans, reviews), of max-min rounds and of the frame pool, and lists that grow before they must, which save time only; draws that any other constant would spread as well; initial values that are set before they are read; `busyUntil` of a host with a stack",
  "fabric/sim/packet/transport":
    "initial values that are set before they are read; conditions that others imply (a probe is never due in a recovery, a window that was closed is never open without a new edge); BBR and CUBIC where two values are equal to the last bit; the pace of a host's own link, which whole runs show",
  "fabric/paths":
    "constants that are 0 (`CHOICE.hash`, `PORT.link`); caches, shared words of hashes and shortcuts for one row, which save time only; products of numbers of values that are equal to a limit",
  "fabric/schemes":
    "caches and shortcuts that save time only (sets of virtual ports, `givers` of first fit, `MatrixIds` of an empty switch); which of several equal orders or hash values is taken; second places for a message (`locate(...) ?? ...`); open: `multiroute/trees`, `pecmp/certain-offsets`, the switch writer of updates",
  "toolchain/formatting":
    "a check against our own bugs, which no text reaches; `?.` on what is always there (a brace in its map, a token behind another one); spaces at ends that are trimmed once more, and empty lists that nothing reads; texts of 8 Mi characters; open: brackets that differ in branches of an #if (`braces`), macros and members of enums at the end of a file (`layout`), the last of several places where a long line may end (`wrapping`)",
  "base/packets":
    "positions of fields that are 0 (`SRC_PORT_AT`); lengths that other checks imply (a header that is cut, before its checksum); a loop whose last round does nothing (`ipv6Text`); an initial value that is set before it is read; open: lengths of blocks and of options in `pcapng-decoder`, the first bytes of a frame without an Ethernet header",
  "toolchain/control":
    "`?.` and `??` on what is always there (tables and fields that the printed entity names); a write of no mirrors; conditions that two words imply; open: packets and digests that `watch` prints in full, names of values without a naming",
  "fabric/probing": "open: not looked at one by one",
  "course/grading":
    "conditions that others imply (a target without stages, an answer to ARP that is not IPv4, frames of other types than IPv4); networks that are always on time; listings of files that no caller makes; `?.` on what is always there; open: the order of several errors of one packet test, details of a program that a target refuses, digests that are configured already. The tests of `test/course/submissions`, which grade in processes, are not counted",
  "fabric/sim/flow":
    "lists that grow before they must, shortcuts that save time only (`max-min`, `ordered-filling`, a kept least share), seeds that any other constant would spread as well; open: the buckets of flows by path beyond their first number, a restart without a signal and routes that change twice at one time (`link-faults`), hosts whose only link is down",
  "fabric/schemes/repac":
    "caches that save time only (`nic-hash`, known pathmaps); bounds of loops that end earlier; a tie between paths of equal load; places of messages; open: hints of messages in `check`, a pathmap that is probed again (`pathmap-controller`)",
  "toolchain/editing":
    "`?.` on what is always there, empty lists that nothing reads; open: completion behind type arguments and behind brackets that do not match (`completion/chain`, 12 of 35), single conditions of `hover`, `outline` and `rename`",
  "course/exercises":
    "places of errors inside a step; conditions that others imply (names that begin with ipv4 or ipv6 are these two, a header without fields has no bytes); empty lists that nothing reads after an error",
  base: "lengths that other checks imply (`sequence-index`); steps that save time only (`Random.int` of 2^32)",
  "fabric/statistics":
    "bounds that are equal to the last bit, and ties that give the same (`<=` for `<`); guards of a continued fraction and of a bisection that ends by itself; draws beyond 20 pairs, whose test the limit leaves out; open: the total time of merged and copied distributions (`time-weighted`), points of a thinned distribution (`cdf`)",
  "toolchain/program":
    "`?.` and `??` on what other checks imply; equal lengths in messages; `<` or `<=` behind the end of a text; entries of `@defaultonly` in a P4Info that is made from BMv2 JSON alone; places of messages inside a value; open: types of types in `lookup`, sums over several errors of one object",
  "course/submissions":
    "each is listed in docs/mutants.md: half of them are in functions of real switches (`testbed/network`, `testbed/networks`) and in the process that grades (`worker`), whose tests start namespaces and processes and are not counted. A lower bound: tests above 200 ms were not tried to their end",
  "course/lab":
    "conditions that others imply (a hop of another kind has no trace, a time without digits is no number); empty lists that are never searched; a count of frames that goes down; `?.` on what is always there; open: the length of slices of a slow machine (`pacer`), controllers whose promises settle between events (`running`, by tests of `lab-server`), a frame with nothing but drops, const entries beside others (`state-view`), idle entries as lines (`switch-control`), ECN of DCTCP (`flow`)",
  "toolchain/solver":
    "what makes the search faster and changes no answer (first values of variables, the order of a cone, the sizes of activities, which clauses are forgotten, a swap in the heap); simplifications whose result the next step gives too; initial values that are set before they are read; a shift by more than the width, whose bits are 0 anyway; one gate for an exclusive or in either order",
  "course/lab-server":
    "`?.` and `??` on what is always there; the body of an answer to HEAD, which Node leaves out itself; an index of a switch without planned statements; open: raw sockets on interfaces (`frame-outlets`, 3, by tests of namespaces), a network that runs for tests on real switches (`open-lab`), the trace of a packet whose lab began long after its machine (`testbed-session`), a queue without a limit of packets and an IPv6 file without a scheme (`experiment-project`)",
  "fabric/experiment/faults":
    "conditions that others imply (`hasEntries`, a list of drops as a number); numbers of changes that are equal to their limit; open: the error of a restart during a run, a reset of drops (`flow-drops`), two faults of one link that end and begin at one time (`listed-faults`)",
  "fabric/experiment/seeing":
    "conditions that others imply (a trace of no flows, a frame without ports); bounds of loops that end earlier; values that are equal to a limit (`>=`), and a queue of 0 bytes; open: the bins of a large network (`FabricRecorder`), two flows whose keys have one sum (`find`), how far apart the hosts of a circle are (`layout`), the scripts of the page, which run in a browser, and disks that are full (`output-file`)",
  "fabric/own-schemes":
    "the thread that ends a process whose chooser loops (`announce`, `watchedCaller`; a test starts the process, and processes hold no mutants here); errors that a second load of a module gives too (`import-module`); a last character that is no bracket (`depthAt`); open: names of switches in `planKey`",
  "fabric/experiment/testbed":
    "open: times of the machine's own clock (`flow-watch`), a list of missing signals that is empty, a second start of controllers and their end (`run`), and what a controller asks of switches and hosts (`scheme-on-testbed`), by tests of namespaces",
  "fabric/experiment/kinds":
    "equivalent: sends of 0 bytes, a network that is closed and not used again, the length of slices of a run, a key that is below no number; open: the window of a load, probes and broken flows on real hosts (3, by `load/on-lab.test.ts`), a client that closes before its server has accepted, a UDP port that is drawn again, two pairs of pods that are equally uneven",
  "fabric/experiment/sweep":
    "initial values that are set before they are read, `?.` on what is always there; an error of a child process that Node has started; ends of files that are read once more without effect; open: the signals and the thread of a worker's process (`serveSweep`, 4), which a test in the same process would end with, texts of sbatch and squeue with spaces around them and points files of ten and more shards (`slurm`), points in files that are no objects and keys of schemes that are no lists (`space`)",
};

const GOAL = 0.85;

const shareOf = ({ detected, mutants }: Score) => detected / mutants;

/** Rooms of the scores in a sentence: `a`, `b` and `c`. */
function named(scores: readonly Score[]): string {
  const rooms = scores.map(({ room }) => `\`${room}\``);
  return rooms.length < 2 ? (rooms[0] ?? "none") : `${rooms.slice(0, -1).join(", ")} and ${rooms.at(-1)}`;
}

export default page("docs/testing.md", {
  mutants: block({
    runs: { scores: script("tools/figures/measure/mutation-scores.ts") },
    pick: { scores: (document): Score[] => document },
    inputs: ["tools/mutants/scores.json"],
    render: ({ scores }) =>
      table(
        ["room", "tried", "mutants", "score", "run", "survivors, and why"],
        scores.map((score) => [
          `\`${score.room}\``,
          score.tried,
          score.mutants,
          percent(shareOf(score)),
          score.date,
          SURVIVORS[score.room] ?? "not looked at one by one",
        ]),
      ),
    values: ({ scores }) => ({
      reached: named(scores.filter((score) => shareOf(score) >= GOAL)),
      below: named(scores.filter((score) => shareOf(score) < GOAL)),
    }),
  }),
});
