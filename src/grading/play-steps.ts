/** Plays the steps of a test on a network, in order, until one fails. */
import type { Span } from "../base/index.js";
import type { Interpreter } from "../control/index.js";
import { type ControllerPacket, DeviceError, type DeviceEvent, type DigestList } from "../device/index.js";
import type { ExerciseStep } from "../exercises/index.js";
import { bootSwitches } from "./boot.js";
import type { RunningController, StartController } from "./controller.js";
import { StepFailure } from "./failure.js";
import type { TestNetwork } from "./network.js";
import { playPacket, playPing } from "./steps/packet.js";
import { checkDigests, checkPacketIns, playAsk } from "./steps/state.js";
import { playTraffic } from "./steps/traffic.js";
import { failureOf, type Submission } from "./submission.js";

/** Time that a controller gets to make the network ready, before the first step. */
const START_NS = 100e6;

/** What a switch has said since the test last asked. */
interface Heard {
  packets: ControllerPacket[];
  digests: DigestList[];
}

/**
 * Undefined when all steps passed.
 * @param waits gets what the network must wait for before time goes on
 * @param begin called before each step
 */
export async function playSteps(
  steps: readonly ExerciseStep[],
  submission: Submission,
  network: TestNetwork,
  waits: { idle?: () => Promise<void> },
  startController: StartController | undefined,
  begin: () => void,
): Promise<{ failure: StepFailure; span: Span | undefined } | undefined> {
  const interpreters = await bootSwitches(network, submission);
  const heard = await listen(steps, submission, network);
  const { controller: path } = submission.exercise;
  let controller: RunningController | undefined;
  let span: Span | undefined;
  try {
    if (path !== undefined) {
      if (startController === undefined)
        throw new StepFailure(
          `the controller ${path} runs`,
          "controllers cannot be run here: use p4loom grade",
        );
      controller = await startController(submission.handedIn.get(path)!, network);
      waits.idle = () => controller!.idle();
      await network.run(START_NS);
    }
    for (const step of steps) {
      begin();
      span = step.span;
      const failure: unknown = await play(step, submission, network, interpreters, heard).then(
        () => undefined,
        (error: unknown) => error,
      );
      // What went wrong in the controller is the cause.
      await controller?.idle();
      if (failure !== undefined) throw failure;
    }
    return undefined;
  } catch (error) {
    return { failure: failureOf(error, "the step can be carried out"), span };
  } finally {
    delete waits.idle;
    await controller?.close();
  }
}

async function play(
  step: ExerciseStep,
  submission: Submission,
  network: TestNetwork,
  interpreters: ReadonlyMap<string, Interpreter>,
  heard: ReadonlyMap<string, Heard>,
): Promise<void> {
  const { hosts } = submission.exercise.topology;
  switch (step.kind) {
    case "packet":
      return playPacket(step, network);
    case "ping":
      return playPing(step, network, hosts.find(({ name }) => name === step.to)!.ipv4);
    case "traffic":
      return playTraffic(step, network, hosts);
    case "wait":
      return network.run(step.ns);
    case "link":
      return network.setLink(step.a, step.b, step.up);
    case "ask":
      return playAsk(step, interpreters.get(step.switch)!);
    case "packetIns": {
      const said = heard.get(step.switch)!;
      checkPacketIns(step, said.packets.splice(0));
      return;
    }
    case "digests": {
      const said = heard.get(step.switch)!;
      checkDigests(step, said.digests.splice(0));
    }
  }
}

/** Listens to the switches whose messages a step asks for, and lets them send the digests that are asked for. */
async function listen(
  steps: readonly ExerciseStep[],
  submission: Submission,
  network: TestNetwork,
): Promise<ReadonlyMap<string, Heard>> {
  const heard = new Map<string, Heard>();
  for (const step of steps) {
    if (step.kind !== "packetIns" && step.kind !== "digests") continue;
    if (!heard.has(step.switch)) {
      const said: Heard = { packets: [], digests: [] };
      heard.set(step.switch, said);
      network.watch(step.switch, (event: DeviceEvent) => {
        if (event.kind === "packetIn") said.packets.push(event.packet);
        if (event.kind === "digest") said.digests.push(event.list);
      });
    }
    if (step.kind === "digests" && submission.exercise.controller === undefined)
      await enableDigest(network, step.switch, step.digest);
  }
  return heard;
}

async function enableDigest(network: TestNetwork, name: string, written: string): Promise<void> {
  const device = network.device(name);
  const digests = device.program?.p4info.digests ?? [];
  const found = digests
    .map(({ preamble }) => preamble?.name ?? "")
    .find((full) => full === written || full.endsWith(`.${written}`));
  if (found === undefined) {
    const known = digests.map(({ preamble }) => preamble?.name).join(", ");
    throw new StepFailure(`a digest ${written} in the program of ${name}`, `digests: ${known || "none"}`);
  }
  // BMv2 has no answer for a digest that is not configured, but an error.
  const present = await device.read([{ kind: "digest", digest: found }]).catch((error: unknown) => {
    if (error instanceof DeviceError && error.code === "NOT_FOUND") return [];
    throw error;
  });
  if (present.length > 0) return;
  const entity = {
    kind: "digest",
    digest: found,
    maxListSize: 1,
    maxTimeoutNs: 0n,
    ackTimeoutNs: 0n,
  } as const;
  await device.write([{ type: "insert", entity }]);
}
