/** Bytes of a file that arrives in pieces: those that were not read yet, and their position in the file. */
export class PieceBuffer {
  bytes = new Uint8Array(0);
  view = new DataView(this.bytes.buffer);
  /** The next byte to read, in `bytes`. */
  at = 0;
  /** Place of `bytes` in the file. */
  #base = 0;

  push(piece: Uint8Array): void {
    const left = this.left;
    const joined = new Uint8Array(left + piece.length);
    joined.set(this.bytes.subarray(this.at));
    joined.set(piece, left);
    this.#base += this.at;
    this.at = 0;
    this.bytes = joined;
    this.view = new DataView(joined.buffer);
  }

  /** Number of bytes that were not read yet. */
  get left(): number {
    return this.bytes.length - this.at;
  }

  /** Place of the next byte in the file. */
  get offset(): number {
    return this.#base + this.at;
  }
}
