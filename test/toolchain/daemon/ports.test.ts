/** Ports that a controller adds to a running switch: pcap files, and what is refused. Interfaces: test/cli/switch-interfaces. */
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { decodePcap, encodePcap } from "../../../src/base/packets/index.js";
import { Ports } from "../../../src/toolchain/daemon/ports.js";
import type { PortAttachment } from "../../../src/toolchain/device/index.js";
import { refusal } from "../p4runtime/helpers.js";

function start(options: { captureFolder?: string } = {}) {
  const folder = mkdtempSync(join(tmpdir(), "p4loom-ports-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const events: unknown[] = [];
  const frames: [number, number][] = [];
  const captureFolder = options.captureFolder === undefined ? undefined : join(folder, options.captureFolder);
  const ports: Ports = new Ports(
    { reserved: new Map([[64, "the CPU port"]]), captureFolder, folder, now: () => 1000 },
    {
      frame: () => {},
      link: (port, up) => events.push([port, up]),
      warn: (message) => events.push(message),
      error: (error) => events.push(error),
      beforeInterfaces: () => {},
      added: (port) => events.push(["added", port]),
      removed: (port) => events.push(["removed", port]),
    },
  );
  onTestFinished(() => ports.close());
  const write = (name: string, ...lengths: number[]) => {
    const packets = lengths.map((length, i) => ({
      seconds: i,
      nanoseconds: 0,
      frame: new Uint8Array(length),
    }));
    writeFileSync(join(folder, `${name}_in.pcap`), encodePcap(packets));
  };
  const read = (name: string) =>
    decodePcap(readFileSync(join(folder, `${name}.pcap`)), name).map(({ frame }) => frame.length);
  const play = () =>
    ports.play(
      (port, frame) => frames.push([port, frame.length]),
      () => false,
    );
  return { folder, ports, events, frames, write, read, play };
}

const files = (name: string): PortAttachment => ({ kind: "files", name });
const zero = { up: true, received: 0, sent: 0, receiveDrops: 0, sendDrops: 0 };

describe("ports of files", () => {
  it("take and send from when they are added until they are removed", async () => {
    const { ports, events, frames, write, read, play } = start({ captureFolder: "captured" });
    write("p1", 60, 61);
    write("p2");
    ports.start();
    await ports.add(1, files("p1"));
    await ports.add(2, files("p2"));
    expect(await play()).toBe(2);
    expect(frames).toEqual([
      [1, 60],
      [1, 61],
    ]);
    expect(ports.transmit(2, new Uint8Array(70))).toBe(true);
    expect(ports.transmit(3, new Uint8Array(70))).toBe(false);
    expect(ports.names).toEqual({ p1: 1n, p2: 2n });
    expect(await ports.list()).toEqual([
      { port: 1, attachment: files("p1"), ...zero, received: 2 },
      { port: 2, attachment: files("p2"), ...zero, sent: 1 },
    ]);
    await ports.remove(2);
    expect(ports.transmit(2, new Uint8Array(71))).toBe(false);
    expect(read("p2_out")).toEqual([70]);
    expect(read("captured/p2_out")).toEqual([70]);
    expect(ports.names).toEqual({ p1: 1n });
    ports.close();
    expect(read("captured/p1_in")).toEqual([60, 61]);
    expect(events).toEqual([
      [1, true],
      ["added", 1],
      [2, true],
      ["added", 2],
      ["removed", 2],
      [2, false],
    ]);
  });

  it("play a file that is added after others", async () => {
    const { ports, frames, write, play } = start();
    write("p1", 60);
    ports.start();
    await ports.add(1, files("p1"));
    await play();
    write("late", 65);
    await ports.add(9, files("./late"));
    expect(await play()).toBe(1);
    expect(frames).toEqual([
      [1, 60],
      [9, 65],
    ]);
  });

  it("leave nothing when they cannot be added", async () => {
    const { folder, ports, events, write } = start();
    write("p1", 60);
    expect((await refusal(ports.add(1, files("p1")))).code).toBe("UNAVAILABLE");
    ports.start();
    await ports.add(1, files("p1"));
    events.length = 0;
    mkdirSync(join(folder, "inside"));
    symlinkSync("/etc", join(folder, "outside"));
    symlinkSync("/etc/passwd", join(folder, "password_out.pcap"));
    write("password");
    writeFileSync(join(folder, "damaged_in.pcap"), "this is not a pcap file");
    const refused: [number, PortAttachment, string, RegExp][] = [
      [2, files("missing"), "NOT_FOUND", /^cannot read .*missing_in\.pcap/],
      [2, files("nowhere/p"), "NOT_FOUND", /^there is no folder nowhere$/],
      [2, files("damaged"), "INVALID_ARGUMENT", /damaged_in\.pcap/],
      [2, files("/etc/hosts"), "INVALID_ARGUMENT", /is absolute$/],
      [2, files("inside/../../p"), "INVALID_ARGUMENT", /is outside of it$/],
      [2, files("outside/p"), "INVALID_ARGUMENT", /leads outside of it by a link$/],
      [2, files("password"), "INVALID_ARGUMENT", /\(.*password_out\.pcap\) is a link$/],
      [2, files("inside/../p1"), "ALREADY_EXISTS", /are those of port 1$/],
      [1, files("p2"), "ALREADY_EXISTS", /^port 1 is p1; remove it first$/],
      [64, files("p2"), "INVALID_ARGUMENT", /^port 64 is the CPU port$/],
      [512, files("p2"), "OUT_OF_RANGE", /^port 512; ports are 0 to 511$/],
      [1.5, files("p2"), "OUT_OF_RANGE", /^port 1\.5;/],
    ];
    for (const [port, attachment, code, message] of refused) {
      const error = await refusal(ports.add(port, attachment));
      expect([attachment.name, error.code]).toEqual([attachment.name, code]);
      expect(error.message).toMatch(message);
    }
    expect(await refusal(ports.remove(2))).toMatchObject({
      code: "NOT_FOUND",
      message: "there is no port 2",
    });
    expect(events).toEqual([]);
    expect(await ports.list()).toHaveLength(1);
    write("p2");
    await ports.add(2, files("p2"));
    await ports.stop();
    expect((await refusal(ports.remove(1))).code).toBe("UNAVAILABLE");
  });

  it("are not added twice at once", async () => {
    const { ports, write } = start();
    write("p1", ...Array.from({ length: 2000 }, () => 60));
    ports.start();
    const [first, second] = await Promise.allSettled([ports.add(1, files("p1")), ports.add(1, files("p1"))]);
    expect([first.status, second.status]).toEqual(["fulfilled", "rejected"]);
    expect(await ports.list()).toHaveLength(1);
  });
});
