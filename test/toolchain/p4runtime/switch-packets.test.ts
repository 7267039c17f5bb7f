/** Packets between a controller and the embedded switch, over gRPC and back: the program of test/golden/cpu. */
import { expect, it } from "vitest";
import { fromHex, toHex } from "../../../src/base/index.js";
import type { ControllerPacket, DeviceEvent } from "../../../src/toolchain/device/index.js";
import { Switch } from "../../../src/toolchain/switch/index.js";
import { ManualClock } from "../switch/golden.js";
import { cpuProgram, destination, startClient, startServer, until } from "./helpers.js";

const CPU_PORT = 255;
/** To 02:00:00:00:00:07 from :32, of type 0x1234. */
const FRAME = `020000000007020000000032${"1234"}${"68656c6c6f"}`;

async function start() {
  const frames: { port: number; hex: string }[] = [];
  const device = new Switch(cpuProgram(), {
    clock: new ManualClock(),
    cpuPort: CPU_PORT,
    transmit: (port, frame) => frames.push({ port, hex: toHex(frame) }),
  });
  const { address } = await startServer(device);
  const controller = await startClient(address);
  const heard: ControllerPacket[] = [];
  controller.watch((event: DeviceEvent) => {
    if (event.kind === "packetIn") heard.push(event.packet);
  });
  return { device, address, controller, frames, heard };
}

it("a packet-out leaves by the port of its metadata, without its header", async () => {
  const { controller, frames, heard } = await start();
  for (const port of [4n, 257n])
    await controller.packetOut({ payload: fromHex(FRAME)!, metadata: { egress_port: port, mode: 0n } });
  await until(() => frames.length === 2);
  expect(frames).toEqual([
    { port: 4, hex: FRAME },
    { port: 257, hex: FRAME },
  ]);
  expect(heard).toEqual([]);
});

it("a packet-out may go through the tables, and come back as a packet-in from the CPU port", async () => {
  const { controller, frames, heard } = await start();
  await controller.write([destination(7, 3)]);
  // The port of the metadata counts only in mode 0.
  await controller.packetOut({ payload: fromHex(FRAME)!, metadata: { egress_port: 4n, mode: 1n } });
  await until(() => frames.length === 1);
  expect(frames).toEqual([{ port: 3, hex: FRAME }]);
  const unknown = FRAME.replace("0007", "0008");
  await controller.packetOut({ payload: fromHex(unknown)!, metadata: { egress_port: 4n, mode: 1n } });
  await until(() => heard.length === 1);
  expect(heard[0]!.metadata).toMatchObject({ ingress_port: BigInt(CPU_PORT), reason: 1n });
  expect(toHex(heard[0]!.payload)).toBe(unknown);
  expect(frames).toHaveLength(1);
});

it("a packet to the CPU port is a packet-in with the metadata of its header, at the primary", async () => {
  const { device, address, controller, frames, heard } = await start();
  const packetIn = (ingress_port: bigint): ControllerPacket => ({
    payload: fromHex(FRAME)!,
    metadata: { ingress_port, reason: 1n, length: BigInt(FRAME.length / 2) },
  });
  device.receive(2, fromHex(FRAME)!);
  device.receive(300, fromHex(FRAME)!);
  await until(() => heard.length === 2);
  expect(heard).toEqual([packetIn(2n), packetIn(300n)]);
  expect(frames).toEqual([]);

  const taker = await startClient(address, { takeOver: true });
  const later: ControllerPacket[] = [];
  taker.watch((event) => {
    if (event.kind === "packetIn") later.push(event.packet);
  });
  await until(() => !controller.isPrimary);
  device.receive(5, fromHex(FRAME)!);
  await until(() => later.length === 1);
  expect(later).toEqual([packetIn(5n)]);
  expect(heard).toHaveLength(2);
});
