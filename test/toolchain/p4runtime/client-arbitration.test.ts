/** The claims of a controller, against the arbitration of the server: neither streams nor time. */
import { create } from "@bufbuild/protobuf";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { DeviceError } from "../../../src/toolchain/device/index.js";
import {
  type ClaimAnswer,
  type ClaimOptions,
  ClientArbitration,
} from "../../../src/toolchain/p4runtime/client/arbitration.js";
import { electionIdMessage } from "../../../src/toolchain/p4runtime/election.js";
import {
  type MasterArbitrationUpdate,
  MasterArbitrationUpdateSchema,
} from "../../../src/toolchain/p4runtime/generated/p4/v1/p4runtime_pb.js";
import { Arbitration } from "../../../src/toolchain/p4runtime/server/arbitration.js";
import { codeNumber } from "../../../src/toolchain/p4runtime/status.js";
import { codeOf } from "./helpers.js";

const FREE: ClaimOptions = { electionId: undefined, takeOver: false };

function update(code: "OK" | "ALREADY_EXISTS" | "NOT_FOUND", electionId?: bigint): MasterArbitrationUpdate {
  const message = create(MasterArbitrationUpdateSchema, { status: { code: codeNumber(code) } });
  if (electionId !== undefined) message.electionId = electionIdMessage(electionId);
  return message;
}

/** Plays the claims against answers; returns the election ids that were sent. */
function play(client: ClientArbitration, answers: readonly ClaimAnswer[]): (bigint | undefined)[] {
  const sent: (bigint | undefined)[] = [];
  const claims = client.claims();
  const rest = [...answers];
  for (let step = claims.next(); !step.done; ) {
    sent.push(step.value);
    const answer = rest.shift()!;
    if (answer !== "refused") client.note(answer);
    step = claims.next(answer);
  }
  expect(rest).toEqual([]);
  return sent;
}

describe("the claims of a controller", () => {
  it("ask for the highest election id and claim one more", () => {
    const client = new ClientArbitration(FREE);
    expect(play(client, [update("NOT_FOUND", 7n), update("OK", 8n)])).toEqual([undefined, 8n]);
    expect([client.isPrimary, client.electionId, client.primaryId]).toEqual([true, 8n, 8n]);
  });

  it("begin with 1 at a switch that has seen none, and at one that refuses the question", () => {
    for (const answer of [update("NOT_FOUND"), "refused"] as const)
      expect(play(new ClientArbitration(FREE), [answer, update("OK", 1n)])).toEqual([undefined, 1n]);
  });

  it("repeat the highest id where that is wanted", () => {
    const client = new ClientArbitration({ electionId: "highest", takeOver: false });
    expect(play(client, [update("NOT_FOUND", 7n), update("OK", 7n)])).toEqual([undefined, 7n]);
    // not that of a live primary, which the switch would refuse
    const taker = new ClientArbitration({ electionId: "highest", takeOver: true });
    expect(play(taker, [update("ALREADY_EXISTS", 7n), update("OK", 8n)])).toEqual([undefined, 8n]);
  });

  it("end when another controller is primary, naming it", async () => {
    const asking = new ClientArbitration(FREE);
    const error = await codeOf(() =>
      Promise.resolve().then(() => play(asking, [update("ALREADY_EXISTS", 7n)])),
    );
    expect(error).toBe("PERMISSION_DENIED");
    expect(asking.describe()).toBe("not primary: the controller with election id 7 is");
    const fixed = new ClientArbitration({ electionId: 3n, takeOver: true });
    expect(() => play(fixed, [update("ALREADY_EXISTS", 7n)])).toThrow(
      new DeviceError("PERMISSION_DENIED", "not primary: the controller with election id 7 is; ours is 3"),
    );
  });

  it("pass the highest id when they displace another, even one that came in between", () => {
    const client = new ClientArbitration({ electionId: undefined, takeOver: true });
    const answers = [update("ALREADY_EXISTS", 7n), update("ALREADY_EXISTS", 20n), update("OK", 21n)];
    expect(play(client, answers)).toEqual([undefined, 8n, 21n]);
  });

  it("are followed by what changes the role", () => {
    const client = new ClientArbitration({ electionId: 5n, takeOver: false });
    expect(client.note(update("OK", 5n))).toBe("gained");
    expect(client.note(update("OK", 5n))).toBeUndefined();
    expect(client.note(update("ALREADY_EXISTS", 6n))).toBe("lost");
    expect(client.note(update("NOT_FOUND", 6n))).toBeUndefined();
    expect(client.describe()).toBe("not primary: there is no primary");
    expect(client.note(update("OK", 5n))).toBe("gained");
    client.disconnected();
    expect(client.isPrimary).toBe(false);
  });

  it("make a primary of the server's arbitration, or are refused while it has another", () => {
    const option = fc.record({
      electionId: fc.oneof(
        fc.constant(undefined),
        fc.constant("highest" as const),
        fc.bigInt({ min: 1n, max: 9n }),
      ),
      takeOver: fc.boolean(),
      leaves: fc.boolean(),
    });
    fc.assert(
      fc.property(fc.array(option, { maxLength: 12 }), (controllers) => {
        const server = new Arbitration(1n, 64);
        for (const { leaves, ...options } of controllers) {
          const client = new ClientArbitration(options);
          let answer: ClaimAnswer | undefined;
          const controller = {
            arbitrate: (message: MasterArbitrationUpdate) => {
              answer = message;
              client.note(message);
            },
            end: () => {
              answer = "refused";
            },
          };
          const claims = client.claims();
          let refused = false;
          try {
            for (let step = claims.next(); !step.done; ) {
              answer = undefined;
              const message = create(MasterArbitrationUpdateSchema, { deviceId: 1n });
              if (step.value !== undefined) message.electionId = electionIdMessage(step.value);
              server.update(controller, message);
              step = claims.next(answer!);
            }
          } catch (error) {
            expect((error as DeviceError).code).toBe("PERMISSION_DENIED");
            refused = true;
          }
          expect(server.isPrimary(controller)).toBe(!refused);
          if (!refused) expect(client.isPrimary).toBe(true);
          if (typeof options.electionId !== "bigint" && options.takeOver) expect(refused).toBe(false);
          if (leaves || refused) server.remove(controller);
        }
      }),
    );
  });
});
