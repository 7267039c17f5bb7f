/**
 * Cases of the P4Runtime fuzzer. For any bytes, every call must be answered with a correct status, a rejected request must
 * change nothing, and the server must continue.
 */
import { create, type DescMessage, toBinary } from "@bufbuild/protobuf";
import { status } from "@grpc/grpc-js";
import type { Random } from "../../../src/base/index.js";
import { DeviceError } from "../../../src/toolchain/device/index.js";
import { encodeUpdate } from "../../../src/toolchain/p4runtime/codec/entity.js";
import { CURRENT_DIALECT } from "../../../src/toolchain/p4runtime/codec/ports.js";
import { makeWire } from "../../../src/toolchain/p4runtime/codec/wire.js";
import { electionIdMessage } from "../../../src/toolchain/p4runtime/election.js";
import {
  CapabilitiesRequestSchema,
  DigestListAckSchema,
  ForwardingPipelineConfigSchema,
  GetForwardingPipelineConfigRequestSchema,
  PacketOutSchema,
  ReadRequestSchema,
  SetForwardingPipelineConfigRequestSchema,
  StreamMessageRequestSchema,
  UpdateSchema,
  WriteRequestSchema,
} from "../../../src/toolchain/p4runtime/generated/p4/v1/p4runtime_pb.js";
import {
  ApplyRequestSchema,
  DescribeRequestSchema,
} from "../../../src/toolchain/p4runtime/generated/p4loom/v1/settings_pb.js";
import { type Program, p4info } from "../../../src/toolchain/program/index.js";
import { namesProgram } from "../../../test/toolchain/p4runtime/names-program.js";
import { mutateJson } from "./json-mutate.js";
import { makeMessage, mutateBytes, randomBytes } from "./p4runtime-messages.js";
import { arbitration, looseFault, P4RUNTIME, parse, Rig, SETTINGS, wrongAnswer } from "./p4runtime-rig.js";
import type { FuzzCase } from "./runner.js";
import { programAt, programCount } from "./switch-programs.js";
import { makeUpdate } from "./switch-updates.js";

/** Number of calls of one case. */
const CALLS = 12;
const electionId = electionIdMessage(1n);

let programs: Program[] | undefined;

/** Programs whose state a controller can read, and one with types translated to strings. */
function somePrograms(): readonly Program[] {
  programs ??= [
    namesProgram(),
    ...Array.from({ length: programCount }, (_, i) => programAt(i).program).filter(
      (program) => program !== undefined && program.p4info.tables.length > 0,
    ),
  ] as Program[];
  return programs;
}

/** Runs `calls` on a new server, which must still work at the end. */
async function withRig(
  random: Random,
  calls: (rig: Rig) => Promise<string | undefined>,
): Promise<string | undefined> {
  const rig = await Rig.start(random.pick(somePrograms()));
  try {
    const fault = await calls(rig);
    if (fault !== undefined) return fault;
    const bytes = toBinary(CapabilitiesRequestSchema, create(CapabilitiesRequestSchema));
    const { code, details } = await rig.call(`${P4RUNTIME}/Capabilities`, bytes);
    return looseFault() ?? (code === 0 ? undefined : `the server does not serve on: ${code} ${details}`);
  } finally {
    rig.close();
  }
}

/** The bytes of a message, unchanged or with some changes. */
function perhapsMutated(random: Random, bytes: Uint8Array): Uint8Array {
  return random.int(3) === 0 ? mutateBytes(random, bytes) : bytes;
}

function someUpdate(random: Random, rig: Rig): Uint8Array {
  if (random.int(3) > 0) {
    try {
      const wire = makeWire(rig.index, CURRENT_DIALECT, true);
      return toBinary(UpdateSchema, encodeUpdate(wire, makeUpdate(random, rig.device)));
    } catch (error) {
      if (!(error instanceof DeviceError)) throw error;
    }
  }
  return toBinary(UpdateSchema, makeMessage(random, UpdateSchema, rig.ids));
}

function someWrite(random: Random, rig: Rig): Uint8Array {
  const request = create(WriteRequestSchema, { deviceId: 1n, electionId });
  if (random.int(30) === 0) request.role = "other";
  if (random.int(30) === 0) request.deviceId = 2n;
  request.atomicity = random.int(40) === 0 ? 9 : random.int(3);
  for (let count = random.int(8); count >= 0; count--) {
    const bytes = someUpdate(random, rig);
    const update = parse(UpdateSchema, random.int(6) === 0 ? mutateBytes(random, bytes) : bytes);
    if (update !== undefined) request.updates.push(update);
  }
  return random.int(10) === 0
    ? mutateBytes(random, toBinary(WriteRequestSchema, request))
    : toBinary(WriteRequestSchema, request);
}

