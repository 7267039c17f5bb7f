/** Checks one part of the traffic: its sizes, its pattern on the topology, and the rate of its flows. */
import { defined, didYouMean, Random, type Span } from "../../../../base/index.js";
import { hostsOf } from "../../../topology/index.js";
import {
  capacityBps,
  DEFAULT_PORT,
  type HostChoice,
  hostPlaces,
  matrixGroups,
  type OperationSpec,
  type PaceSpec,
  type PairSpec,
  type PartSpec,
  type PatternSpec,
  type Place,
  type RequestSpec,
  readMatrix,
  type Service,
  SizeDistribution,
  spreadOf,
  stepsOf,
} from "../../../traffic/index.js";
import { CODES } from "../../codes.js";
import type { TrafficContext, TrafficPart } from "./schema.js";
import type { TrafficFiles } from "./traffic-files.js";

/** The most by which the mean of sizes in whole bytes may differ from that of their distribution, as a part of it. */
const ROUNDING = 0.01;

type Path = readonly PropertyKey[];
type PatternKeys = Exclude<NonNullable<TrafficPart["pattern"]>, string>;

/** Undefined after errors: see `planTraffic`. `path`: position of the part in the file. */
export function checkPart(
  part: TrafficPart,
  path: Path,
  context: TrafficContext,
  files: TrafficFiles,
): PartSpec | undefined {
  return new PartCheck(part, path, context, files).run();
}

/** The service that the key `protocol` describes. */
export function carriedBy(protocol: NonNullable<TrafficPart["protocol"]>): Omit<Service, "port"> {
  if (protocol === "tcp") return { protocol };
  if (protocol.tcp !== undefined) return { protocol: "tcp", rateBps: protocol.tcp };
  return { protocol: "udp", rateBps: protocol.udp };
}

/** The closed loop of requests, or of collective operations. */
function loopOf({ requests, collective }: PatternKeys) {
  if (collective?.loop !== undefined) return { outstanding: 1, think: collective.loop.think };
  return requests?.loop;
}

class PartCheck {
  readonly #places: readonly Place[];

  constructor(
    readonly part: TrafficPart,
    readonly path: Path,
    readonly context: TrafficContext,
    readonly files: TrafficFiles,
  ) {
    this.#places = hostPlaces(context.topology);
  }

  run(): PartSpec | undefined {
    const sizes = this.#sizes();
    const pattern = this.#pattern();
    const pace = this.#pace(pattern);
    if (sizes === undefined || pattern === undefined || pace === undefined) return undefined;
    const { protocol = "tcp", port = DEFAULT_PORT } = this.part;
    return { pattern, pace, sizes, service: { ...carriedBy(protocol), port } };
  }

