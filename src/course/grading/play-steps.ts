/** Runs the steps of a test on a network, in order, until one fails. */
import type { Span } from "../../base/index.js";
import type { Interpreter } from "../../toolchain/control/index.js";
import {
  type ControllerPacket,
  DeviceError,
  type DeviceEvent,
  type DigestList,
} from "../../toolchain/device/index.js";
import type { ExerciseStep } from "../exercises/index.js";
import { bootSwitches } from "./boot.js";
import type { RunningController, StartController } from "./controller.js";
import { StepFailure } from "./failure.js";
import type { TestNetwork } from "./network.js";
import { playPacket, playPing } from "./steps/packet.js";
import { checkDigests, checkPacketIns, playAsk } from "./steps/state.js";
import { playTraffic } from "./steps/traffic.js";
import { failureOf, type Submission } from "./submission.js";

/** Time for a controller to prepare the network before the first step. */
const START_NS = 100e6;

/** The messages of a switch since the last step that read them. */
interface Messages {
  packets: ControllerPacket[];
  digests: DigestList[];
}

/** What a test has beside its steps and its network. */
interface StepSurroundings {
  /** Is given the function that the network must wait for before time advances. */
  readonly waits: { idle?: () => Promise<void> };
  readonly startController: StartController | undefined;
  /** Called before each step. */
  begin(): void;
}

/** Undefined when all steps passed. */
export async function playSteps(
  steps: readonly ExerciseStep[],
  submission: Submission,
  network: TestNetwork,
  { waits, startController, begin }: StepSurroundings,
): Promise<{ failure: StepFailure; span: Span | undefined } | undefined> {
  const interpreters = await bootSwitches(network, submission);
  const received = await listen(steps, submission, network);
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
      await network.advance(START_NS);
    }
    for (const step of steps) {
      begin();
      span = step.span;
      const failure: unknown = await play(step, submission, network, interpreters, received).then(
        () => undefined,
        (error: unknown) => error,
      );
      // An error of the controller is the cause of the failure.
      await controller?.idle();
      if (failure !== undefined) throw failure;
      checkStrayed(step, network);
    }
    return undefined;
  } catch (error) {
    return { failure: failureOf(error, "the step can be run"), span };
  } finally {
    delete waits.idle;
    await controller?.close();
  }
}

/**
 * A frame that leaves by a port without a link arrives nowhere, as one that was dropped: only this shows that the program did not drop it.
 */
function checkStrayed({ kind }: ExerciseStep, network: TestNetwork): void {
  if (kind !== "packet" && kind !== "ping" && kind !== "traffic") return;
  const [port] = network.strayed?.() ?? [];
  if (port === undefined) return;
  const reason = port.endsWith("-p0") ? ["a packet for which the program sets no port leaves by port 0"] : [];
  throw new StepFailure(
    "each packet leaves by a port with a link, or is dropped",
    `a packet leaves by ${port}, which has no link`,
    reason,
  );
}

async function play(
  step: ExerciseStep,
  submission: Submission,
  network: TestNetwork,
  interpreters: ReadonlyMap<string, Interpreter>,
  received: ReadonlyMap<string, Messages>,
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
      return network.advance(step.ns);
    case "link":
      return network.setLink(step.a, step.b, step.up);
    case "ask":
      return playAsk(step, interpreters.get(step.switch)!);
    case "packetIns": {
      const messages = received.get(step.switch)!;
      checkPacketIns(step, messages.packets.splice(0));
      return;
    }
    case "digests": {
      const messages = received.get(step.switch)!;
      checkDigests(step, messages.digests.splice(0));
    }
  }
}

/** Subscribes to the switches whose messages the steps check, and enables the digests that they check. */
async function listen(
  steps: readonly ExerciseStep[],
  submission: Submission,
  network: TestNetwork,
): Promise<ReadonlyMap<string, Messages>> {
  const received = new Map<string, Messages>();
  for (const step of steps) {
    if (step.kind !== "packetIns" && step.kind !== "digests") continue;
    if (!received.has(step.switch)) {
      const messages: Messages = { packets: [], digests: [] };
      received.set(step.switch, messages);
      network.watch(step.switch, (event: DeviceEvent) => {
        if (event.kind === "packetIn") messages.packets.push(event.packet);
        if (event.kind === "digest") messages.digests.push(event.list);
      });
    }
    if (step.kind === "digests" && submission.exercise.controller === undefined)
      await enableDigest(network, step.switch, step.digest);
  }
  return received;
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
  // BMv2 answers the read of a digest that is not configured with an error.
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
