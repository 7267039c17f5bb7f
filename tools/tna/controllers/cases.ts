/** The controllers, how each is started, and packets that show what it installed. */
import { decryption } from "./chacha.js";

/** A packet that comes in at a port, and the packets that leave for it, as `PORT HEX`; `*` is any digit. */
export interface Exchange {
  readonly port: number;
  readonly packet: string;
  readonly expect: readonly string[];
}

/** A controller that is a test for PTF: it sends and checks packets itself. */
interface PtfTest {
  /** `MODULE` or `MODULE.CLASS`; all of the folder unless given. */
  readonly tests?: readonly string[];
  readonly ports: readonly number[];
}

export interface Controller {
  readonly repo: string;
  /** Relative to the repository, as everything below. */
  readonly program: string;
  readonly controller: string;
  readonly args?: readonly string[];
  /** The folder in which it runs; its own unless given. */
  readonly folder?: string;
  /** Folders with modules of the repository. */
  readonly modules?: readonly string[];
  /** The name under which it binds, where that is not the name of the file. */
  readonly bind?: string;
  /** Where the controller looks for the switch. */
  readonly address?: string;
  readonly environment?: Readonly<Record<string, string>>;
  /** Files that the repository's users make. */
  readonly files?: Readonly<Record<string, string>>;
  readonly input?: string;
  readonly status?: number;
  /** Of a controller that never ends: what it prints when it has installed everything. */
  readonly ready?: string;
  readonly ptf?: PtfTest;
  readonly shows?: readonly Exchange[];
  /** What each packet is like that leaves by itself once the controller is ready, of a controller that sets the packet generator. */
  readonly makes?: string;
  /** Packets after the controller has heard of those in `shows`. */
  readonly then?: readonly Exchange[];
  readonly prints?: readonly string[];
}

/** Ethernet, IPv4 from 10.0.1.102, UDP to port 2001: to 10.0.1.101, and to 10.9.9.9. */
const FRAME = {
  known: "02020202020204040404040408004500001e00010000401164040a0001660a00016507d007d1000a0000abcd",
  unknown: "02020202020204040404040408004500001e0001000040115c570a0001660a09090907d007d1000a0000abcd",
};

const dropped = (packet: string): Exchange => ({ port: 8, packet, expect: [] });

export const CONTROLLERS: readonly Controller[] = [
  {
    repo: "GyuyeongKim/NetClone-public",
    program: "netclone.p4",
    controller: "controller.py",
    args: ["5", "3", "0"],
    shows: [{ port: 8, packet: FRAME.known, expect: [`396 ${FRAME.known}`] }, dropped(FRAME.unknown)],
  },
  {
    repo: "GyuyeongKim/OrbitCache-public",
    program: "netcache/netcache.p4",
    controller: "netcache/controller.py",
    args: ["10000", "18"],
    shows: [{ port: 8, packet: FRAME.known, expect: [`48 ${FRAME.known}`] }, dropped(FRAME.unknown)],
  },
  {
    repo: "GyuyeongKim/OrbitCache-public",
    program: "orbitcache/orbitcache.p4",
    controller: "orbitcache/controller.py",
    shows: [{ port: 8, packet: FRAME.known, expect: [`48 ${FRAME.known}`] }, dropped(FRAME.unknown)],
  },
  {
    repo: "nsg-ethz/FANcY",
    program: "tofino/p4_16/fancy/middle_switch/middle_switch.p4",
    controller: "tofino/p4_16/fancy/middle_switch/control_plane.py",
    args: ["model"],
    ready: "Start command server",
    shows: [{ port: 1, packet: FRAME.known, expect: [`2 ${FRAME.known}`] }],
  },
  {
    repo: "Hasegawa-Laboratory/ChaCha-Tofino",
    program: "p4/chacha.p4",
    controller: "control.py",
    shows: [
      decryption(8, 20, "0123456789abcdef", new Uint8Array(384)),
      decryption(
        8,
        21,
        "fedcba9800000001",
        Uint8Array.from({ length: 384 }, (_, i) => (i * 7) & 255),
      ),
    ],
  },
  {
    repo: "HiNA-Yani/AGILE",
    program: "fsmmf.p4",
    controller: "add_lpf_rules.py",
  },
  {
    repo: "nds-group/Jewel",
    program: "P4/unsw_jewel_14_3_6_N3.p4",
    controller: "Controller/controller_digest_hybrid_unsw.py",
    address: "172.16.19.101:50052",
    args: ["out.csv"],
    ready: "Table max",
  },
  {
    repo: "WeiheLi/Pontus_WWW",
    program: "Tofino/pontus_1_ROW.p4",
    controller: "Tofino/controller_digest.py",
    args: ["out.csv", "16384", "1000", "0.5"],
    ready: "runs the program",
  },
  {
    repo: "AliDMazloum/Offloading-Encrypted-C2-Traffic-Mitigation-to-SmartNICs",
    program: "P4/basic.p4",
    controller: "CP/controller_digest.py",
    args: ["out.csv"],
    ready: "runs the program",
  },
  {
    repo: "qbiqing/tofino-pktgen",
    program: "simple_forwarding.p4",
    controller: "generate.py",
    args: ["-r", "1", "-s", "128"],
    ready: "For port 32",
  },
  {
    repo: "NUS-CIR/tofino-ascon",
    program: "experiment_setup/1c/port_forward.p4",
    controller: "experiment_setup/1c/generate.py",
    ready: "The packet out",
    // The packet generator writes six bytes, and egress the time.
    makes: `8 ${"*".repeat(24)}8122${"01".repeat(50)}`,
  },
  {
    repo: "conweave-project/conweave-p4",
    program: "native_dcqcn/p4src/native_dcqcn.p4",
    controller: "native_dcqcn/cp/get_rx_info.py",
    args: ["000", "lg", "blk"],
    ready: "[Throughput]",
  },
  {
    repo: "fcm-project/fcm_p4",
    program: "fcm_p416/fcm.p4",
    controller: "fcm_p416/ptf",
    ptf: { ports: [0, 1, 2, 3, 4, 5, 6, 7, 8] },
  },
  {
    repo: "rug-ds-lab/2026_QoS-P4bSub-Artifacts",
    program: "p4src/qos-p4bsub.p4",
    controller: "ptf-tests",
    bind: "qos_p4bsub",
    ptf: { ports: [0, 1, 2, 3, 4, 5, 6, 7, 8] },
  },
];
