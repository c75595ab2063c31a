import Ajv, { type ValidateFunction } from "ajv/dist/2020";
import addFormats from "ajv-formats";
import type { Operation } from "./openapi-cases";

export type Received = { status: number; contentType: string; body: string };

type Document = { paths: Record<string, Record<string, Omit<Operation, "method" | "path">>> };

/** A line of a stack trace, a path of this machine or of the build, or a query. */
const leak =
  /\n\s+at \S+|\.[cm]?[jt]s:\d+|node_modules|\.next\/|\/(?:root|home|work|tmp|etc)\/|\bSELECT .+ FROM\b|prisma/i;

/** Whether the request asked for this error, by a header of the drop-in endpoints. */
const isAskedFor = (body: string) => body.includes("because the request asks for it.");

/** Whether a response is an unexpected error. Payment answers 500 with another message if it is not configured. */
function isFailure({ status, body }: Received): boolean {
  if (isAskedFor(body)) return false;
  return status > 503 || status === 501 || status === 502 || (status === 500 && !body.includes("STRIPE_SECRET_KEY"));
}

/** Returns what is wrong with any response: an error of the server, or text that must not reach a client. */
export function findGeneralProblems(received: Received): string[] {
  const { status, body } = received;
  const problems: string[] = [];
  if (isFailure(received)) problems.push(`status ${status}: ${body.slice(0, 200)}`);
  // Requests send this path, and errors quote what was sent.
  const leaked = status >= 400 ? leak.exec(body.replaceAll("/etc/passwd", "")) : null;
  if (leaked) problems.push(`the body contains ${JSON.stringify(leaked[0])}`);
  return problems;
}

const escapePointer = (part: string) => encodeURIComponent(part.replaceAll("~", "~0").replaceAll("/", "~1"));

/** The operations of an OpenAPI document, with the schemas of their responses. */
export class DeclaredOperations {
  readonly operations: Operation[];
  readonly #ajv = new Ajv({ strict: false });

  constructor(document: Document) {
    addFormats(this.#ajv);
    this.#ajv.addSchema(document as object, "document");
    this.operations = Object.entries(document.paths).flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, operation]) => ({ ...operation, path, method })),
    );
  }

  #validator({ path, method }: Operation, status: string, type: string): ValidateFunction {
    const parts = ["paths", path, method, "responses", status, "content", type, "schema"];
    const pointer = `document#/${parts.map(escapePointer).join("/")}`;
    return this.#ajv.getSchema(pointer) ?? this.#ajv.compile({ $ref: pointer });
  }

  /** Returns what is wrong with a response to an operation. */
  findProblems(operation: Operation, received: Received): string[] {
    const { status, contentType, body } = received;
    const isOther = isAskedFor(body) && !(status in operation.responses);
    const declaredStatus = isOther ? "default" : String(status);
    const declared = operation.responses[declaredStatus];
    // The headers of any operation can be too large.
    if (status === 431) return findGeneralProblems(received);
    if (!declared) return [...findGeneralProblems(received), `undeclared status ${status}: ${body.slice(0, 200)}`];
    const type = contentType.split(";")[0]?.trim() ?? "";
    const types = Object.keys(declared.content ?? {});
    if (types.length > 0 && !types.includes(type)) return [`undeclared type ${JSON.stringify(type)} of ${status}`];
    if (type !== "application/json" || types.length === 0) return findGeneralProblems(received);
    const validate = this.#validator(operation, declaredStatus, type);
    const isValid = validate(JSON.parse(body));
    const errors = isValid ? [] : [`the body of ${status} does not fit: ${this.#ajv.errorsText(validate.errors)}`];
    return [...findGeneralProblems(received), ...errors];
  }
}
