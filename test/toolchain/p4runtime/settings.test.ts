/** Queues and hashes over gRPC: p4loom.v1.Settings beside p4.v1.P4Runtime. */
import { create } from "@bufbuild/protobuf";
import { describe, expect, it } from "vitest";
import { DeviceError, type TargetSettings } from "../../../src/toolchain/device/index.js";
import { electionIdMessage } from "../../../src/toolchain/p4runtime/election.js";
import { ApplyRequestSchema } from "../../../src/toolchain/p4runtime/generated/p4loom/v1/settings_pb.js";
import { cpuProgram, openChannel, refusal, startClient, startServer } from "./helpers.js";
import { MemoryDevice } from "./memory-device.js";

class Told extends MemoryDevice {
  readonly calls: unknown[] = [];
  readonly settings: TargetSettings;

  constructor(toeplitz: boolean) {
    super();
    const note =
      (name: string) =>
      async (...args: unknown[]): Promise<void> => {
        if (args[0] === "nowhere")
          throw new DeviceError("NOT_FOUND", "the program has no calculation nowhere");
        this.calls.push([name, ...args]);
      };
    this.settings = {
      setQueueDepth: note("depth"),
      setQueueRate: note("rate"),
      setCrcParameters: note("crc"),
      ...(toeplitz ? { setToeplitzKey: note("toeplitz"), setGenerators: note("generators") } : {}),
    };
  }
}

async function start(toeplitz = true) {
  const device = new Told(toeplitz);
  await device.load(cpuProgram());
  const server = await startServer(device);
  const client = await startClient(server.address);
  return { device, server, client };
}

const crc = {
  polynomial: 0xffffffffn,
  initial: 0n,
  finalXor: 0x12345678n,
  reflectData: true,
  reflectRemainder: false,
};

describe("settings", () => {
  it("reach the device as they were given", async () => {
    const { device, client } = await start();
    const { settings } = client;
    await settings!.setQueueDepth(64);
    await settings!.setQueueDepth(0, { port: 0, priority: 0 });
    await settings!.setQueueRate(1e12, { port: 511 });
    await settings!.setCrcParameters("calc", 32, crc);
    await settings!.setToeplitzKey!("calc", Uint8Array.of(1, 2, 3, 4));
    const frame = Uint8Array.of(1, 2, 3);
    await settings!.setGenerators!([
      { port: 511, periodNs: 200_000, frame },
      { port: 0, periodNs: 1e12, startNs: 5, frame },
    ]);
    await settings!.setGenerators!([]);
    expect(device.calls).toEqual([
      ["depth", 64, {}],
      ["depth", 0, { port: 0, priority: 0 }],
      ["rate", 1e12, { port: 511 }],
      ["crc", "calc", 32, crc],
      ["toeplitz", "calc", Uint8Array.of(1, 2, 3, 4)],
      [
        "generators",
        [
          { port: 511, periodNs: 200_000, startNs: 0, frame },
          { port: 0, periodNs: 1e12, startNs: 5, frame },
        ],
      ],
      ["generators", []],
    ]);
  });

  it("are refused as the device says, and where they cannot be sent", async () => {
    const { device, client } = await start();
    const settings = client.settings!;
    expect(await refusal(settings.setCrcParameters("nowhere", 32, crc))).toMatchObject({
      code: "NOT_FOUND",
      message: "the program has no calculation nowhere",
    });
    const odd = { port: 1, periodNs: -1, frame: Uint8Array.of(1) };
    expect((await refusal(settings.setGenerators!([odd]))).code).toBe("INVALID_ARGUMENT");
    for (const wrong of [-1, 1.5, Number.NaN, 2 ** 60])
      expect((await refusal(settings.setQueueDepth(wrong))).code).toBe("INVALID_ARGUMENT");
    expect((await refusal(settings.setQueueRate(1, { port: -1 }))).code).toBe("INVALID_ARGUMENT");
    expect((await refusal(settings.setCrcParameters("calc", 16, crc))).message).toBe(
      "the polynomial of calc is 4294967295, which does not fit in 16 bits",
    );
    expect(device.calls).toEqual([]);
  });

  it("are not there where the device or the server has none", async () => {
    const server = await startServer(new MemoryDevice());
    expect((await startClient(server.address)).settings).toBeUndefined();
    const { client } = await start(false);
    expect(client.settings).toBeDefined();
    expect(client.settings!.setToeplitzKey).toBeUndefined();
    expect(client.settings!.setGenerators).toBeUndefined();
  });

  it("are the primary's to change, of this device, and need to say which", async () => {
    const { device, server, client } = await start();
    const channel = openChannel(server.address);
    const request = (deviceId: bigint, electionId: bigint, role = "") =>
      create(ApplyRequestSchema, {
        deviceId,
        role,
        electionId: electionIdMessage(electionId),
        setting: { case: "queueDepth", value: { packets: 1n } },
      });
    const codeOf = async (message: ReturnType<typeof request>) =>
      (await refusal(channel.applySetting(message))).code;
    expect(await codeOf(request(2n, 1n))).toBe("NOT_FOUND");
    expect(await codeOf(request(1n, 7n))).toBe("PERMISSION_DENIED");
    expect(await codeOf(request(1n, 1n, "other"))).toBe("NOT_FOUND");
    const electionId = electionIdMessage(1n);
    const apply = (setting: object) =>
      channel.applySetting(create(ApplyRequestSchema, { deviceId: 1n, electionId, ...setting }));
    expect((await refusal(apply({}))).code).toBe("INVALID_ARGUMENT");
    const odd = { setting: { case: "crcParameters", value: { calculation: "c", width: 8 } } };
    expect((await refusal(apply(odd))).message).toBe("a CRC of 8 bits; 16 or 32 are possible");
    const huge = { setting: { case: "queueRate", value: { packetsPerSecond: 2n ** 60n } } };
    expect((await refusal(apply(huge))).code).toBe("OUT_OF_RANGE");
    expect(device.calls).toEqual([]);
    await client.close();
    expect((await refusal(client.settings!.setQueueDepth(1))).code).toBe("UNAVAILABLE");
  });

  it("go through a server in front of a remote device", async () => {
    const { device, client } = await start();
    const second = await startServer(client);
    const far = await startClient(second.address);
    await far.settings!.setQueueDepth(5, { port: 3 });
    expect(device.calls).toEqual([["depth", 5, { port: 3 }]]);
  });
});
