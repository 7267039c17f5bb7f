/** TUN devices, made in the namespace of a process of their own. */
import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { describe, expect, it } from "vitest";
import { TunDevice } from "../../../src/toolchain/interfaces/index.js";
import { inside, namespace, whyNot } from "./namespaces.js";

const reason = whyNot() ?? (existsSync("/dev/net/tun") ? undefined : "there is no /dev/net/tun");

/**
 * Makes a device, answers a ping by exchanging the addresses of each packet, and prints what it saw; the device is gone
 * when it is closed, and packets are refused then.
 */
const PROGRAM = `
import { execFile, execFileSync } from "node:child_process";
import { existsSync } from "node:fs";
import { TUN_HEADROOM, TunDevice } from ${JSON.stringify(join(import.meta.dirname, "../../../src/toolchain/interfaces/index.ts"))};
const ip = (line) => execFileSync("ip", line.split(" "));
let packets = 0;
const tun = new TunDevice("p4test", (bytes, end) => {
  const packet = bytes.slice(TUN_HEADROOM, end);
  if (packet[0] !== 0x45 || packet[9] !== 1) return;
  packets++;
  const from = packet.slice(12, 16);
  packet.copyWithin(12, 16, 20);
  packet.set(from, 16);
  // An echo request becomes an answer: its type goes from 8 to 0, and its checksum by as much.
  packet[20] = 0;
  const sum = ((packet[22] << 8) | packet[23]) + 0x0800;
  const folded = (sum & 0xffff) + (sum >> 16);
  packet[22] = folded >> 8;
  packet[23] = folded;
  if (!tun.write(packet)) console.log("not written");
});
ip("address add 10.9.0.1/24 dev p4test");
ip("link set p4test up");
tun.start();
execFile("ping", ["-c", "3", "-i", "0.01", "-W", "5", "10.9.0.2"], (error, stdout) => {
  console.log(JSON.stringify({ packets, answered: / (\\d+) received/.exec(stdout)?.[1] }));
  tun.close();
  tun.close();
  const gone = !execFileSync("ip", ["link"], { encoding: "utf8" }).includes("p4test");
  console.log(JSON.stringify({ gone, written: tun.write(new Uint8Array(20)) }));
});
`;

describe.skipIf(reason !== undefined)(reason === undefined ? "TunDevice" : `TunDevice (${reason})`, () => {
  const noPing = spawnSync("ping", ["-V"]).error !== undefined;
  it.skipIf(noPing)("takes packets from the kernel and gives it packets", () => {
    const loader = pathToFileURL(createRequire(import.meta.url).resolve("tsx")).href;
    const words = [process.execPath, "--import", loader, "--input-type=module", "-e", PROGRAM];
    const lines = inside(namespace(), ...words)
      .trim()
      .split("\n");
    expect(lines.map((line) => JSON.parse(line) as unknown)).toEqual([
      { packets: 3, answered: "3" },
      { gone: true, written: false },
    ]);
  });

  it.each([
    ["", "names of devices have 1 to 15 bytes"],
    ["a-name-of-16-b-x", "names of devices have 1 to 15 bytes"],
    ["lo", "the system does not accept this"],
  ])("is not made with the name %j", (name, message) => {
    expect(() => new TunDevice(name, () => {})).toThrow(
      new RegExp(`P40027]: TUN device "?${name}"?: ${message}`),
    );
  });
});
