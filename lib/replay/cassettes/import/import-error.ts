/** A capture cannot be imported; the message names the file and the problem. */
export class ImportError extends Error {
  override readonly name = "ImportError";

  constructor(file: string, reason: string, options?: ErrorOptions) {
    super(`${file}: ${reason}`, options);
  }
}