const write: FuzzCase = (random) =>
  withRig(random, async (rig) => {
    let before = await rig.state();
    for (let i = 0; i < CALLS; i++) {
      const bytes = someWrite(random, rig);
      const answer = await rig.call(`${P4RUNTIME}/Write`, bytes);
      const wrong = wrongAnswer(answer);
      if (wrong !== undefined) return wrong;
      const request = parse(WriteRequestSchema, bytes);
      const { code, parts } = answer;
      if (parts !== undefined && parts.length !== request?.updates.length) {
        return `${parts.length} statuses of ${request?.updates.length} updates`;
      }
      const after = await rig.state();
      const anyDone = code === status.OK || (parts?.includes(status.OK) === true && request?.atomicity === 0);
      if (!anyDone && after !== before) return `a refused write changed the state: ${code}`;
      before = after;
      if (parts?.includes(status.OK) && request !== undefined && request.atomicity !== 0) {
        return `an atomic batch was done in part: ${parts}`;
      }
    }
    return undefined;
  });

const read: FuzzCase = (random) =>
  withRig(random, async (rig) => {
    await rig.call(`${P4RUNTIME}/Write`, someWrite(random, rig));
    const before = await rig.state();
    for (let i = 0; i < CALLS; i++) {
      const request = makeMessage(random, ReadRequestSchema, rig.ids);
      if (random.int(20) > 0) request.deviceId = 1n;
      if (random.int(20) > 0) request.role = "";
      const bytes = perhapsMutated(random, toBinary(ReadRequestSchema, request));
      const wrong = wrongAnswer(await rig.call(`${P4RUNTIME}/Read`, bytes, true));
      if (wrong !== undefined) return wrong;
    }
    return (await rig.state()) === before ? undefined : "a Read changed the state";
  });

function someConfig(random: Random, rig: Rig): Uint8Array {
  const { bmv2, p4info: info } = random.int(2) === 0 ? rig.program : random.pick(somePrograms());
  const config = create(ForwardingPipelineConfigSchema, { cookie: { cookie: 7n } });
  const text = JSON.stringify(bmv2);
  const kind = random.int(4);
  config.p4DeviceConfig =
    kind === 0
      ? new TextEncoder().encode(mutateJson(text, random))
      : kind === 1 && random.int(3) === 0
        ? randomBytes(random, 200)
        : new TextEncoder().encode(text);
  if (kind === 2) {
    const bytes = mutateBytes(random, toBinary(p4info.P4InfoSchema, info));
    const mutated = parse(p4info.P4InfoSchema, bytes);
    if (mutated !== undefined) config.p4info = mutated;
  } else config.p4info = info;
  const request = create(SetForwardingPipelineConfigRequestSchema, { deviceId: 1n, electionId });
  request.action = random.int(20) === 0 ? 0 : 1 + random.int(5);
  if (random.int(8) > 0 && request.action !== 4) request.config = config;
  return toBinary(SetForwardingPipelineConfigRequestSchema, request);
}

const config: FuzzCase = (random) =>
  withRig(random, async (rig) => {
    for (let i = 0; i < 4; i++) {
      await rig.call(`${P4RUNTIME}/Write`, someWrite(random, rig));
      const [before, program] = [await rig.state(), rig.device.program];
      const bytes = someConfig(random, rig);
      const answer = await rig.call(`${P4RUNTIME}/SetForwardingPipelineConfig`, bytes);
      const wrong = wrongAnswer(answer);
      if (wrong !== undefined) return wrong;
      const get = makeMessage(random, GetForwardingPipelineConfigRequestSchema, rig.ids);
      if (random.int(10) > 0) get.deviceId = 1n;
      const got = await rig.call(
        `${P4RUNTIME}/GetForwardingPipelineConfig`,
        perhapsMutated(random, toBinary(GetForwardingPipelineConfigRequestSchema, get)),
      );
      const alsoWrong = wrongAnswer(got);
      if (alsoWrong !== undefined) return alsoWrong;
      // FAILED_PRECONDITION: a COMMIT whose program runs, without some updates since it was saved
      if (answer.code === status.OK || answer.code === status.FAILED_PRECONDITION) continue;
      if ((await rig.state()) !== before) return `a refused config changed the state: ${answer.details}`;
      const action = parse(SetForwardingPipelineConfigRequestSchema, bytes)?.action;
      // RECONCILE loads the old program again
      if (rig.device.program !== program && action !== 5) return `a refused config changed the program`;
    }
    return undefined;
  });

