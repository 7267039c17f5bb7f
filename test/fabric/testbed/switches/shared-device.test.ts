/** A switch that several controllers use, over gRPC, with a device that keeps what is written. */
import { describe, expect, it } from "vitest";
import { SharedDevice } from "../../../../src/fabric/testbed/switches/shared-device.js";
import type { PortControl } from "../../../../src/toolchain/device/index.js";
import { p4infoOf } from "../../../toolchain/control/start.js";
import {
  cpuProgram,
  destination,
  refusal,
  startClient,
  startPair,
  startServer,
  until,
} from "../../../toolchain/p4runtime/helpers.js";
import { startUnconfigured } from "../../../toolchain/switch/golden.js";

/** Zero for every metadata field of the program's packets. */
function metadataOf(header: "packet_in" | "packet_out"): Record<string, bigint> {
  const info = cpuProgram().p4info.controllerPacketMetadata.find(({ preamble }) => preamble?.name === header);
  return Object.fromEntries(info!.metadata.map(({ name }) => [name, 0n]));
}

async function startShared() {
  const { device, server, client } = await startPair({ connect: { electionId: 1n } });
  const lines: string[] = [];
  const shared = new SharedDevice(client, (line) => void lines.push(line));
  return { device, server, client, shared, lines };
}

describe("SharedDevice", () => {
  it("leaves the role of primary to a controller with election id 1, also after writes of its own", async () => {
    const { server, client, shared } = await startShared();
    await Promise.all([1, 2, 3].map((n) => shared.write([destination(n)])));
    expect(client.isPrimary).toBe(false);
    const controller = await startClient(server.address, { electionId: 1n });
    expect(controller.isPrimary).toBe(true);
    await controller.write([destination(4)]);
    expect(await shared.read([{ kind: "tableEntry" }])).toHaveLength(4);
    const error = await refusal(shared.write([destination(5)]));
    expect(error.code).toBe("PERMISSION_DENIED");
    expect(error.message).toContain("another controller is primary of");
    await controller.close();
    await shared.write([destination(5)]);
    expect(await shared.read([{ kind: "tableEntry" }])).toHaveLength(5);
  });

  it("is primary for as long as it is watched", async () => {
    const { device, client, shared, lines } = await startShared();
    const seen: string[] = [];
    const stop = shared.watch((event) => void seen.push(event.kind));
    await until(() => client.isPrimary);
    await shared.write([destination(1)]);
    expect(client.isPrimary).toBe(true);
    device.say({
      kind: "packetIn",
      packet: { payload: Uint8Array.of(1), metadata: metadataOf("packet_in") },
    });
    await until(() => seen.length > 0);
    stop();
    await until(() => !client.isPrimary);
    expect(seen).toEqual(["packetIn"]);
    expect(lines).toEqual([]);
  });

  it("says that it sees no events while another controller is primary", async () => {
    const { server, shared, lines } = await startShared();
    await startClient(server.address, { electionId: 1n });
    const stop = shared.watch(() => {});
    await until(() => lines.length > 0);
    expect(lines[0]).toMatch(/^another controller is primary of .*; no events are seen$/);
    stop();
  });

  it("sends a packet before it resigns", async () => {
    const { device, client, shared } = await startShared();
    await shared.packetOut({ payload: Uint8Array.of(1, 2), metadata: metadataOf("packet_out") });
    expect(device.packets).toHaveLength(1);
    expect(client.isPrimary).toBe(false);
  });

  it("adds ports and restores states as primary for as long as that takes", async () => {
    const added: number[] = [];
    const ports: PortControl = {
      add: async (port) => void added.push(port),
      remove: async (port) => void added.splice(added.indexOf(port), 1),
      list: async () => [],
    };
    const { device } = startUnconfigured("l3", p4infoOf("l3"), { ports });
    const client = await startClient((await startServer(device)).address);
    const shared = new SharedDevice(client, () => {});
    await shared.ports!.add(3, { kind: "interface", name: "veth3" });
    await shared.ports!.add(4, { kind: "interface", name: "veth4" });
    await shared.ports!.remove(3);
    expect(added).toEqual([4]);
    await shared.state!.restore(await shared.state!.save());
    await shared.state!.reset();
    expect(client.isPrimary).toBe(false);
  });
});