  /** Source position of a key of the part, else of the same key beside `mix`, else of the part. */
  #at(...keys: PropertyKey[]): Span | undefined {
    const { locate } = this.context;
    return locate([...this.path, ...keys]) ?? locate(["traffic", ...keys]) ?? locate(this.path);
  }

  #error(code: string, span: Span | undefined, message: string, ...notes: string[]): undefined {
    this.context.diagnostics.error(code, span, message, ...notes);
  }

  #sizes(): SizeDistribution | undefined {
    const { sizes } = this.part;
    if (sizes === undefined) {
      const example = "write a distribution such as `sizes: web_search`, or `sizes: { fixed: 512KB }`";
      return this.#error(CODES.trafficKeys, this.#at(), "the traffic has no `sizes`", example);
    }
    if (typeof sizes === "string") return this.files.distribution(sizes, this.#at("sizes"));
    if (sizes.scaled !== undefined) {
      const { of, by } = sizes.scaled;
      const scaled = this.files.distribution(of, this.#at("sizes", "scaled", "of"))?.scaled(by);
      return this.#drawable(scaled, this.#at("sizes", "scaled", "by"));
    }
    if (sizes.cdf !== undefined) {
      const { file, shares } = sizes.cdf;
      const at = this.#at("sizes", "cdf", "file");
      return this.#drawable(this.files.ownDistribution(file, shares, at), at);
    }
    if (sizes.fixed !== undefined) return SizeDistribution.fixed(sizes.fixed);
    const [least, most] = defined(sizes.uniform);
    if (least <= most) return SizeDistribution.uniform(least, most);
    const message = `uniform: expected the smallest size first, got ${least} and ${most} bytes`;
    return this.#error(CODES.trafficKeys, this.#at("sizes", "uniform"), message);
  }

  /** The rate of the flows follows from the mean of the distribution: sizes that are drawn, in whole bytes, must have the same one. */
  #drawable(sizes: SizeDistribution | undefined, span: Span | undefined): SizeDistribution | undefined {
    if (sizes === undefined || Math.abs(sizes.drawnMean / sizes.mean - 1) <= ROUNDING) return sizes;
    const [mean, drawn] = [sizes.mean, sizes.drawnMean].map((bytes) => Number(bytes.toPrecision(3)));
    return this.#error(
      CODES.trafficKeys,
      span,
      `the sizes have a mean of ${mean} bytes, and of ${drawn} in whole bytes of at least 1: the flows would not offer the load`,
      "sizes are in bytes; write larger ones, or a larger factor",
    );
  }

  #pattern(): PatternSpec | undefined {
    const { pattern = "all_to_all" } = this.part;
    if (this.#places.length < 2)
      return this.#error(
        CODES.noSuchPattern,
        this.#at("pattern"),
        "the topology has one host, and traffic needs two",
      );
    if (typeof pattern === "string") return this.#named(pattern);
    if (pattern.stride !== undefined) return this.#stride(pattern.stride);
    if (pattern.rack_local !== undefined) return this.#rackLocal(pattern.rack_local);
    if (pattern.matrix !== undefined) return this.#matrix(pattern.matrix);
    if (pattern.collective !== undefined) return this.#collective(pattern.collective);
    return this.#requests(pattern);
  }

  #collective({
    operation,
    hosts: choice,
  }: NonNullable<PatternKeys["collective"]>): OperationSpec | undefined {
    const hosts = this.#hosts(choice, "collective", "hosts");
    if (hosts === null) return undefined;
    const count = typeof hosts === "object" ? hosts.length : (hosts ?? this.#places.length);
    if (count < 2)
      return this.#error(
        CODES.noSuchPattern,
        this.#at("pattern", "collective", "hosts"),
        "a collective operation needs two hosts at least",
      );
    const { flows } = this.context.settings;
    const group = count * stepsOf(operation, count);
    if (flows !== undefined && flows < group) {
      const message = `flows is ${flows}, but one ${operation} of ${count} hosts has ${group}`;
      return this.#error(CODES.trafficKeys, this.context.locate(["traffic", "flows"]), message);
    }
    return { kind: "collective", operation, hosts };
  }

  #named(kind: Extract<TrafficPart["pattern"], string>): PairSpec | undefined {
    const group = kind === "inter_rack" ? "rack" : kind === "inter_pod" ? "pod" : undefined;
    if (group !== undefined && new Set(this.#places.map((place) => place[group])).size < 2)
      return this.#error(
        CODES.noSuchPattern,
        this.#at("pattern"),
        `all hosts of the topology are in one ${group}`,
      );
    return { kind };
  }

  #stride(stride: number): PairSpec | undefined {
    const hosts = this.#places.length;
    if (stride % hosts !== 0) return { kind: "stride", stride };
    const message = `with ${hosts} hosts, a stride of ${stride} leads each host to itself`;
    return this.#error(CODES.noSuchPattern, this.#at("pattern", "stride"), message);
  }

  #rackLocal(share: number): PairSpec | undefined {
    const span = this.#at("pattern", "rack_local");
    const racks = new Map<number, number>();
    for (const { rack } of this.#places) racks.set(rack, (racks.get(rack) ?? 0) + 1);
    const alone = [...racks].find(([, count]) => count === 1);
    if (share > 0 && alone !== undefined) {
      const { host } = defined(this.#places.find(({ rack }) => rack === alone[0]));
      const { name } = defined(this.context.topology.nodes[host]);
      return this.#error(
        CODES.noSuchPattern,
        span,
        `"${name}" is the only host of its rack, so no flow can stay there`,
      );
    }
    if (share < 1 && racks.size === 1)
      return this.#error(
        CODES.noSuchPattern,
        span,
        "all hosts of the topology are in one rack: write `rack_local: 1`",
      );
    return { kind: "rack_local", share };
  }

  #matrix(name: string): PairSpec | undefined {
    const span = this.#at("pattern", "matrix");
    const file = this.files.read(name, span);
    if (file === undefined) return undefined;
    const matrix = readMatrix(file);
    const { size, weights } = matrix;
    const groups = matrixGroups(this.#places, size);
    if (groups === undefined) {
      const racks = new Set(this.#places.map(({ rack }) => rack)).size;
      const message = `${file.path} has ${size} lines; the topology has ${racks} racks and ${this.#places.length} hosts`;
      return this.#error(
        CODES.matrix,
        span,
        message,
        "a matrix has one line and one column for each rack, or for each host",
      );
    }
    const own = groups.findIndex(({ length }, row) => length === 1 && defined(weights[row * size + row]) > 0);
    if (own < 0) return { kind: "matrix", matrix };
    const { name: host } = defined(this.context.topology.nodes[defined(defined(groups[own])[0]).host]);
    const message = `${file.path}: line ${own + 1}, value ${own + 1} is traffic of "${host}" to itself; write 0`;
    return this.#error(CODES.matrix, span, message);
  }

  #requests({ incast, requests }: PatternKeys): RequestSpec | undefined {
    const all = this.#places.length;
    const key = incast === undefined ? "requests" : "incast";
    const degreeKey = incast === undefined ? "fan_out" : "senders";
    const clientsKey = incast === undefined ? "clients" : "receivers";
    const clients = this.#hosts(
      incast === undefined ? defined(requests).clients : incast.receivers,
      key,
      clientsKey,
    );
    const servers = this.#hosts(requests?.servers, key, "servers");
    if (clients === null || servers === null) return undefined;
    const degree = incast === undefined ? defined(requests).fan_out : incast.senders;
    const questionBytes = requests?.question ?? 0;
    // A client that is also a server sends no request to itself.
    const disjoint =
      Array.isArray(clients) && Array.isArray(servers) && !clients.some((host) => servers.includes(host));
    const count = Array.isArray(servers) ? servers.length : ((servers as number | undefined) ?? all);
    const most = disjoint ? count : count - 1;
    if (degree > most) {
      const message = `${key}: ${degreeKey} is ${degree}, but beside a host of \`${clientsKey}\` there are only ${most}`;
      return this.#error(CODES.noSuchPattern, this.#at("pattern", key, degreeKey), message);
    }
    const { flows } = this.context.settings;
    const group = questionBytes > 0 ? 2 * degree : degree;
    if (flows !== undefined && flows < group) {
      const message = `flows is ${flows}, but one ${incast === undefined ? "request" : "incast"} has ${group}`;
      return this.#error(CODES.trafficKeys, this.context.locate(["traffic", "flows"]), message);
    }
    return { kind: "requests", clients, servers, degree, questionBytes };
  }

  /** The hosts that a key names; null after errors. */
  #hosts(choice: number | readonly string[] | undefined, ...keys: readonly string[]): HostChoice | null {
    if (choice === undefined) return undefined;
    const { topology } = this.context;
    const path = ["pattern", ...keys];
    if (typeof choice === "number") {
      const all = this.#places.length;
      if (choice <= all) return choice;
      this.#error(
        CODES.noSuchPattern,
        this.#at(...path),
        `${keys.join(".")}: the topology has ${all} hosts, got ${choice}`,
      );
      return null;
    }
    const names = new Map(hostsOf(topology).map(({ name, index }) => [name, index]));
    const before = this.context.diagnostics.errorCount;
    for (const [index, name] of choice.entries()) {
      const span = this.#at(...path, index);
      if (!names.has(name))
        this.#error(
          CODES.trafficHost,
          span,
          `there is no host "${name}"${didYouMean(name, [...names.keys()], '"')}`,
        );
      else if (choice.indexOf(name) !== index)
        this.#error(CODES.trafficHost, span, `"${name}" is listed twice`);
    }
    if (this.context.diagnostics.errorCount > before) return null;
    return choice.map((name) => defined(names.get(name)));
  }

  #pace(pattern: PatternSpec | undefined): PaceSpec | undefined {
    const { share, interval, arrivals, pattern: keys } = this.part;
    const { load } = this.context;
    const inMix = this.path.length > 1;
    const loop = typeof keys === "object" ? loopOf(keys) : undefined;
    if (loop !== undefined) {
      const other = (["share", "interval", "arrivals"] as const).find((key) => this.part[key] !== undefined);
      if (other === undefined) return { kind: "closed", outstanding: loop.outstanding, thinkNs: loop.think };
      const message = `${other}: what is in a closed loop starts when earlier ones complete`;
      return this.#error(CODES.trafficKeys, this.#at(other), message, `remove \`${other}\` or \`loop\``);
    }
    const kind = arrivals ?? "poisson";
    if (interval !== undefined) {
      if (share === undefined) return { kind: "interval", intervalNs: interval, arrivals: kind };
      return this.#error(
        CODES.trafficKeys,
        this.#at("interval"),
        "a part has a `share` of the load or an `interval`, not both",
      );
    }
    if (inMix && share === undefined) {
      const message = "the part has no `share` of the load and no `interval`";
      return this.#error(CODES.trafficKeys, this.#at(), message);
    }
    if (load === undefined) {
      const message = "the file has no `load`, and the traffic no `interval`";
      return this.#error(CODES.trafficKeys, this.#at(), message, "write `load: 0.5` beside `traffic`");
    }
    if (pattern !== undefined && !this.#hasCapacity(pattern)) return undefined;
    return { kind: "load", load: load * (share ?? 1), arrivals: kind };
  }

  #hasCapacity(pattern: PatternSpec): boolean {
    const { topology, settings, segmentBytes, locate } = this.context;
    const { load_of = "host_links" } = settings;
    // Whether the capacity is above 0 does not depend on the seed.
    const spread = spreadOf(pattern, topology, new Random(0));
    if (capacityBps(load_of, spread, topology, segmentBytes) > 0) return true;
    this.#error(
      CODES.noSuchPattern,
      locate(["traffic", "load_of"]),
      "load_of: no flow of this pattern crosses the core",
    );
    return false;
  }
}
