/** Reads the files of a workload: distributions, matrices, traces, each with a digest of its contents. */
import { createHash } from "node:crypto";
import { closeSync, openSync, readdirSync, readSync } from "node:fs";
import { dirname, isAbsolute, join } from "node:path";
import { fileURLToPath } from "node:url";
import {
  type Diagnostics,
  didYouMean,
  fail,
  type SourceFile,
  type Span,
  systemErrorReason,
} from "../../../../base/index.js";
import { packageFile } from "../../../../toolchain/loading/index.js";
import { readSizeDistribution, type ShareUnit, type SizeDistribution } from "../../../traffic/index.js";
import { CODES } from "../../codes.js";
import { readSource } from "../../files.js";

/** Path as shown to the user, and SHA-256 of the contents. */
export type FileDigest = readonly [path: string, digest: string];

const SUFFIX = ".txt";

/** Names of the distributions that the package has. */
function distributionNames(): string[] {
  return readdirSync(fileURLToPath(packageFile("data/cdf")))
    .filter((name) => name.endsWith(SUFFIX))
    .map((name) => name.slice(0, -SUFFIX.length))
    .sort();
}

/** Reads files from the folder of an experiment file, and keeps their digests. */
export class TrafficFiles {
  readonly digests: FileDigest[] = [];

  constructor(
    /** The experiment file. */
    readonly experiment: SourceFile,
    readonly diagnostics: Diagnostics,
  ) {}

  /** The path of a file: a relative one begins in the folder of the experiment file. */
  pathOf(name: string): string {
    return isAbsolute(name) ? name : join(dirname(this.experiment.path), name);
  }

  /** The text; undefined after P43005. `span`: where the file is named. */
  read(name: string, span: Span | undefined): SourceFile | undefined {
    const source = readSource(this.pathOf(name), this.diagnostics, span);
    if (source !== undefined)
      this.digests.push([name, createHash("sha256").update(source.text).digest("hex")]);
    return source;
  }

  /** Reads a long file to its end in pieces, to compute its digest; the pieces go to `check`. */
  readPieces(name: string, check: (pieces: Iterable<Uint8Array>) => void, span: Span | undefined): void {
    const digest = createHash("sha256");
    const path = this.pathOf(name);
    check(
      (function* () {
        for (const piece of piecesOf(path, span)) {
          digest.update(piece);
          yield piece;
        }
      })(),
    );
    this.digests.push([name, digest.digest("hex")]);
  }

  /** A distribution of the package; undefined after P42331. `span`: where its name stands. */
  distribution(name: string, span: Span | undefined): SizeDistribution | undefined {
    const names = distributionNames();
    if (!names.includes(name)) {
      this.diagnostics.error(
        CODES.unknownSizes,
        span,
        `there is no distribution "${name}"${didYouMean(name, names, '"')}`,
        `distributions: ${names.join(", ")}; or fixed, uniform, scaled, or cdf with a file`,
      );
      return undefined;
    }
    const source = readSource(fileURLToPath(packageFile(`data/cdf/${name}${SUFFIX}`)), this.diagnostics);
    return source && readSizeDistribution(source);
  }

  /** A distribution from a user's file. Throws as `readSizeDistribution`. */
  ownDistribution(name: string, unit: ShareUnit, span: Span | undefined): SizeDistribution | undefined {
    const source = this.read(name, span);
    return source && readSizeDistribution(source, unit);
  }
}

const PIECE_BYTES = 256 * 1024;

/**
 * The bytes of a file in pieces. The file is open only while a piece is read, so that a reader may stop anywhere. Throws
 * P43005 when it cannot be read. `span`: where it is named.
 */
export function* piecesOf(path: string, span?: Span): Generator<Uint8Array> {
  for (let at = 0; ; ) {
    const piece = readPiece(path, at, span);
    if (piece.length === 0) return;
    yield piece;
    at += piece.length;
  }
}

function readPiece(path: string, at: number, span: Span | undefined): Uint8Array {
  try {
    const descriptor = openSync(path, "r");
    try {
      const piece = new Uint8Array(PIECE_BYTES);
      return piece.subarray(0, readSync(descriptor, piece, 0, PIECE_BYTES, at));
    } finally {
      closeSync(descriptor);
    }
  } catch (error) {
    return fail(CODES.unreadable, span, `cannot read ${path}: ${systemErrorReason(error)}`);
  }
}

/** UTF-8 text in pieces; a piece may end within a line. */
export function* textOf(pieces: Iterable<Uint8Array>): Generator<string> {
  const decoder = new TextDecoder();
  for (const piece of pieces) yield decoder.decode(piece, { stream: true });
  yield decoder.decode();
}
