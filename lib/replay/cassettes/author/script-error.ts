/** Why a script cannot be built; the message names the cassette and the field. */
export class ScriptError extends Error {
  override readonly name = "ScriptError";

  constructor(id: string, field: string, reason: string, options?: ErrorOptions) {
    super(`${id}: ${field === "" ? "the script" : field}: ${reason}`, options);
  }
}
