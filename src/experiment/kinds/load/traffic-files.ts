/** The files that a workload is made of: distributions, matrices, traces, each with a digest of what was read. */
import { createHash } from "node:crypto";
import { readdirSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { type Diagnostics, didYouMean, type SourceFile, type Span } from "../../../base/index.js";
import { packageFile } from "../../../loading/index.js";
import { readSizeDistribution, type ShareUnit, type SizeDistribution } from "../../../traffic/index.js";
import { readSource } from "../../read-source.js";

/** Path as it is shown to the user, and SHA-256 of the contents. */
export type FileDigest = readonly [path: string, digest: string];

const SUFFIX = ".txt";

/** Names of the distributions that the package has. */
function distributionNames(): string[] {
  return readdirSync(fileURLToPath(packageFile("data/cdf")))
    .filter((name) => name.endsWith(SUFFIX))
    .map((name) => name.slice(0, -SUFFIX.length))
    .sort();
}

/** Reads files from the folder of an experiment file, and remembers what they held. */
export class TrafficFiles {
  readonly digests: FileDigest[] = [];

  constructor(
    /** The experiment file. */
    readonly experiment: SourceFile,
    readonly diagnostics: Diagnostics,
  ) {}

  /** From the folder of the experiment file. */
  pathOf(name: string): string {
    return join(dirname(this.experiment.path), name);
  }

  /** The text; undefined after P43005. `span`: where the file is named. */
  read(name: string, span: Span | undefined): SourceFile | undefined {
    const source = readSource(this.pathOf(name), this.diagnostics, span);
    if (source !== undefined)
      this.digests.push([name, createHash("sha256").update(source.text).digest("hex")]);
    return source;
  }

  /** A distribution of the package; undefined after P42331. `span`: where its name stands. */
  distribution(name: string, span: Span | undefined): SizeDistribution | undefined {
    const names = distributionNames();
    if (!names.includes(name)) {
      this.diagnostics.error(
        "P42331",
        span,
        `there is no distribution "${name}"${didYouMean(name, names, '"')}`,
        `distributions: ${names.join(", ")}; or fixed, uniform, or cdf with a file`,
      );
      return undefined;
    }
    const source = readSource(fileURLToPath(packageFile(`data/cdf/${name}${SUFFIX}`)), this.diagnostics);
    return source && readSizeDistribution(source);
  }

  /** A distribution of the user's. Throws as `readSizeDistribution`. */
  ownDistribution(name: string, unit: ShareUnit, span: Span | undefined): SizeDistribution | undefined {
    const source = this.read(name, span);
    return source && readSizeDistribution(source, unit);
  }
}