function someMessage(random: Random, rig: Rig): Uint8Array {
  const message = makeMessage(random, StreamMessageRequestSchema, rig.ids);
  const { update } = message;
  switch (random.int(4)) {
    case 0:
      message.update = { case: "packet", value: makeMessage(random, PacketOutSchema, rig.ids) };
      break;
    case 1:
      message.update = { case: "digestAck", value: makeMessage(random, DigestListAckSchema, rig.ids) };
      break;
    default:
      if (update.case === "arbitration" && random.int(5) > 0) update.value.deviceId = 1n;
      if (update.case === "arbitration" && random.int(3) > 0) delete update.value.role;
  }
  return perhapsMutated(random, toBinary(StreamMessageRequestSchema, message));
}

const stream: FuzzCase = (random) =>
  withRig(random, async (rig) => {
    const streams = await Promise.all(
      Array.from({ length: 1 + random.int(4) }, () => {
        const messages = Array.from({ length: random.int(CALLS) }, () => someMessage(random, rig));
        const first = random.int(2) === 0 ? [arbitration(BigInt(2 + random.int(4)))] : [];
        // a changed role ends the stream, any other message is answered: so either can be awaited
        const last = random.int(4) === 0 ? randomBytes(random, 60) : arbitration(1n);
        return new Promise<string | undefined>((resolve) => {
          const timer = setTimeout(() => resolve("the stream is not answered"), 20_000);
          let call: ReturnType<Rig["stream"]> | undefined;
          const finish = (): void => {
            clearTimeout(timer);
            if (random.int(2) === 0) call?.end();
            else call?.cancel();
            resolve(undefined);
          };
          let answers = 0;
          call = rig.stream([...first, ...messages, last], (bytes) => {
            if (bytes === undefined || ++answers >= 2) finish();
          });
          call.end();
        });
      }),
    );
    const unanswered = streams.find((each) => each !== undefined);
    if (unanswered !== undefined) return unanswered;
    // a Write is answered, for any primary
    return wrongAnswer(await rig.call(`${P4RUNTIME}/Write`, someWrite(random, rig)));
  });

const METHODS: readonly [path: string, schema: DescMessage, streaming: boolean][] = [
  [`${P4RUNTIME}/Write`, WriteRequestSchema, false],
  [`${P4RUNTIME}/Read`, ReadRequestSchema, true],
  [`${P4RUNTIME}/SetForwardingPipelineConfig`, SetForwardingPipelineConfigRequestSchema, false],
  [`${P4RUNTIME}/GetForwardingPipelineConfig`, GetForwardingPipelineConfigRequestSchema, false],
  [`${P4RUNTIME}/Capabilities`, CapabilitiesRequestSchema, false],
  [`${SETTINGS}/Describe`, DescribeRequestSchema, false],
  [`${SETTINGS}/Apply`, ApplyRequestSchema, false],
  [`${P4RUNTIME}/NoSuchCall`, WriteRequestSchema, false],
];

/** Any call with random bytes, or with a random message of its type. */
const bytes: FuzzCase = (random) =>
  withRig(random, async (rig) => {
    let before = await rig.state();
    for (let i = 0; i < CALLS; i++) {
      const [path, schema, streaming] = random.pick(METHODS);
      const message = (): Uint8Array => {
        const made = makeMessage(random, schema, rig.ids) as unknown as Record<string, unknown>;
        if ("deviceId" in made && random.int(6) > 0) made["deviceId"] = 1n;
        if ("electionId" in schema.field && random.int(3) > 0) made["electionId"] = electionId;
        if ("role" in made && random.int(3) > 0) made["role"] = "";
        return perhapsMutated(random, toBinary(schema, made as never));
      };
      const request = random.int(3) === 0 ? randomBytes(random, random.int(4) === 0 ? 2000 : 40) : message();
      const answer = await rig.call(path, request, streaming);
      const wrong = wrongAnswer(answer);
      if (wrong !== undefined) return `${path}: ${wrong}`;
      const partly = answer.parts?.includes(status.OK) || answer.code === status.FAILED_PRECONDITION;
      const after = await rig.state();
      if (answer.code !== status.OK && !partly && after !== before) {
        return `${path} was refused and changed the state`;
      }
      before = after;
    }
    return undefined;
  });

export const cases: Readonly<Record<string, FuzzCase>> = { write, read, config, stream, bytes };
