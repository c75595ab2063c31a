/** A file of a tape cannot be read; the message names the file, and the line if it is known. */
export class TapeError extends Error {
  override readonly name = "TapeError";
}

/** The folder of a tape belongs to another test. */
export class OtherTapeError extends TapeError {}

/** A path leads out of the folder of the tapes. */
export class OutsideError extends TapeError {}
