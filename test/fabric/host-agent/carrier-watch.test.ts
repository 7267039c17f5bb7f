import { describe, expect, it } from "vitest";
import { carrierOf } from "../../../src/fabric/host-agent/agent.js";

/** Lines as `ip -o monitor link` of iproute2 6.1 prints them for the host's end of a veth pair. */
const LOST = String.raw`5: eth0@if6: <NO-CARRIER,BROADCAST,MULTICAST,UP> mtu 1500 qdisc noqueue state LOWERLAYERDOWN group default \    link/ether 02:00:00:00:00:01 brd ff:ff:ff:ff:ff:ff link-netns x`;
const FOUND = String.raw`5: eth0@if6: <BROADCAST,MULTICAST,UP,LOWER_UP> mtu 1500 qdisc noqueue state UP group default \    link/ether 02:00:00:00:00:01 brd ff:ff:ff:ff:ff:ff`;

describe("carrierOf", () => {
  it("reads the flags of a NIC", () => {
    expect(carrierOf(LOST)).toEqual({ name: "eth0", up: false });
    expect(carrierOf(FOUND)).toEqual({ name: "eth0", up: true });
    expect(carrierOf("2: ens3: <BROADCAST,MULTICAST,UP,LOWER_UP> mtu 1500")).toEqual({
      name: "ens3",
      up: true,
    });
  });

  it("passes over what is no line about a device", () => {
    expect(carrierOf("")).toBeUndefined();
    expect(carrierOf("    link/ether 02:00:00:00:00:01")).toBeUndefined();
  });
});
