/** Ports over gRPC: AddPort, RemovePort and ListPorts of p4loom.v1.Settings. */
import { create } from "@bufbuild/protobuf";
import { describe, expect, it } from "vitest";
import {
  DeviceError,
  type PortAttachment,
  type PortControl,
  type PortDescription,
} from "../../../src/toolchain/device/index.js";
import { electionIdMessage } from "../../../src/toolchain/p4runtime/election.js";
import {
  AddPortRequestSchema,
  RemovePortRequestSchema,
} from "../../../src/toolchain/p4runtime/generated/p4loom/v1/settings_pb.js";
import { codeOf, openChannel, refusal, startClient, startServer } from "./helpers.js";
import { MemoryDevice } from "./memory-device.js";

class Shelf extends MemoryDevice {
  readonly held = new Map<number, PortAttachment>();
  readonly ports: PortControl = {
    add: async (port, attachment) => {
      if (attachment.name === "missing0") throw new DeviceError("NOT_FOUND", "no interface missing0");
      this.held.set(port, attachment);
    },
    remove: async (port) => {
      if (!this.held.delete(port)) throw new DeviceError("NOT_FOUND", `there is no port ${port}`);
    },
    list: async () =>
      [...this.held].map(
        ([port, attachment]): PortDescription => ({
          ...{ port, attachment, up: port !== 2, received: 2 ** 40, sent: 3, receiveDrops: 4, sendDrops: 5 },
        }),
      ),
  };
}

async function start() {
  const device = new Shelf();
  const server = await startServer(device);
  const client = await startClient(server.address);
  return { device, server, client, ports: client.ports! };
}

const veth: PortAttachment = { kind: "interface", name: "veth0" };

describe("ports", () => {
  it("are added, listed and removed as they were given", async () => {
    const { device, ports } = await start();
    const inside: PortAttachment = { kind: "interface", name: "eth1", namespace: "/proc/7/ns/net" };
    const files: PortAttachment = { kind: "files", name: "run/p3" };
    await ports.add(1, veth);
    await ports.add(2, inside);
    await ports.add(511, files);
    expect([...device.held]).toEqual([
      [1, veth],
      [2, inside],
      [511, files],
    ]);
    expect(await ports.list()).toEqual(await device.ports.list());
    await ports.remove(2);
    expect([...device.held.keys()]).toEqual([1, 511]);
  });

  it("are refused as the device says, and before it is asked", async () => {
    const { device, server, ports } = await start();
    expect(await refusal(ports.add(1, { kind: "interface", name: "missing0" }))).toMatchObject({
      code: "NOT_FOUND",
      message: "no interface missing0",
    });
    expect(await refusal(ports.remove(1))).toMatchObject({
      code: "NOT_FOUND",
      message: "there is no port 1",
    });
    expect(await refusal(ports.add(512, veth))).toMatchObject({
      code: "OUT_OF_RANGE",
      message: "port 512; ports are 0 to 511",
    });
    expect(await codeOf(ports.remove(512))).toBe("OUT_OF_RANGE");
    for (const wrong of [-1, 1.5, Number.NaN, 2 ** 32])
      expect(await codeOf(ports.add(wrong, veth))).toBe("INVALID_ARGUMENT");
    for (const name of ["", "a\nb", "\u001b[2J", "x".repeat(4097)]) {
      expect(await codeOf(ports.add(1, { kind: "interface", name }))).toBe("INVALID_ARGUMENT");
      expect(await codeOf(ports.add(1, { kind: "files", name }))).toBe("INVALID_ARGUMENT");
    }
    expect(await codeOf(ports.add(1, { ...veth, namespace: "a\u0000" } as PortAttachment))).toBe(
      "INVALID_ARGUMENT",
    );
    const bare = create(AddPortRequestSchema, { deviceId: 1n, electionId: electionIdMessage(1n), port: 1 });
    expect((await refusal(openChannel(server.address).addPort(bare))).message).toBe(
      "port 1 has neither an interface nor files",
    );
    expect(device.held.size).toBe(0);
  });

  it("are the primary's to change, and anybody's to list", async () => {
    const { device, server, client } = await start();
    await client.ports!.add(1, veth);
    const watcher = await startClient(server.address, { readOnly: true });
    expect(await watcher.ports!.list()).toHaveLength(1);
    expect(await codeOf(watcher.ports!.add(2, veth))).toBe("PERMISSION_DENIED");
    const channel = openChannel(server.address);
    const of = (deviceId: bigint, electionId: bigint, role = "") =>
      create(RemovePortRequestSchema, { deviceId, role, electionId: electionIdMessage(electionId), port: 1 });
    expect(await codeOf(channel.removePort(of(2n, 1n)))).toBe("NOT_FOUND");
    expect(await codeOf(channel.removePort(of(1n, 9n)))).toBe("PERMISSION_DENIED");
    expect(await codeOf(channel.removePort(of(1n, 1n, "other")))).toBe("NOT_FOUND");
    expect(await codeOf(channel.listPorts(2n))).toBe("NOT_FOUND");
    expect([...device.held.keys()]).toEqual([1]);
  });

  it("are not there where the device has none to add", async () => {
    const server = await startServer(new MemoryDevice());
    expect((await startClient(server.address)).ports).toBeUndefined();
    expect(await codeOf(openChannel(server.address).listPorts(1n))).toBe("UNIMPLEMENTED");
  });

  it("go through a server in front of a remote device", async () => {
    const { device, client } = await start();
    const far = await startClient((await startServer(client)).address);
    await far.ports!.add(4, veth);
    expect([...device.held]).toEqual([[4, veth]]);
    expect(await far.ports!.list()).toHaveLength(1);
  });
});
