import type { Endpoint, ErrorShape } from "#lib/contract/endpoint";
import { type ErrorCode, statusByCode } from "#lib/platform/errors";
import { answerHeaders } from "./answer-headers";
import type { JsonSchema } from "./convert-schema";

/** What each error code is there for on one endpoint. */
type Errors = Partial<Record<ErrorCode, string>>;

const errorExamples: Record<ErrorShape, (code: ErrorCode, message: string) => unknown> = {
  tapedeck: (code, error) => ({ error, code, status: statusByCode[code] }),
  anthropic: (_code, message) => ({
    type: "error",
    error: { type: "invalid_request_error", message },
    request_id: "…",
  }),
};

/** Errors that follow from what an endpoint says of keys, tiers and limits. */
function admissionErrors({ auth, minimumTier, limited }: Endpoint): Errors[] {
  if (auth === "none") return [];
  const broken = "key is malformed, unknown, expired, revoked or rotated.";
  return [
    {
      unauthorized: auth === "required" ? `A key is missing, or the ${broken}` : `The ${broken}`,
      service_unavailable: "No database is configured.",
    },
    minimumTier ? { [minimumTier.code]: `The ${minimumTier.tier} tier or a higher one is needed.` } : {},
    limited ? { rate_limited: "The requests of today are used up. They reset at midnight UTC." } : {},
  ];
}

function joinErrors(all: readonly Errors[]): [ErrorCode, string][] {
  const joined = new Map<ErrorCode, string[]>();
  for (const errors of all) {
    for (const [code, text] of Object.entries(errors) as [ErrorCode, string][]) {
      joined.set(code, [...(joined.get(code) ?? []), text]);
    }
  }
  return [...joined].map(([code, texts]) => [code, texts.join(" ")]);
}

function errorAnswer(endpoint: Endpoint, status: number, errors: [ErrorCode, string][]): JsonSchema {
  const { errorShape: shape = "tapedeck" } = endpoint;
  const schema = { $ref: `#/components/schemas/${shape === "tapedeck" ? "Error" : "ProviderError"}` };
  const [[code, message]] = errors as [[ErrorCode, string]];
  const isOne = errors.length === 1;
  return {
    description: isOne ? message : errors.map(([name, text]) => `\`${name}\`: ${text}`).join(" "),
    headers: answerHeaders(endpoint, status),
    content: { "application/json": { schema, example: errorExamples[shape](code, message) } },
  };
}

/** The error answers of an endpoint by status; codes that share a status are told apart in its description. */
export function errorAnswers(endpoint: Endpoint): Record<string, JsonSchema> {
  const internal: Errors = { internal_error: "Something failed on our side." };
  const all = joinErrors([...admissionErrors(endpoint), endpoint.errors, internal]);
  const statuses = [...new Set(all.map(([code]) => statusByCode[code]))];
  return Object.fromEntries(
    statuses.map((status) => [
      status,
      errorAnswer(
        endpoint,
        status,
        all.filter(([code]) => statusByCode[code] === status),
      ),
    ]),
  );
}
